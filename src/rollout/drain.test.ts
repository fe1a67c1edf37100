import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { annotations } from '../api/index.ts';
import type { Node, Pod } from '../kubernetes/types/index.ts';
import { type DrainStep, drainStep, type Refused } from './drain.ts';
import { DEFAULT_DRAIN_SETTINGS, dividedBy } from './drain-settings.ts';
import { drainProgress, drainState } from './drain-state.ts';
import { evictionReport } from './eviction/eviction-report.ts';
import { nodePatch } from './node-change.ts';

const MINUTE = 60_000;
const US = 'drain-controller';

type TestPod = { readonly name: string; readonly graceMs: number; guarded: boolean; endsAt?: number };

/** A node, its pods and a clock. The field manager of the cordon is recorded as the server does. */
class World {
  now = Date.UTC(2025, 0, 1);
  pods: TestPod[] = [];
  nodeCount = 3;
  version = 0;
  /** Whether the server keeps managedFields. */
  books: 'kept' | 'none' = 'kept';
  /** The field manager of the cordon. */
  holder: string | undefined;
  given: { [key: string]: string } = {};
  readonly events: string[] = [];
  readonly steps: string[] = [];
  readonly refusals = new Map<string, Refused>();
  /** Whether the pods are known. */
  knowsPods: boolean = true;
  /** The version of the node when its pods were listed, if a list is followed by a watch. */
  listedAtVersion: string | undefined;

  get node(): Node {
    return {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name: 'n',
        resourceVersion: String(this.version),
        annotations: { ...this.given },
        managedFields:
          this.cordoned && this.books === 'kept'
            ? [{ manager: this.holder, fieldsV1: { 'f:spec': { 'f:unschedulable': {} } } }]
            : [],
      },
      spec: this.cordoned ? { unschedulable: true } : {},
    };
  }

  get cordoned(): boolean {
    return this.holder !== undefined;
  }

  ask(request: string): void {
    this.given[annotations.desiredDrain] = request;
  }

  get answer(): string | undefined {
    return this.given[annotations.lastAppliedDrain];
  }

  /** Setting what is set already changes nothing, and is not noted. */
  cordon(isCordoned: boolean, who: string): void {
    if (this.cordoned === isCordoned) return;
    this.holder = isCordoned ? who : undefined;
    this.version++;
  }

  write(patch: object): void {
    const { metadata, spec } = patch as {
      metadata: { annotations: { [key: string]: string | null }; resourceVersion: string };
      spec?: { unschedulable: true | null };
    };
    expect(metadata.resourceVersion).toBe(String(this.version));
    for (const [key, value] of Object.entries(metadata.annotations)) {
      if (value === null) delete this.given[key];
      else this.given[key] = value;
    }
    if (spec !== undefined) this.cordon(spec.unschedulable === true, US);
    this.version++;
  }

  step(): DrainStep {
    const { settings } = this;
    return drainStep({
      node: this.node,
      pods: this.knowsPods ? this.pods.map((pod) => this.seen(pod)) : undefined,
      ...(this.listedAtVersion === undefined ? {} : { listedAtVersion: this.listedAtVersion }),
      daemonSetExists: () => true,
      nodeCount: this.nodeCount,
      nowMs: this.now,
      settings,
      fieldManager: US,
      refusals: this.refusals,
    });
  }

  settings = DEFAULT_DRAIN_SETTINGS;

  seen({ name, endsAt }: TestPod): Pod {
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name,
        namespace: 'shop',
        uid: name,
        ...(endsAt === undefined ? {} : { deletionTimestamp: '2025-01-01T00:00:00Z' }),
      },
      spec: { containers: [] },
    };
  }

  /** Runs steps until the drain waits, and returns for how long. */
  settle(): number | undefined {
    for (let round = 0; round < 20; round++) {
      const step = this.step();
      this.steps.push(step.kind);
      switch (step.kind) {
        case 'idle':
        case 'refuse':
          return undefined;
        case 'wait':
          return step.delayMs;
        case 'list':
          this.knowsPods = true;
          this.listedAtVersion = String(this.version);
          break;
        case 'evict':
          this.evict(step.pods.map(({ name }) => name));
          break;
        default:
          this.write(nodePatch(this.node, step.change));
          this.events.push(...step.events.map(({ reason, message }) => `${reason}: ${message}`));
      }
    }
    throw new Error(`no end: ${this.steps.slice(-20).join(' ')}`);
  }

  evict(names: readonly string[]): void {
    const refused = this.pods.filter(({ name, guarded }) => names.includes(name) && guarded);
    for (const pod of this.pods) {
      if (names.includes(pod.name) && !pod.guarded) pod.endsAt = this.now + pod.graceMs;
    }
    for (const { name } of refused) this.refusals.set(name, { atMs: this.now, isRelaxed: false });
    const report = evictionReport(this.node, {
      refusals: refused.map(({ name }) => ({
        namespace: 'shop',
        pod: name,
        budget: 'web',
        message: 'not now',
      })),
      nowMs: this.now,
      settings: this.settings,
    });
    if (report === undefined) return;
    this.write(nodePatch(this.node, report.change));
    this.events.push(...report.events.map(({ reason, message }) => `${reason}: ${message}`));
  }

  /** The budget of a pod has changed, so that its eviction is retried. */
  relax(name: string): void {
    this.refusals.set(name, { atMs: this.refusals.get(name)?.atMs ?? 0, isRelaxed: true });
  }

  pass(ms: number): void {
    this.now += ms;
    this.pods = this.pods.filter(({ endsAt }) => endsAt === undefined || endsAt > this.now);
  }

  /** Advances time by the requested waits, until no wait is requested or the limit is reached. */
  run(forMs: number): void {
    const end = this.now + forMs;
    for (let delayMs = this.settle(); delayMs !== undefined && this.now < end; delayMs = this.settle()) {
      const podEnds = this.pods.flatMap(({ endsAt }) => (endsAt === undefined ? [] : [endsAt - this.now]));
      this.pass(Math.max(1, Math.min(delayMs, end - this.now, ...podEnds)));
    }
  }
}

function aWorld(pods: readonly (Partial<TestPod> & { readonly name: string })[] = []): World {
  const world = new World();
  world.pods = pods.map((pod) => ({ graceMs: 30_000, guarded: false, ...pod }));
  return world;
}

describe('an unknown drain request', () => {
  it.each([
    ['dance-v1', 'node n: non-recognized drain verb detected dance'],
    ['drain', 'node n: non-recognized drain verb detected drain'],
    ['drain-', 'node n: non-recognized drain verb detected drain'],
  ])('is rejected: %j', (asked, message) => {
    const world = aWorld();
    world.ask(asked);
    expect(world.step()).toEqual({ kind: 'refuse', message });
  });
});

describe('a cordon by someone else', () => {
  it('stays after the drain if it was there before', () => {
    const world = aWorld([{ name: 'web-0' }]);
    world.cordon(true, 'kubectl-cordon');
    world.ask('drain-v1');
    world.run(10 * MINUTE);
    expect([world.answer, world.steps[0]]).toEqual(['drain-v1', 'begin']);
    world.ask('uncordon-v1');
    world.settle();
    expect([world.answer, world.cordoned]).toEqual(['uncordon-v1', true]);
    expect(drainState(world.node).record).toBeUndefined();
  });

  it('is not required: a node that is uncordoned during the drain is cordoned again, and the drain is not completed', () => {
    const world = aWorld([{ name: 'web-0', guarded: true }]);
    world.ask('drain-v1');
    world.settle();
    const began = drainState(world.node).record?.beganMs;
    world.cordon(false, 'kubectl');
    world.pods = [];
    world.pass(1000);
    expect(world.step()).toMatchObject({ kind: 'cordon', change: { unschedulable: true } });
    expect(world.answer).toBeUndefined();
    world.settle();
    expect([world.answer, world.cordoned]).toEqual(['drain-v1', true]);
    // The drain keeps its start time.
    expect(drainState(world.node).record?.beganMs).toBe(began);
  });

  it('stays if it was renewed during the drain', () => {
    const world = aWorld([{ name: 'web-0', guarded: true }]);
    world.ask('drain-v1');
    world.settle();
    world.cordon(false, 'kubectl');
    world.cordon(true, 'kubectl-cordon');
    world.pods = [];
    world.settle();
    expect(world.answer).toBe('drain-v1');
    world.ask('uncordon-v1');
    world.settle();
    expect(world.cordoned).toBe(true);
  });

  it('stays if the drained node was uncordoned and cordoned again, also without managedFields', () => {
    const world = aWorld();
    world.books = 'none';
    world.ask('drain-v1');
    world.settle();
    world.cordon(false, 'kubectl');
    world.settle();
    expect([world.steps.at(-2), world.cordoned]).toEqual(['release', false]);
    world.cordon(true, 'kubectl-cordon');
    world.ask('uncordon-v1');
    world.settle();
    expect(world.cordoned).toBe(true);
  });

  it('becomes ours once the node was uncordoned by its owner during the drain', () => {
    const world = aWorld([{ name: 'web-0', guarded: true }]);
    world.cordon(true, 'kubectl-cordon');
    world.ask('drain-v1');
    world.settle();
    world.cordon(false, 'kubectl');
    world.pods = [];
    world.settle();
    world.ask('uncordon-v1');
    world.settle();
    expect(world.cordoned).toBe(false);
  });
});

describe('a pod whose eviction is refused', () => {
  it('is recorded at once with its budget, and warned about once', () => {
    const world = aWorld([
      { name: 'web-1', guarded: true },
      { name: 'web-0', guarded: true },
    ]);
    world.ask('drain-v1');
    world.run(MINUTE);
    expect(drainState(world.node).record?.lastRefusal).toEqual({
      namespace: 'shop',
      pod: 'web-0',
      budget: 'web',
      message: 'not now',
    });
    expect(world.events).toEqual([
      'DrainBlocked: node n: the drain is blocked: error when evicting pods/"web-0" -n "shop": disruption budget web: not now',
    ]);
  });

  it('is reported until it has gone, then the next one is', () => {
    const world = aWorld([
      { name: 'web-0', guarded: true },
      { name: 'web-1', guarded: true },
    ]);
    world.ask('drain-v1');
    world.settle();
    world.pods = world.pods.filter(({ name }) => name === 'web-1');
    world.pass(5000);
    world.settle();
    expect(world.steps.filter((kind) => kind === 'progress')).toHaveLength(1);
    expect(drainState(world.node).record?.lastRefusal?.pod).toBe('web-1');
    for (const pod of world.pods) pod.guarded = false;
    world.pass(5000);
    world.settle();
    expect(drainState(world.node).record?.lastRefusal).toBeUndefined();
    // Neither lasted long enough for a warning.
    expect(world.events).toEqual([]);
  });

  it('is evicted again every five seconds, however often the node is reconciled', () => {
    const world = aWorld([{ name: 'web-0', guarded: true }]);
    world.ask('drain-v1');
    for (let second = 0; second < 20; second++) {
      world.settle();
      world.pass(1000);
    }
    expect(world.steps.filter((kind) => kind === 'evict')).toHaveLength(4);
  });

  it('is retried for 90 seconds, then after a minute, and after ten minutes every five', () => {
    const world = aWorld([{ name: 'web-0', guarded: true }]);
    world.ask('drain-v1');
    const began = world.now;
    const attempts: number[] = [];
    let known = 0;
    for (
      let delayMs = world.settle();
      world.now - began < 30 * MINUTE && delayMs !== undefined;
      delayMs = world.settle()
    ) {
      const { attempts: count = 0, attemptBeganMs = 0 } = drainState(world.node).record ?? {};
      if (count > known) attempts.push((attemptBeganMs - began) / 1000);
      known = count;
      world.pass(delayMs);
    }
    // An attempt and its delay take 150 seconds; the one of 12.5 minutes is the first that began after ten.
    expect(attempts).toEqual([0, 150, 300, 450, 600, 750, 1140, 1530]);
  });

  it('leads to events after ten minutes and after an hour, and never to giving up', () => {
    const world = aWorld([
      { name: 'web-0', guarded: true },
      { name: 'slow', graceMs: 200 * MINUTE },
    ]);
    world.ask('drain-v1');
    world.run(14 * MINUTE);
    const error =
      '[error when evicting pods/"web-0" -n "shop": global timeout reached: 1m30s (disruption budget web: not now), ' +
      'error when waiting for pod "slow" in namespace "shop" to terminate: global timeout reached: 1m30s]';
    expect(world.events.slice(1)).toEqual([
      `DrainThresholdExceeded: Drain failed. Drain has been failing for more than 10 minutes. Waiting 5 minutes then retrying. Error message from drain: ${error}`,
    ]);
    expect(drainState(world.node).record?.lastError).toBe(error);
    world.run(60 * MINUTE);
    expect(world.events).toContain(
      'DrainFailed: node n: drain exceeded timeout: 1h0m0s. Will continue to retry.',
    );
    expect(world.answer).toBeUndefined();
    for (const pod of world.pods) pod.guarded = false;
    world.run(200 * MINUTE);
    expect(world.answer).toBe('drain-v1');
  });

  it('quotes the timeouts in force in its messages', () => {
    const world = aWorld([{ name: 'web-0', guarded: true }]);
    world.settings = dividedBy(DEFAULT_DRAIN_SETTINGS, 10);
    world.ask('drain-v1');
    world.run(8 * MINUTE);
    expect(drainState(world.node).record?.lastError).toContain('global timeout reached: 9s');
    expect(world.events).toContainEqual(
      expect.stringContaining('failing for more than 1 minute. Waiting 30 seconds then retrying.'),
    );
    expect(world.events).toContainEqual(expect.stringContaining('drain exceeded timeout: 6m0s.'));
  });

  it('is evicted at once when its disruption budget allows it, also between two attempts', () => {
    for (const ranMs of [30_000, 2 * MINUTE, 14 * MINUTE]) {
      const world = aWorld([{ name: 'web-0', guarded: true, graceMs: 1_000 }]);
      world.ask('drain-v1');
      world.run(ranMs);
      const since = world.now;
      for (const pod of world.pods) pod.guarded = false;
      world.relax('web-0');
      world.run(MINUTE);
      expect([world.answer, world.now - since <= 2_000]).toEqual(['drain-v1', true]);
    }
  });

  it('is evicted at most once a second, however often its budget changes, and once per change', () => {
    const world = aWorld([{ name: 'web-0', guarded: true }]);
    world.ask('drain-v1');
    world.run(2 * MINUTE);
    const evictions = () => world.steps.filter((kind) => kind === 'evict').length;
    const before = evictions();
    for (let tenth = 0; tenth < 50; tenth++) {
      world.relax('web-0');
      world.settle();
      world.pass(100);
    }
    expect(evictions() - before).toBe(5);
    world.pass(2_000);
    world.settle();
    // It changed once more since it was asked last; after that only the usual questions come.
    expect(evictions() - before).toBe(6);
    world.pass(2_000);
    world.settle();
    expect(evictions() - before).toBe(6);
    // One attempt more than without all that.
    expect(drainState(world.node).record?.attempts).toBe(2);
  });

  it('allows the others to be evicted at once when it ends between two attempts', () => {
    const world = aWorld([
      { name: 'web-0', guarded: true },
      { name: 'web-1', guarded: true },
    ]);
    world.ask('drain-v1');
    world.run(2 * MINUTE);
    expect(drainState(world.node).record).toMatchObject({ attempts: 1, retryAtMs: expect.any(Number) });
    world.pods = world.pods.filter(({ name }) => name === 'web-1');
    world.settle();
    const { attempts, retryAtMs, lastRefusal } = drainState(world.node).record ?? {};
    expect([attempts, retryAtMs, lastRefusal?.pod]).toEqual([2, undefined, 'web-1']);
    expect(world.steps.slice(-3)).toEqual(['progress', 'evict', 'wait']);
  });

  it('makes the drain overdue after an hour', () => {
    const world = aWorld([{ name: 'web-0', guarded: true }]);
    world.ask('drain-v1');
    const failures = () => world.events.filter((text) => text.startsWith('DrainFailed'));
    world.run(60 * MINUTE);
    expect(failures()).toEqual([]);
    world.run(10 * MINUTE);
    expect(failures().length).toBeGreaterThan(0);
  });

  it.each<[string, number]>([
    ['an attempt', 10_000],
    ['the delay after an attempt', 100_000],
  ])(
    'does not make the drain overdue after hours in which no controller ran, in the middle of %s',
    (_, afterMs) => {
      const world = aWorld([{ name: 'web-0', guarded: true }]);
      world.ask('drain-v1');
      world.run(afterMs);
      const { beganMs } = drainState(world.node).record ?? {};
      world.pass(8 * 60 * MINUTE);
      world.run(5 * MINUTE);
      const record = drainState(world.node).record;
      expect(world.events.filter((text) => !text.startsWith('DrainBlocked'))).toEqual([]);
      expect(record?.beganMs).toBe(beganMs);
      expect(record?.spentMs).toBeLessThan(10 * MINUTE);
      // It goes on as usual.
      world.run(70 * MINUTE);
      expect(world.events.filter((text) => text.startsWith('DrainFailed')).length).toBeGreaterThan(0);
    },
  );

  it('does not fail the attempt after hours in which no controller ran', () => {
    const world = aWorld([{ name: 'web-0', guarded: true }]);
    world.ask('drain-v1');
    world.run(10_000);
    world.pass(8 * 60 * MINUTE);
    world.settle();
    expect(world.steps.slice(-3)).toEqual(['attempt', 'evict', 'wait']);
    expect(drainState(world.node).record).toMatchObject({ attempts: 2, attemptBeganMs: world.now });
  });
});

describe('a drain', () => {
  it('cordons, evicts, waits for the pods to terminate, and completes the request', () => {
    const world = aWorld([{ name: 'web-0' }, { name: 'web-1', graceMs: 1000 }]);
    world.ask('drain-v1');
    world.run(MINUTE);
    expect(world.steps).toEqual(['cordon', 'evict', 'wait', 'wait', 'complete', 'idle']);
    expect([world.answer, world.cordoned, world.events]).toEqual(['drain-v1', true, []]);
    world.ask('uncordon-v1');
    world.settle();
    expect([world.answer, world.cordoned]).toEqual(['uncordon-v1', false]);
    expect(world.given[annotations.drain]).toBeUndefined();
  });

  it('ends as soon as the last pod does, also between two attempts', () => {
    const world = aWorld([{ name: 'slow', graceMs: 100_000 }]);
    world.ask('drain-v1');
    const began = world.now;
    world.run(10 * MINUTE);
    expect([world.answer, world.now - began]).toEqual(['drain-v1', 100_000]);
  });

  it('lists the pods of a node once it is cordoned', () => {
    const world = aWorld([]);
    world.knowsPods = false;
    world.ask('drain-v1');
    world.settle();
    expect([world.steps, world.answer]).toEqual([['cordon', 'list', 'complete', 'idle'], 'drain-v1']);
  });

  it('lists the pods again before it answers where the node has changed since they were listed', () => {
    const world = aWorld([{ name: 'web-0', graceMs: 10_000 }]);
    world.knowsPods = false;
    world.ask('drain-v1');
    world.settle();
    world.version++;
    world.pass(MINUTE);
    world.settle();
    expect(world.steps).toEqual(['cordon', 'list', 'evict', 'wait', 'list', 'complete', 'idle']);
  });

  it('is skipped without any change where the cluster has one node', () => {
    const world = aWorld([{ name: 'web-0' }]);
    world.nodeCount = 1;
    world.ask('drain-v1');
    world.settle();
    expect([world.answer, world.cordoned, world.pods.length]).toEqual(['drain-v1', false, 1]);
    expect(world.events).toEqual(['Drain: Drain not required, skipping']);
    world.ask('uncordon-v1');
    world.settle();
    expect([world.answer, world.given[annotations.drain]]).toEqual(['uncordon-v1', undefined]);
  });

  it('still knows who set the cordon when all other nodes are removed during it', () => {
    const world = aWorld([{ name: 'web-0', guarded: true }]);
    world.ask('drain-v1');
    world.settle();
    world.nodeCount = 1;
    world.settle();
    world.ask('uncordon-v1');
    world.settle();
    expect(world.cordoned).toBe(false);
  });

  it('that is taken back before its answer leaves no cordon, although the uncordon was answered before', () => {
    const world = aWorld([{ name: 'web-0', guarded: true }]);
    world.ask('uncordon-v1');
    world.settle();
    world.ask('drain-v2');
    world.settle();
    expect([world.answer, world.cordoned]).toEqual(['uncordon-v1', true]);
    world.ask('uncordon-v1');
    expect(drainProgress(drainState(world.node), { verb: 'uncordon', config: 'v1' })).toBe('pending');
    world.settle();
    expect([world.cordoned, world.given[annotations.drain]]).toEqual([false, undefined]);
    expect(drainProgress(drainState(world.node), { verb: 'uncordon', config: 'v1' })).toBe('applied');
  });

  it('does not begin where another config is desired since it was requested', () => {
    const world = aWorld([{ name: 'web-0' }]);
    world.ask('drain-v2');
    world.given[annotations.desiredConfig] = 'v3';
    expect(world.step()).toEqual({ kind: 'idle' });
    world.given[annotations.desiredConfig] = 'v2';
    world.run(MINUTE);
    expect([world.answer, world.cordoned]).toEqual(['drain-v2', true]);
  });

  it('that has begun goes on where another config is desired meanwhile, unless somebody uncordons the node', () => {
    const world = aWorld([{ name: 'web-0', guarded: true }]);
    world.ask('drain-v2');
    world.settle();
    world.given[annotations.desiredConfig] = 'v3';
    expect(world.step().kind).toBe('wait');
    world.cordon(false, 'kubectl-uncordon');
    expect(world.step()).toEqual({ kind: 'idle' });
  });

  it('is done anew for a node that was uncordoned after it, once the daemon has withdrawn its request', () => {
    const world = aWorld([{ name: 'web-0' }]);
    world.ask('drain-v2');
    world.run(MINUTE);
    world.cordon(false, 'kubectl-uncordon');
    world.settle();
    world.ask('uncordon-v2');
    world.settle();
    expect([world.answer, world.cordoned]).toEqual(['uncordon-v2', false]);
    world.ask('drain-v2');
    world.settle();
    expect([world.answer, world.cordoned]).toEqual(['drain-v2', true]);
  });

  it('for the next configuration keeps the cordon and has its own start time', () => {
    const world = aWorld([{ name: 'web-0' }]);
    world.ask('drain-v1');
    world.run(MINUTE);
    world.pass(5 * MINUTE);
    world.ask('drain-v2');
    world.settle();
    expect([world.answer, world.steps.slice(-3)]).toEqual(['drain-v2', ['begin', 'complete', 'idle']]);
    expect(drainState(world.node).record).toMatchObject({ cordonedBy: 'millwright', beganMs: world.now });
  });

  it('uses the divided timeouts of a faster cluster', () => {
    const world = aWorld([{ name: 'web-0', guarded: true }]);
    world.settings = dividedBy(DEFAULT_DRAIN_SETTINGS, 10);
    world.ask('drain-v1');
    world.run(15_000);
    expect(drainState(world.node).record?.attempts).toBe(2);
  });

  it('is not delayed by a clock that jumped back', () => {
    const world = aWorld([{ name: 'web-0', guarded: true }]);
    world.ask('drain-v1');
    world.run(2 * MINUTE);
    expect(drainState(world.node).record?.retryAtMs).toBeDefined();
    world.now -= 24 * 60 * MINUTE;
    expect(world.step().kind).toBe('attempt');
    world.settle();
    expect(drainState(world.node).record?.retryAtMs).toBeUndefined();
    world.now -= 24 * 60 * MINUTE;
    expect(world.step().kind).toBe('attempt');
  });

  it('does nothing without a request, or after the answer', () => {
    const world = aWorld([{ name: 'web-0' }]);
    expect(world.step()).toEqual({ kind: 'idle' });
    world.ask('uncordon-v1');
    world.given[annotations.lastAppliedDrain] = 'uncordon-v1';
    world.cordon(true, 'kubectl-cordon');
    expect(world.step()).toEqual({ kind: 'idle' });
  });
});

describe('with arbitrary interference by others', () => {
  type Move =
    | 'cordon'
    | 'uncordon'
    | 'drain-v1'
    | 'drain-v2'
    | 'uncordon-v1'
    | 'pod'
    | 'guard'
    | 'free'
    | 'time'
    | 'look';
  const moves = fc.array(
    fc.constantFrom<Move>(
      'cordon',
      'uncordon',
      'drain-v1',
      'drain-v2',
      'uncordon-v1',
      'pod',
      'guard',
      'free',
      'time',
      'look',
    ),
    { maxLength: 60 },
  );

  function play(world: World, move: Move): void {
    if (move === 'cordon' || move === 'uncordon') world.cordon(move === 'cordon', 'kubectl');
    else if (move === 'guard' || move === 'free')
      for (const pod of world.pods) pod.guarded = move === 'guard';
    else if (move === 'time') world.pass(40_000);
    else if (move === 'look') lookOnce(world);
    else if (move !== 'pod') world.ask(move);
    else if (!world.cordoned) world.pods.push({ name: `p${world.version}`, graceMs: 100, guarded: false });
  }

  /** One step, and what must be true of it. */
  function lookOnce(world: World): void {
    const step = world.step();
    const { cordoned, holder } = world;
    if (step.kind === 'evict') world.evict(step.pods.map(({ name }) => name));
    if (!('change' in step)) return;
    if (step.kind === 'complete') expect([cordoned, world.pods.length]).toEqual([true, 0]);
    if (step.change.unschedulable === false) expect(holder).toBe(US);
    world.write(nodePatch(world.node, step.change));
    if (
      world.answer?.startsWith('drain-') &&
      step.change.annotations[annotations.lastAppliedDrain] !== undefined
    ) {
      expect(step.kind).toBe('complete');
    }
  }

  it('a drain is answered only for an empty, cordoned node, and only our own cordon is removed', () => {
    fc.assert(
      fc.property(moves, (all) => {
        const world = aWorld([{ name: 'web-0' }]);
        for (const move of all) play(world, move);
      }),
      { numRuns: 500 },
    );
  });

  it('the node is drained once they stop, and schedulable afterwards unless they cordoned it', () => {
    fc.assert(
      fc.property(moves, (all) => {
        const world = aWorld([{ name: 'web-0' }]);
        for (const move of all) play(world, move);
        for (const pod of world.pods) pod.guarded = false;
        world.ask('drain-v3');
        world.run(60 * MINUTE);
        expect([world.answer, world.pods.length]).toEqual(['drain-v3', 0]);
        const isTheirs = world.holder !== US;
        world.ask('uncordon-v3');
        world.settle();
        expect([world.answer, world.cordoned]).toEqual(['uncordon-v3', isTheirs]);
      }),
    );
  });
});
