/**
 * A rollout over many scripted nodes, in virtual time: how soon the first node moves, how many requests and writes a node
 * costs, how close the whole comes to the ideal schedule, and what it takes of this machine.
 *
 *     npm run bench                               1,000 nodes
 *     MILLWRIGHT_NODES=5000 node scripts/run.mjs bench/rollout.ts
 */
import { annotations, machineConfigPool } from '../src/api/index.ts';
import { aMachineConfig, startWorld } from '../test/rollout/world.ts';

const counts = (process.env.MILLWRIGHT_NODES ?? '1000').split(',').map(Number);
const [applyMs, rebootMs] = [20_000, 60_000];
const DAY = 24 * 3_600_000;

console.log('nodes  first candidate  requests  writes    makespan  wall clock  resident');
console.log('       after            per node  per node  of ideal');
for (const count of counts) {
  const world = await startWorld({ masters: 1, workers: count });
  const controllers = await world.startControllers();
  await world.startDaemons({ applyMs, rebootMs });
  await world.untilUpdated(['worker', 'master'], DAY);
  const width = Math.max(1, Math.floor(count / 10));
  const body = { spec: { maxUnavailable: width } };
  await world.kube.patch(machineConfigPool, { name: 'worker' }, { type: 'merge', body });
  await world.env.clock.advance(10_000);

  let [targetedAt, firstAt, writes] = [0, 0, 0];
  const target = (await world.pool('worker')).spec.configuration?.name;
  world.store.subscribe({ prefix: '', from: world.store.revision() }, (event) => {
    if (event.kind !== 'put') return;
    // Events and leases are not counted, nor is what the nodes themselves would not cost: the pool and its rendering.
    if (!/^(\/nodes\/|machineconfiguration\.openshift\.io\/machineconfignodes\/)/.test(event.key)) return;
    writes++;
    if (firstAt > 0 || !event.key.startsWith('/nodes/')) return;
    const node = JSON.parse(new TextDecoder().decode(event.value));
    const desired = node.metadata.annotations?.[annotations.desiredConfig];
    if (event.key.startsWith('/nodes/worker') && desired !== target) firstAt = world.env.clock.now();
  });
  const requestsBefore = controllers.requests();
  const wallBefore = performance.now();
  await world.apply(aMachineConfig('50-worker-bench', 'worker', 'x'));
  await world.until(
    'a new target',
    async () => {
      const isNew = (await world.pool('worker')).spec.configuration?.name !== target;
      if (isNew && targetedAt === 0) targetedAt = world.env.clock.now();
      return isNew;
    },
    60_000,
  );
  await world.untilUpdated(['worker'], DAY);
  const wallS = (performance.now() - wallBefore) / 1000;
  const makespan = world.env.clock.now() - firstAt;
  const ideal = Math.ceil(count / width) * (applyMs + rebootMs);
  const columns = [
    String(count).padStart(5),
    `${Math.max(0, firstAt - targetedAt)} ms`.padStart(15),
    ((controllers.requests() - requestsBefore) / count).toFixed(1).padStart(9),
    (writes / count).toFixed(1).padStart(9),
    (makespan / ideal).toFixed(3).padStart(9),
    `${wallS.toFixed(1)} s`.padStart(11),
    `${Math.round(process.memoryUsage.rss() / 1e6)} MB`.padStart(9),
  ];
  console.log(columns.join(' '));
  await world.stop();
}
