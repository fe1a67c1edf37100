/**
 * Rollouts over HTTP: real sockets, real time, and every process with its own identity. Invariants are checked in every
 * stored state.
 */
import { describe, expect, it } from 'vitest';
import { annotations, machineConfig, machineConfigPool, taints } from '../../src/api/index.ts';
import {
  deployment as deploymentKind,
  node as nodeKind,
  podDisruptionBudget as podDisruptionBudgetKind,
} from '../../src/kubernetes/types/index.ts';
import { aMachineConfig } from './build-world.ts';
import { startEmbeddedControllers } from './embedded-controllers.ts';
import { runOverHttp, STORY_LIMIT_MS } from './http-story.ts';
import type { HttpWorld } from './http-world.ts';
import { renderedCount } from './kill-points.ts';
import { runPod, startReaper } from './pod-reaper.ts';
import {
  BUDGET,
  condition,
  cordonAsAdmin,
  cordoned,
  drainOf,
  eventsAbout,
  firstConfig,
  GUARDED,
  HOUR,
  isDone,
  NAMESPACE,
  newTarget,
  patchPool,
  setBudget,
  target,
  untilBlocked,
  untilHalfway,
} from './story-steps.ts';

const SMALL = { masters: 1, workers: 2 };

describe.concurrent('over HTTP', { timeout: STORY_LIMIT_MS }, () => {
  it('three and three nodes are updated to several applied configs at once, one of each pool at a time', () =>
    runOverHttp({}, async ({ world, judge }) => {
      await world.startControllers();
      await world.startDaemons();
      await firstConfig(world);
      expect([await renderedCount(world), judge.drains.size]).toEqual([2, 0]);
      const roles = ['worker', 'master'];
      const before = await Promise.all(roles.map((role) => target(world, role)));
      await Promise.all(
        roles.flatMap((role) =>
          ['a', 'b', 'c'].map((text) => world.apply(aMachineConfig(`50-${role}-${text}`, role, text))),
        ),
      );
      for (const [index, role] of roles.entries())
        await world.until(`${role} moves`, async () => (await target(world, role)) !== before[index], HOUR);
      await world.untilUpdated(roles, HOUR);
      expect(await renderedCount(world)).toBe(4);
      expect(await cordoned(world)).toEqual([]);
      expect(Object.fromEntries(judge.mostDown)).toEqual({ worker: 1, master: 1 });
      const nodes = (await world.nodes()).map(({ metadata }) => metadata);
      for (const { name, annotations: values } of nodes) {
        expect([name, judge.drains.get(name), judge.cordons.get(name)]).toEqual([name, 1, 1]);
        expect(values?.[annotations.currentConfig]).toBe(await target(world, name.replace(/-\d+$/, '')));
      }
      const config = await target(world, 'worker');
      expect(await condition(world, 'worker', 'Updated')).toEqual([
        'True',
        `All nodes are updated with MachineConfig ${config}`,
      ]);
      const isReported = async () =>
        (await eventsAbout(world, 'MachineConfigPool', 'worker')).some(
          ({ reason, message }) =>
            reason === 'Completed' &&
            message === `Pool worker has completed update to MachineConfig ${config}`,
        );
      await world.until('the event Completed is written', isReported, HOUR);
    }));

  it('a paused pool is rendered, and its nodes are updated only after it is resumed', () =>
    runOverHttp(SMALL, async ({ world, judge }) => {
      await world.startControllers();
      await world.startDaemons();
      await firstConfig(world);
      await patchPool(world, 'worker', { paused: true });
      const before = await target(world, 'worker');
      await world.apply(aMachineConfig('50-worker-motd', 'worker', 'hello'));
      await newTarget(world, 'master', 'hello');
      const isReported = async () => {
        const config = await target(world, 'worker');
        const [status, message] = await condition(world, 'worker', 'Updating');
        const text = `Pool is paused; will not update to MachineConfig ${config}`;
        return config !== before && status === 'False' && message === text;
      };
      await world.until('the condition shows that the pool is paused', isReported, HOUR);
      await world.untilUpdated(['master'], HOUR);
      const config = await target(world, 'worker');
      expect(await world.kube.get(machineConfig, { name: config })).toBeDefined();
      expect([...judge.cordons]).toEqual([['master-0', 1]]);
      for (const name of ['worker-0', 'worker-1']) {
        const { spec, metadata } = await world.node(name);
        expect(metadata.annotations?.[annotations.desiredConfig]).toBe(before);
        expect(spec.taints ?? []).not.toContainEqual(taints.updateInProgress);
      }
      await patchPool(world, 'worker', { paused: false });
      await world.untilUpdated(['worker'], HOUR);
      expect([await isDone(world, 'worker-0', config), await isDone(world, 'worker-1', config)]).toEqual([
        true,
        true,
      ]);
      expect(await cordoned(world)).toEqual([]);
    }));

  it.each([
    [1, 1],
    [3, 3],
    ['34%', 2],
  ])('with maxUnavailable %s of six nodes exactly that many are unavailable at once', (given, limit) =>
    runOverHttp({ masters: 1, workers: 6 }, async ({ world, judge }) => {
      judge.allow('worker', limit);
      await world.startControllers();
      // Nodes stay down until the limit is reached: with fewer the rollout would never complete.
      await world.startDaemons({ isHeld: () => (judge.mostDown.get('worker') ?? 0) < limit });
      await firstConfig(world);
      await patchPool(world, 'worker', { maxUnavailable: given });
      await newTarget(world, 'worker', 'hello');
      await world.untilUpdated(['worker'], HOUR);
      expect(judge.mostDown.get('worker')).toBe(limit);
      expect(await cordoned(world)).toEqual([]);
      expect([...judge.drains.values()]).toEqual([1, 1, 1, 1, 1, 1]);
    }),
  );

  it('a blocking budget is reported with its pod, and when it is relaxed the rollout completes', () =>
    runOverHttp({ masters: 1, workers: 3 }, async ({ world, judge }) => {
      const machine = await startEmbeddedControllers(world, 20);
      await world.startControllers();
      await world.startDaemons({ machine });
      await firstConfig(world);
      await deployGuarded(world, 3);
      const firstReports = new Map<string, string>();
      world.store.subscribe({ prefix: '/nodes/', from: world.store.revision() }, (event) => {
        const node = event.kind === 'put' ? JSON.parse(new TextDecoder().decode(event.value)) : {};
        const text = node.metadata?.annotations?.[annotations.drain] ?? '';
        if (text.includes('lastRefusal') && !firstReports.has(node.metadata.name))
          firstReports.set(node.metadata.name, text);
      });
      const config = await newTarget(world, 'worker', 'hello');
      await world.until('a drain is blocked', async () => firstReports.size > 0, HOUR);
      const [[name, text] = ['', '']] = [...firstReports];
      // The first attempt reports it, without a timeout.
      const record = JSON.parse(text);
      expect(record).toMatchObject({ attempts: 1, lastRefusal: { namespace: NAMESPACE, budget: BUDGET } });
      expect(record.lastError).toBeUndefined();
      const { pod, message } = record.lastRefusal;
      expect(message).toContain('The disruption budget web needs 3 healthy pods and has 3 currently');
      const isReported = async () =>
        (await eventsAbout(world, 'Node', name)).some(
          (one) =>
            one.reason === 'DrainBlocked' &&
            one.type === 'Warning' &&
            one.message ===
              `node ${name}: the drain is blocked: error when evicting pods/"${pod}" -n "default": disruption budget web: ${message}`,
        );
      await world.until('the event is written', isReported, HOUR);
      expect(await cordoned(world)).toEqual([name]);
      expect(judge.drains.size).toBe(0);
      const place = { name: BUDGET, namespace: NAMESPACE };
      const body = { spec: { minAvailable: 2 } };
      await world.kube.patch(podDisruptionBudgetKind, place, { type: 'merge', body });
      await world.untilUpdated(['worker'], HOUR);
      for (const node of ['worker-0', 'worker-1', 'worker-2']) {
        expect([await isDone(world, node, config), judge.drains.get(node)]).toEqual([true, 1]);
        expect(drainOf(await world.node(node))).toBeUndefined();
      }
      expect(await cordoned(world)).toEqual([]);
      await world.until('all pods run', () => isAvailable(world, 3), HOUR);
    }));

  /** Pods on all workers, and a budget that allows no disruption. */
  const deployGuarded = async (world: HttpWorld, replicas: number): Promise<void> => {
    const metadata = { name: BUDGET, namespace: NAMESPACE };
    await world.kube.create(deploymentKind, {
      ...{ apiVersion: 'apps/v1', kind: deploymentKind.kind, metadata },
      spec: {
        replicas,
        selector: { matchLabels: GUARDED.labels },
        template: {
          metadata: GUARDED,
          spec: {
            nodeSelector: { 'node-role.kubernetes.io/worker': '' },
            containers: [{ name: 'app', image: 'registry.example/app:1' }],
          },
        },
      },
    });
    await world.kube.create(podDisruptionBudgetKind, {
      ...{ apiVersion: 'policy/v1', kind: podDisruptionBudgetKind.kind, metadata },
      spec: { minAvailable: replicas, selector: { matchLabels: GUARDED.labels } },
    });
    await world.until('the pods run', () => isAvailable(world, replicas), HOUR);
    const isKept = async () =>
      (await world.kube.get(podDisruptionBudgetKind, metadata))?.status?.currentHealthy === replicas;
    await world.until('the budget has counted them', isKept, HOUR);
  };
  const isAvailable = async (world: HttpWorld, replicas: number): Promise<boolean> => {
    const place = { name: BUDGET, namespace: NAMESPACE };
    return (await world.kube.get(deploymentKind, place))?.status?.availableReplicas === replicas;
  };

  it('a cordon from before the drain stays, and its node still counts as unavailable', () =>
    runOverHttp(SMALL, async ({ world, judge }) => {
      await world.startControllers();
      startReaper(world, { endsAfterMs: () => 50 });
      const daemons = await world.startDaemons();
      await firstConfig(world);
      await daemons.stop();
      const config = await newTarget(world, 'worker', 'hello');
      const isSent = async () =>
        (await world.node('worker-0')).metadata.annotations?.[annotations.desiredConfig] === config;
      await world.until('it is sent', isSent, HOUR);
      await cordonAsAdmin(world, 'worker-0', true);
      await runPod(world, 'web-0', 'worker-0');
      await world.startDaemons();
      await world.until('it is done', () => isDone(world, 'worker-0', config), HOUR);
      const isCounted = async () => {
        const { status } = await world.pool('worker');
        return status?.updatedMachineCount === 1 && status.unavailableMachineCount === 1;
      };
      await world.until('the pool has counted it', isCounted, HOUR);
      expect(await cordoned(world)).toEqual(['worker-0']);
      // Another pool is rolled out completely, and no other node of this one is updated.
      await newTarget(world, 'master', 'hello');
      await world.untilUpdated(['master'], HOUR);
      expect([...judge.drains.keys()]).toEqual(['worker-0', 'master-0']);
      expect(await cordoned(world)).toEqual(['worker-0']);
      await cordonAsAdmin(world, 'worker-0', false);
      await world.untilUpdated(['worker'], HOUR);
      expect(await cordoned(world)).toEqual([]);
      expect([judge.drains.get('worker-0'), judge.drains.get('worker-1')]).toEqual([1, 1]);
    }));

  it.each<
    [string, (world: HttpWorld, stopped: (act: () => Promise<void>) => Promise<void>) => Promise<void>]
  >([
    [
      'applies',
      async (world) => {
        const metadata = { name: 'worker-0' };
        const cordon = { apiVersion: 'v1', kind: 'Node', metadata, spec: { unschedulable: true } };
        await world.kube.apply(nodeKind, cordon, { fieldManager: 'gitops' });
      },
    ],
    [
      'renews',
      // A running controller would react before the second write.
      (world, stopped) =>
        stopped(async () => {
          await cordonAsAdmin(world, 'worker-0', false);
          await cordonAsAdmin(world, 'worker-0', true);
        }),
    ],
  ])('a cordon that another client %s during the drain stays', (_, act) =>
    runOverHttp(SMALL, async ({ world, judge }) => {
      let controllers = await world.startControllers();
      startReaper(world, { endsAfterMs: () => 50 });
      await world.startDaemons();
      await firstConfig(world);
      await runPod(world, 'web-0', 'worker-0', GUARDED);
      await setBudget(world, 0);
      const config = await newTarget(world, 'worker', 'hello');
      await untilBlocked(world, 'worker-0');
      await act(world, async (whileStopped) => {
        await controllers.stop();
        await whileStopped();
        controllers = await world.startControllers();
      });
      await setBudget(world, 1);
      await world.until('it is done', () => isDone(world, 'worker-0', config), HOUR);
      expect(await cordoned(world)).toEqual(['worker-0']);
      await cordonAsAdmin(world, 'worker-0', false);
      await world.untilUpdated(['worker'], HOUR);
      expect(await cordoned(world)).toEqual([]);
      expect([judge.drains.get('worker-0'), judge.drains.get('worker-1')]).toEqual([1, 1]);
    }),
  );

  it('a node that fails stops its pool, which reports the error, until the node recovers', () =>
    runOverHttp({ masters: 1, workers: 3 }, async ({ world, judge }) => {
      await world.startControllers();
      const broken = new Set(['worker-0']);
      await world.startDaemons({
        failureOnApply: (node) => (broken.has(node) ? 'cannot write /etc/x' : undefined),
      });
      await firstConfig(world);
      const config = await newTarget(world, 'worker', 'hello');
      const isDegraded = async () => (await condition(world, 'worker', 'Degraded'))[0] === 'True';
      await world.until('the pool is degraded', isDegraded, HOUR);
      const text =
        'Node worker-0 is reporting: "Node worker-0 upgrade failure. cannot write /etc/x", Node worker-0 is reporting: "cannot write /etc/x"';
      const isReported = async () => (await condition(world, 'worker', 'NodeDegraded'))[1] === text;
      await world.until('the pool reports the error', isReported, HOUR);
      expect((await world.pool('worker')).status?.degradedMachineCount).toBe(1);
      expect([...judge.drains]).toEqual([['worker-0', 1]]);
      broken.clear();
      await world.untilUpdated(['worker'], HOUR);
      expect(await condition(world, 'worker', 'Degraded')).toEqual(['False', '']);
      expect(await isDone(world, 'worker-0', config)).toBe(true);
      expect([...judge.drains.values()]).toEqual([1, 1, 1]);
      expect(await cordoned(world)).toEqual([]);
    }));

  it('nodes that have not begun go to a newer target', () =>
    runOverHttp({ masters: 1, workers: 4 }, async ({ world, judge }) => {
      await world.startControllers();
      let isHalfway = false;
      await world.startDaemons({ isHeld: (node) => node === 'worker-1' && !isHalfway });
      await firstConfig(world);
      const sentTo = new Map<string, Set<string>>();
      world.store.subscribe({ prefix: '/nodes/', from: world.store.revision() }, (event) => {
        if (event.kind !== 'put') return;
        const { metadata } = JSON.parse(new TextDecoder().decode(event.value));
        const configs = sentTo.get(metadata.name) ?? new Set();
        sentTo.set(metadata.name, configs.add(metadata.annotations?.[annotations.desiredConfig]));
      });
      const first = await target(world, 'worker');
      const older = await newTarget(world, 'worker', 'one');
      await untilHalfway(world, older);
      const newer = await newTarget(world, 'worker', 'two');
      isHalfway = true;
      await world.untilUpdated(['worker'], HOUR);
      const { status } = (await world.kube.get(machineConfigPool, { name: 'worker' })) ?? {};
      expect(status?.configuration?.name).toBe(newer);
      expect(judge.drains.get('worker-0')).toBe(2);
      for (const node of ['worker-2', 'worker-3']) {
        expect([...(sentTo.get(node) ?? [])]).toEqual([first, newer]);
        expect(judge.drains.get(node)).toBe(1);
      }
      expect(await cordoned(world)).toEqual([]);
    }));
});
