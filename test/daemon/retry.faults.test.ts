/**
 * The power is cut, or the daemon killed, at every call of the disk while a node follows the request to apply its whole config again: it does
 * so in the end, answers, and never once more.
 *
 * By default a sample; all of them:
 *
 *     MILLWRIGHT_EVERY_CUT=1 npx vitest run test/daemon/retry.faults.test.ts --testTimeout=3000000
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { annotations, machineConfigNode as machineConfigNodeKind } from '../../src/api/index.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import type { NodeConfig } from '../../src/node/plan/index.ts';
import { seededRandom } from '../support/virtual-env.ts';
import { aConfig } from './a-config.ts';
import { OLD_OS } from './daemon-node.ts';
import { addUpdatedNode, type Cut } from './power-cuts.ts';
import { type SmallCluster, startSmallCluster } from './small-cluster.ts';

const isEvery = process.env.MILLWRIGHT_EVERY_CUT === '1';
const SAMPLE = 36;
const LIMIT_MS = 20 * 60_000;
const REQUEST = 'force-1';

let cluster: SmallCluster;
let config: NodeConfig;
let count = 0;
beforeAll(async () => {
  cluster = await startSmallCluster();
  const files = { '/etc/a': 'one', '/etc/b': 'two' };
  config = await cluster.addConfig(aConfig('rendered-worker-retried', { files, osImage: OLD_OS }));
});
afterAll(() => cluster.stop());

type Result = { readonly calls: number; readonly boots: number; readonly faults: readonly string[] };

async function follow(cut?: Cut): Promise<Result> {
  const name = `retried-${count++}`;
  const settings = { pullWaitsMs: [100], retry: { baseMs: 1_000, factor: 2, capMs: 4_000, jitter: 0 } };
  const node = await addUpdatedNode(cluster, config, { name, seed: count, settings });
  const reported = () => cluster.nodes.get({ name })?.metadata.annotations ?? {};
  const isDone = () =>
    reported()[annotations.state] === 'Done' && reported()[annotations.retried] === REQUEST;
  const advance = (holds: () => boolean) => cluster.env.clock.advanceUntil(holds, LIMIT_MS);
  node.startDaemon();
  await advance(() => node.lines.some((line) => line.includes('Config Drift Monitor started')));
  const before = node.disk.callCount;
  const firstBoot = await node.machine.host.bootId();
  let boots = 0;
  node.machine.onPower(({ kind }) => {
    if (kind === 'up') boots++;
  });
  if (cut !== undefined) {
    const remains = cut.isTorn === true ? seededRandom(cut.call) : 'nothing';
    node.disk.planCut({ call: cut.call, when: cut.when, remains });
  }
  const body = { metadata: { annotations: { [annotations.retry]: REQUEST } } };
  await cluster.kube.patch(nodeKind, { name }, { type: 'merge', body });
  await advance(() => isDone() || !node.disk.isOn);
  if (!node.disk.isOn) {
    node.machine.cutPower();
    if (cut?.back === 'resume') node.disk.restorePower();
    await (cut?.back === 'resume' ? node.machine.resume() : node.machine.boot());
    boots = 0;
  }
  await advance(isDone);
  const calls = node.disk.callCount - before;
  node.disk.planCut(undefined);
  const faults: string[] = [];
  const bootId = await node.machine.host.bootId();
  if (bootId === firstBoot) faults.push('it has answered without a reboot');
  if (boots > 1) faults.push(`it has rebooted ${boots} times`);
  // Another process, and one more boot that nobody asked for.
  node.restartDaemon();
  await cluster.env.clock.advance(3 * 60_000);
  if ((await node.machine.host.bootId()) !== bootId) faults.push('it has rebooted once more');
  const { lines } = node;
  if (lines.filter((line) => line.includes('Marking Degraded')).length > 0) faults.push('it was degraded');
  node.stopDaemon();
  await cluster.kube.delete(nodeKind, { name });
  await cluster.kube.delete(machineConfigNodeKind, { name });
  return { calls, boots, faults };
}

it('a node follows the request once, whenever its power is cut', async () => {
  const whole = await follow();
  expect(whole).toMatchObject({ boots: 1, faults: [] });
  const cuts = Array.from({ length: whole.calls }, (_, index) => index + 1).flatMap(
    (call): readonly Cut[] => [
      { call, when: 'before', back: 'boot' },
      { call, when: 'within', back: 'boot', isTorn: true },
      { call, when: 'before', back: 'resume' },
    ],
  );
  const step = isEvery ? 1 : Math.max(1, Math.floor(cuts.length / SAMPLE));
  const chosen = cuts.filter((_, index) => index % step === 0);
  const faults: string[] = [];
  for (const cut of chosen) {
    const result = await follow(cut).catch((error: unknown) => ({ faults: [String(error)] }));
    faults.push(...result.faults.map((fault) => `${cut.when} call ${cut.call}, ${cut.back}: ${fault}`));
    if (faults.length > 3) break;
  }
  process.stdout.write(`cut points: ${chosen.length} of ${cuts.length}\n`);
  expect(faults).toEqual([]);
});
