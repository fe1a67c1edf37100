import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aRefusal, Fleet, NEW, OLD } from '../../test/support/a-fleet.ts';
import { aPool } from '../../test/support/build.ts';
import { noChange } from '../../test/support/node-life.ts';
import { annotations, type MachineConfigPool } from '../api/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { fleetChanges } from './fleet-changes.ts';
import { type FleetSnapshot, fleetStatus } from './fleet-status.ts';
import type { NodeSummary } from './node-summary.ts';
import type { PoolSummary } from './pool-summary.ts';
import { statusText } from './status-text.ts';

function poolIn(fleet: Fleet, name = 'worker'): PoolSummary {
  const pool = fleet.status().pools.find((one) => one.name === name);
  if (pool === undefined) throw new Error(`there is no pool ${name}`);
  return pool;
}

function nodeIn(fleet: Fleet, name = 'worker-0'): NodeSummary {
  const node = fleet
    .status()
    .pools.flatMap(({ nodes }) => nodes)
    .find((one) => one.name === name);
  if (node === undefined) throw new Error(`there is no node ${name}`);
  return node;
}

describe('malformed objects', () => {
  const junk = fc.oneof(
    fc.constantFrom(null, undefined, 0, -1, 1e300, true, '', '__proto__', [], {}, [null], [[]], [1, 'a']),
    fc.constantFrom('\x1b[2J', 'a\nready b', '2025-13-45T99:99:99Z', '9'.repeat(300)),
    fc.jsonValue({ maxDepth: 3 }),
    fc.constant(JSON.parse('{"__proto__":{"a":1},"constructor":5}')),
  );
  /** The same objects with one field replaced. */
  const damaged = (object: unknown) =>
    fc.tuple(fc.array(fc.nat(), { maxLength: 6 }), junk).map(([path, by]) => replaced(object, path, by));

  function replaced(value: unknown, path: readonly number[], by: unknown): unknown {
    const [first, ...rest] = path;
    if (first === undefined || value === null || typeof value !== 'object') return by;
    const entries = Object.entries(value);
    const [key] = entries[first % Math.max(1, entries.length)] ?? [];
    const changed = entries.map(([name, inner]) => [name, name === key ? replaced(inner, rest, by) : inner]);
    return Array.isArray(value) ? changed.map(([, inner]) => inner) : Object.fromEntries(changed);
  }

  it('do not make fleetStatus throw', () => {
    const fleet = new Fleet().pool('worker', 2, { configuration: { name: NEW } });
    fleet.send('worker-0');
    fleet.drain('worker-0', { lastRefusal: aRefusal });
    fleet.send('worker-1');
    fleet.report('worker-1', { kind: 'failed', error: 'no' });
    const before = fleet.status();
    const pools = [{ ...aPool('worker', { configuration: { name: NEW } }), status: { conditions: [] } }];
    const lives = ['worker-0', 'worker-1'].map((name) => fleet.life(name));
    const whole = {
      pools,
      nodes: lives.map(({ node }) => node),
      machineConfigNodes: lives.map(({ record }) => record),
    };
    const lists = fc.record({
      pools: damaged(whole.pools).filter(Array.isArray),
      nodes: damaged(whole.nodes).filter(Array.isArray),
      machineConfigNodes: damaged(whole.machineConfigNodes).filter(Array.isArray),
      machineOSConfigs: fc.array(junk),
      machineOSBuilds: fc.array(junk),
      controllerConfigs: fc.array(junk),
    });
    fc.assert(
      fc.property(lists, fc.constantFrom(0, Date.UTC(2025, 4, 22, 13)), (given, nowMs) => {
        // The lists deliberately contain values of other types.
        const after = fleetStatus({ ...given, nowMs } as unknown as FleetSnapshot);
        for (const hasColors of [true, false]) statusText(after, { width: 80, hasColors });
        const lines = [
          ...fleetChanges(undefined, after, 'verbose'),
          ...fleetChanges(before, after, 'verbose'),
        ];
        for (const line of lines) expect(line).not.toMatch(/^ready |\p{Cc}/u);
        JSON.stringify(after);
      }),
      { numRuns: 500 },
    );
  });

  it('without a name are ignored, and the last of two with one name wins', () => {
    const [first, second] = [aPool('worker'), aPool('worker', { paused: true })];
    const nameless = { ...aPool('x'), metadata: {} } as unknown as MachineConfigPool;
    const { pools } = fleetStatus({
      pools: [first, nameless, second],
      nodes: [],
      machineConfigNodes: [],
      nowMs: 0,
    });
    expect(pools.map(({ name, isPaused }) => [name, isPaused])).toEqual([['worker', true]]);
  });
});

describe('the state of a pool', () => {
  const aCondition = (type: string, status: string) => ({
    type,
    status,
    lastTransitionTime: '2025-05-22T11:00:00Z',
  });

  it.each<[string, (fleet: Fleet) => void, Partial<PoolSummary>]>([
    [
      'broken-render, whatever else is true',
      (fleet) => {
        fleet.annotate('worker', { [annotations.renderProblem]: 'no such thing' });
        fleet.change('worker', { paused: true });
        fleet.setPoolStatus('worker', { conditions: [aCondition('RenderDegraded', 'True')] });
      },
      {
        state: 'broken-render',
        isPaused: true,
        since: '2025-05-22T11:00:00Z',
        troubles: [{ kind: 'render', reason: '', message: 'no such thing', since: '2025-05-22T11:00:00Z' }],
      },
    ],
    [
      'degraded, with the messages of its nodes',
      (fleet) => fleet.report('worker-0', { kind: 'failed', error: 'disk full' }),
      {
        state: 'degraded',
        troubles: [
          {
            kind: 'nodes',
            reason: '1 nodes are reporting degraded status on sync',
            message:
              'Node worker-0 is reporting: "Node worker-0 upgrade failure. disk full", Node worker-0 is reporting: "disk full"',
          },
        ],
      },
    ],
    [
      'misconfigured: a limit that is none',
      (fleet) => fleet.change('worker', { maxUnavailable: 'some' }),
      { state: 'misconfigured' },
    ],
    [
      'paused, with what waits',
      (fleet) => fleet.change('worker', { paused: true, configuration: { name: NEW } }),
      {
        state: 'paused',
        target: NEW,
        counts: {
          machines: 2,
          updated: 0,
          ready: 0,
          unavailable: 0,
          degraded: 0,
          moving: 0,
          waiting: 2,
          withoutDaemon: 0,
          overdue: 0,
        },
      },
    ],
    [
      'paused, with nothing that waits',
      (fleet) => fleet.change('worker', { paused: true }),
      { state: 'paused', isUpdated: true },
    ],
    [
      'unrendered',
      (fleet) => fleet.change('worker', { configuration: {} }),
      { state: 'unrendered', target: '' },
    ],
    [
      'updating by its condition',
      (fleet) => {
        fleet.change('worker', { configuration: { name: NEW } });
        fleet.setPoolStatus('worker', { conditions: [aCondition('Updating', 'True')] });
      },
      { state: 'updating', isUpdated: false, since: '2025-05-22T11:00:00Z', maxUnavailable: 1 },
    ],
    [
      'updating, without a transition time',
      (fleet) => {
        fleet.change('worker', { configuration: { name: NEW } });
        fleet.setPoolStatus('worker', { conditions: [aCondition('Updating', 'False')] });
      },
      { state: 'updating' },
    ],
    [
      'unavailable: all have it, one is cordoned',
      (fleet) => fleet.cordon('worker-1'),
      { state: 'unavailable', isUpdated: true },
    ],
    ['updated', () => undefined, { state: 'updated', isUpdated: true, troubles: [] }],
  ])('%s', (_, act, expected) => {
    const fleet = new Fleet().pool('worker', 2);
    act(fleet);
    const pool = poolIn(fleet);
    expect(pool).toMatchObject(expected);
    if (!('since' in expected)) expect(pool).not.toHaveProperty('since');
  });

  it('is updated without nodes, and misconfigured if it selects all nodes', () => {
    const fleet = new Fleet().pool('empty', 0).pool('all', 0, { nodeSelector: {} });
    expect(poolIn(fleet, 'empty')).toMatchObject({ state: 'updated', counts: { machines: 0 } });
    expect(poolIn(fleet, 'all')).toMatchObject({
      state: 'misconfigured',
      troubles: [
        { message: 'This machineconfigpool is selecting all nodes. A non-empty selector is required.' },
      ],
    });
  });

  it('includes what a pool with an image build waits for', () => {
    const osConfig = {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineOSConfig',
      metadata: { name: 'layered' },
      spec: {
        machineConfigPool: { name: 'worker' },
        imageBuilder: { imageBuilderType: 'Job' },
        renderedImagePushSecret: { name: 's' },
        renderedImagePushSpec: 'r/i:t',
      },
    } as const;
    const pool = aPool('worker', { configuration: { name: NEW } });
    const summaryOf = (status: MachineConfigPool['status']) => {
      const pools = [{ ...pool, ...(status === undefined ? {} : { status }) }];
      const others = { nodes: [], machineConfigNodes: [], machineOSConfigs: [osConfig], nowMs: 0 };
      return fleetStatus({ pools, ...others }).pools[0];
    };
    expect(summaryOf(undefined)?.waitsFor).toBe(
      'Pool is waiting for a new OS image build to start (mosc: layered)',
    );
    // Only the controller reads the Lease of the builder: what it has reported is shown.
    const message = 'No builder is running since then';
    const reported = { type: 'BuildPending', status: 'True', reason: 'NoBuilder', message } as const;
    expect(summaryOf({ conditions: [reported] })).toMatchObject({ state: 'updating', waitsFor: message });
  });
});

describe('the summary of a node', () => {
  it('has the phases of an update with their start times', () => {
    const fleet = new Fleet().pool('worker', 1, { configuration: { name: NEW } });
    const seen: unknown[] = [];
    const look = () => {
      const { state, phase, phaseSince } = nodeIn(fleet);
      seen.push([state, phase, phaseSince?.slice(11, 19)]);
      fleet.pass(10);
    };
    look();
    fleet.send('worker-0');
    look();
    fleet.report('worker-0', { kind: 'update-found' });
    look();
    fleet.report(
      'worker-0',
      { kind: 'prepared', needsDrain: true },
      { kind: 'drain-requested', config: NEW },
    );
    look();
    fleet.drain('worker-0', { beganMs: fleet.nowMs });
    look();
    fleet.drained('worker-0');
    look();
    fleet.report('worker-0', { kind: 'applied', change: noChange });
    look();
    fleet.report('worker-0', { kind: 'rebooting' });
    look();
    fleet.report('worker-0', { kind: 'rebooted' });
    look();
    fleet.report('worker-0', { kind: 'completing', config: NEW });
    look();
    fleet.life('worker-0').completeDrainRequest();
    fleet.report('worker-0', { kind: 'drain-progressed' });
    look();
    fleet.report('worker-0', { kind: 'done', config: NEW }, { kind: 'up-to-date' });
    look();
    expect(seen).toEqual([
      ['waiting', undefined, undefined],
      ['moving', 'starting', undefined],
      ['moving', 'preparing', '12:00:20'],
      ['moving', 'cordoning', '12:00:30'],
      ['moving', 'draining', '12:00:40'],
      ['moving', 'applying-files-and-os', '12:00:50'],
      ['moving', 'post-action', '12:01:00'],
      ['moving', 'rebooting', '12:01:10'],
      ['moving', 'resuming', '12:01:20'],
      ['moving', 'uncordoning', '12:01:30'],
      ['moving', 'finishing', '12:01:40'],
      ['updated', undefined, undefined],
    ]);
  });

  it.each<[string, readonly string[], string]>([
    ['pulls', ['ImagePulledFromRegistry=Unknown', 'UpdateExecuted=Unknown'], 'pulling-image'],
    ['writes files', ['AppliedFiles=Unknown', 'AppliedOSImage=False'], 'applying-files'],
    ['changes its OS', ['AppliedFiles=True', 'AppliedOSImage=Unknown'], 'applying-os'],
    ['does both', ['AppliedFiles=Unknown', 'AppliedOSImage=Unknown'], 'applying-files-and-os'],
    ['acts', ['UpdatePostActionComplete=Unknown'], 'post-action'],
    ['has acted', ['UpdatePostActionComplete=True'], 'resuming'],
    ['needs no drain', ['Drained=False', 'UpdateExecuted=Unknown', 'UpdatePrepared=True'], 'preparing'],
    ['no conditions', [], 'working'],
  ])('has the phase from conditions of its MachineConfigNode: %s', (_, given, phase) => {
    const fleet = new Fleet().pool('worker', 1, { configuration: { name: NEW } });
    const life = fleet.send('worker-0');
    const conditions = given.map((text) => {
      const [type = '', status = ''] = text.split('=');
      return { type, status, reason: 'R', message: '', lastTransitionTime: '' };
    });
    life.record = { ...life.record, status: { conditions } } as typeof life.record;
    expect(nodeIn(fleet)).toMatchObject({ state: 'moving', phase });
  });

  it.each<[string, { readonly [key: string]: string }, string]>([
    ['drains', { [annotations.desiredDrain]: `drain-${NEW}` }, 'cordoning'],
    ['reboots', { [annotations.postConfigAction]: 'Rebooting' }, 'rebooting'],
    ['is put back', { [annotations.desiredDrain]: `uncordon-${NEW}` }, 'uncordoning'],
    ['works', {}, 'working'],
  ])('has the phase from annotations without a MachineConfigNode: %s', (_, given, phase) => {
    const fleet = new Fleet().pool('worker', 1);
    const life = fleet.send('worker-0');
    life.annotate({ ...given, [annotations.state]: 'Working' });
    const { pools } = fleetStatus({
      pools: [aPool('worker', { configuration: { name: NEW } })],
      nodes: [life.node],
      machineConfigNodes: [],
      nowMs: 0,
    });
    expect(pools[0]?.nodes[0]).toMatchObject({ state: 'moving', phase });
  });

  it('is joining until its daemon reports', () => {
    const fleet = new Fleet().pool('worker', 0);
    const life = fleet.node('new', 'worker');
    life.node = { ...life.node, metadata: { ...life.node.metadata, annotations: {} } };
    expect(nodeIn(fleet, 'new')).toMatchObject({ state: 'moving', phase: 'joining', current: '' });
  });

  it('has no daemon where none has reported ten minutes after it was created', () => {
    const fleet = new Fleet().pool('worker', 1);
    fleet.withoutDaemon('alien', 'worker');
    expect(nodeIn(fleet, 'alien')).toEqual({
      name: 'alien',
      state: 'without-daemon',
      current: '',
      desired: '',
    });
    const [pool] = fleet.status().pools;
    expect(pool).toMatchObject({
      state: 'updated',
      counts: { machines: 2, unavailable: 0, withoutDaemon: 1 },
    });
  });

  it('names what blocks its drain', () => {
    const fleet = new Fleet().pool('worker', 2, { configuration: { name: NEW } });
    fleet.send('worker-0');
    fleet.drain('worker-0', { lastRefusal: aRefusal, attempts: 3, retryAtMs: fleet.nowMs + 5000 });
    expect(nodeIn(fleet).blockage).toEqual({
      pod: { namespace: 'shop', name: 'web-0' },
      budget: 'web',
      message: aRefusal.message,
      attempts: 3,
      retryAt: '2025-05-22T12:00:05Z',
    });
    fleet.send('worker-1');
    fleet.drain('worker-1', { lastError: 'too slow' });
    expect(nodeIn(fleet, 'worker-1').blockage).toEqual({ message: 'too slow', attempts: 1 });
    fleet.drained('worker-0');
    expect(nodeIn(fleet)).not.toHaveProperty('blockage');
  });

  it.each<[string, (fleet: Fleet) => void, Partial<NodeSummary>]>([
    [
      'that fails on its way',
      (fleet) => {
        fleet.send('worker-0');
        fleet.report('worker-0', { kind: 'failed', error: 'disk full' });
      },
      {
        state: 'degraded',
        phase: 'preparing',
        failure: { kind: 'degraded', message: 'disk full', since: '2025-05-22T12:00:00Z' },
      },
    ],
    [
      'that cannot follow',
      (fleet) => {
        fleet.send('worker-0');
        fleet.report('worker-0', { kind: 'unreconcilable', from: OLD, to: NEW, error: 'no way' });
      },
      {
        state: 'degraded',
        failure: { kind: 'unreconcilable', message: 'no way', since: '2025-05-22T12:00:00Z' },
      },
    ],
    [
      'that drifted is in no phase',
      (fleet) => fleet.report('worker-0', { kind: 'failed', error: 'content mismatch' }),
      {
        state: 'degraded',
        failure: { kind: 'degraded', message: 'content mismatch', since: '2025-05-22T12:00:00Z' },
      },
    ],
    [
      'that gives no reason',
      (fleet) => fleet.life('worker-0').annotate({ [annotations.state]: 'Degraded' }),
      { state: 'degraded', failure: { kind: 'degraded', message: 'no reason reported by its daemon' } },
    ],
    [
      'that is not Ready',
      (fleet) => fleet.kubelet('worker-0', { isReady: false }),
      { notReady: { message: 'Kubelet stopped posting node status.', since: '2025-05-22T12:00:00Z' } },
    ],
    ['that an administrator cordoned', (fleet) => fleet.cordon('worker-0'), { cordonedBy: 'other' }],
    [
      'that we cordoned',
      (fleet) => {
        fleet.send('worker-0');
        fleet.drain('worker-0');
      },
      { cordonedBy: 'millwright', movingSince: '2025-05-22T12:00:00Z' },
    ],
  ])('%s', (_, act, expected) => {
    const fleet = new Fleet().pool('worker', 2);
    act(fleet);
    const node = nodeIn(fleet);
    expect(node).toMatchObject(expected);
    if (expected.phase === undefined && node.state === 'degraded' && node.current === node.desired)
      expect(node).not.toHaveProperty('phase');
  });

  it('is not ready under disk pressure although its kubelet runs', () => {
    const fleet = new Fleet().pool('worker', 1);
    const life = fleet.life('worker-0');
    const conditions = [{ type: 'DiskPressure', status: 'True' }];
    life.node = { ...life.node, status: { conditions } } as Node;
    expect(nodeIn(fleet).notReady).toEqual({ message: 'OutOfDisk=True' });
  });
});

describe('nodes in no pool', () => {
  it('are listed with the reason, if any', () => {
    const fleet = new Fleet().pool('a', 0).pool('b', 0);
    fleet.node('torn', 'a', 'b');
    fleet.node('lost', 'none');
    const glass = fleet.node('glass');
    glass.node = {
      ...glass.node,
      metadata: { ...glass.node.metadata, labels: { 'kubernetes.io/os': 'windows' } },
    };
    const alien = fleet.node('alien');
    alien.node = { ...alien.node, metadata: { ...alien.node.metadata, annotations: {} } };
    expect(fleet.status().strays).toEqual([
      { name: 'alien', kind: 'unselected' },
      { name: 'glass', kind: 'windows' },
      {
        name: 'lost',
        kind: 'unselected',
        message: 'all nodes must be in a pool if managed by the MCO. Node lost is not in a pool',
      },
      { name: 'torn', kind: 'conflict', message: expect.stringContaining('belongs to 2 custom roles') },
    ]);
  });
});

it('two statuses of the same fleet differ in the time alone', () => {
  const fleet = new Fleet().pool('worker', 2, { configuration: { name: NEW } });
  fleet.send('worker-0');
  fleet.drain('worker-0', { lastRefusal: aRefusal });
  const first = fleet.status();
  expect(fleet.pass(60).status()).toEqual({ ...first, now: '2025-05-22T12:01:00Z' });
});
