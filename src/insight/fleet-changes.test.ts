import { describe, expect, it } from 'vitest';
import { aRefusal, Fleet, NEW, OLD } from '../../test/support/a-fleet.ts';
import { noChange } from '../../test/support/node-life.ts';
import { annotations } from '../api/index.ts';
import { fleetChanges } from './fleet-changes.ts';
import type { FleetStatus } from './fleet-status.ts';
import type { ChangeDetail } from './node-changes.ts';

/** Collects the changes after each action. */
class Listener {
  readonly fleet: Fleet;
  readonly #detail: ChangeDetail;
  #last: FleetStatus;

  constructor(fleet: Fleet, detail: ChangeDetail = 'quiet') {
    this.fleet = fleet;
    this.#detail = detail;
    this.#last = fleet.status();
  }

  after(act: (fleet: Fleet) => void): readonly string[] {
    act(this.fleet);
    const next = this.fleet.status();
    const lines = fleetChanges(this.#last, next, this.#detail);
    this.#last = next;
    return lines;
  }
}

/** From the applied disk to the end, with a reboot in between. */
function rebootAndFinish(fleet: Fleet, name: string): void {
  fleet.report(name, { kind: 'applied', change: noChange }, { kind: 'rebooting' });
  fleet.kubelet(name, { isReady: true, bootId: '2' });
  fleet.report(name, { kind: 'rebooted' });
  fleet.finish(name);
}

describe('fleetChanges reports', () => {
  it('the start and end of a render failure', () => {
    const listener = new Listener(new Fleet().pool('worker', 1));
    const problem = { [annotations.renderProblem]: 'Failed to render configuration for pool worker: bad' };
    expect(listener.after((fleet) => fleet.annotate('worker', problem))).toEqual([
      'worker: Failed to render configuration for pool worker: bad',
    ]);
    expect(listener.after(() => undefined)).toEqual([]);
    expect(listener.after((fleet) => fleet.annotate('worker', {}))).toEqual([
      'worker: can be rendered again',
    ]);
  });

  it('nodes that degrade and recover, also during an update', () => {
    const listener = new Listener(new Fleet().pool('worker', 2));
    const fail = (error: string) => (fleet: Fleet) => fleet.report('worker-0', { kind: 'failed', error });
    expect(listener.after(fail('content mismatch'))).toEqual([
      'worker: worker-0 is degraded: content mismatch',
    ]);
    // The message may differ between attempts.
    expect(listener.after(fail('attempt 2'))).toEqual([]);
    expect(listener.after((fleet) => fleet.report('worker-0', { kind: 'up-to-date' }))).toEqual([
      'worker: worker-0 has recovered',
    ]);
    listener.after((fleet) => {
      fleet.change('worker', { configuration: { name: NEW } });
      fleet.send('worker-0');
      fleet.report('worker-0', { kind: 'prepared', needsDrain: false });
    });
    expect(listener.after(fail('disk full'))).toEqual(['worker: worker-0 is degraded: disk full']);
    expect(listener.after((fleet) => fleet.pass(90).finish('worker-0'))).toEqual([
      'worker: worker-0 has recovered and is updated, 1 of 2, in 90s',
    ]);
  });

  it('a node with an unreconcilable config', () => {
    const listener = new Listener(new Fleet().pool('worker', 1));
    const lines = listener.after((fleet) => {
      fleet.send('worker-0');
      fleet.report('worker-0', {
        kind: 'unreconcilable',
        from: OLD,
        to: NEW,
        error: 'ignition disks changed',
      });
    });
    expect(lines).toEqual(['worker: worker-0 is unable to apply its configuration: ignition disks changed']);
  });

  it('a blocked drain once for each pod', () => {
    const fleet = new Fleet().pool('worker', 1);
    fleet.send('worker-0');
    const listener = new Listener(fleet);
    expect(listener.after(() => fleet.drain('worker-0', { lastRefusal: aRefusal }))).toEqual([
      'worker: the drain of worker-0 is blocked: pod shop/web-0 is protected by PodDisruptionBudget web',
    ]);
    expect(
      listener.after(() => fleet.pass(5).drain('worker-0', { lastRefusal: aRefusal, attempts: 2 })),
    ).toEqual([]);
    const { budget: _, ...other } = { ...aRefusal, pod: 'web-1', message: 'no rights' };
    expect(listener.after(() => fleet.drain('worker-0', { lastRefusal: other }))).toEqual([
      'worker: the drain of worker-0 is blocked: pod shop/web-1 could not be evicted: no rights',
    ]);
  });

  it('a node that is not Ready, cordoned, or rebooted unexpectedly', () => {
    const listener = new Listener(new Fleet().pool('worker', 1));
    expect(listener.after((fleet) => fleet.kubelet('worker-0', { isReady: false }))).toEqual([
      'worker: worker-0 is not Ready: Kubelet stopped posting node status.',
    ]);
    expect(listener.after((fleet) => fleet.kubelet('worker-0', { isReady: true, bootId: '2' }))).toEqual([
      'worker: worker-0 has rebooted',
      'worker: worker-0 is Ready again',
      'worker: all its nodes are available again',
    ]);
    expect(listener.after((fleet) => fleet.cordon('worker-0'))).toEqual([
      'worker: worker-0 is cordoned by another client and will not be updated',
    ]);
    expect(listener.after((fleet) => fleet.cordon('worker-0', false))).toEqual([
      'worker: worker-0 is uncordoned',
      'worker: all its nodes are available again',
    ]);
  });

  it('nodes in no pool', () => {
    const listener = new Listener(new Fleet().pool('a', 1).pool('b', 0));
    expect(listener.after((fleet) => fleet.relabel('a-0', 'a', 'b'))).toEqual([
      expect.stringMatching(/^node a-0 is in no pool: node a-0 belongs to 2 custom roles, /),
    ]);
    expect(listener.after((fleet) => fleet.relabel('a-0', 'b'))).toEqual([
      'b: node a-0 has moved here from no pool',
    ]);
    expect(listener.after((fleet) => fleet.relabel('a-0', 'a'))).toEqual([
      'a: node a-0 has moved here from pool b',
    ]);
    expect(listener.after((fleet) => fleet.removeNode('a-0'))).toEqual(['a: node a-0 was deleted']);
    expect(listener.after((fleet) => fleet.node('a-1', 'a'))).toEqual(['a: node a-1 has joined']);
    expect(listener.after((fleet) => fleet.removePool('b'))).toEqual(['b: the pool was deleted']);
    expect(listener.after((fleet) => fleet.pool('c', 2))).toEqual([
      'c: a new pool, with 2 nodes',
      'c: node c-0 has joined',
      'c: node c-1 has joined',
    ]);
  });
});

describe('fleetChanges of a rollout', () => {
  it('has a line for its start, each node, and its end', () => {
    const listener = new Listener(new Fleet().pool('worker', 3));
    expect(listener.after((fleet) => fleet.change('worker', { configuration: { name: NEW } }))).toEqual([
      `worker: rolling out ${NEW} to 3 nodes`,
    ]);
    const quiet = listener.after((fleet) => {
      fleet.send('worker-0');
      fleet.drain('worker-0');
    });
    expect(quiet).toEqual([]);
    expect(listener.after((fleet) => fleet.pass(5).drained('worker-0'))).toEqual([]);
    expect(listener.after((fleet) => rebootAndFinish(fleet.pass(37), 'worker-0'))).toEqual([
      'worker: worker-0 is updated, 1 of 3, in 42s, with a reboot',
    ]);
    listener.after((fleet) => {
      for (const name of ['worker-1', 'worker-2']) {
        fleet.send(name);
        fleet.report(name, { kind: 'prepared', needsDrain: false });
      }
    });
    const lines = listener.after((fleet) => {
      fleet.pass(180);
      fleet.finish('worker-1');
      fleet.finish('worker-2');
    });
    expect(lines).toEqual([
      'worker: worker-1 is updated, 2 of 3, in 3m',
      'worker: worker-2 is updated, 3 of 3, in 3m',
      `worker: updated: all 3 nodes have ${NEW}`,
    ]);
  });

  it('has a line for each phase if verbose', () => {
    const fleet = new Fleet().pool('worker', 1, { configuration: { name: NEW } });
    const listener = new Listener(fleet, 'verbose');
    const lines = [
      (): void => void fleet.send('worker-0'),
      () => fleet.drain('worker-0'),
      () => fleet.pass(12),
      () => fleet.drained('worker-0'),
      () => fleet.report('worker-0', { kind: 'rebooting' }),
      () => fleet.kubelet('worker-0', { isReady: false }),
      () => fleet.kubelet('worker-0', { isReady: true, bootId: '2' }),
      () => fleet.report('worker-0', { kind: 'rebooted' }),
      () => fleet.finish('worker-0'),
    ].flatMap((act) => listener.after(act));
    expect(lines).toEqual([
      'worker: worker-0 is starting',
      'worker: worker-0 is draining',
      'worker: worker-0 is applying files and OS',
      'worker: worker-0 is rebooting',
      'worker: worker-0 has rebooted',
      'worker: worker-0 is resuming',
      'worker: worker-0 is updated, 1 of 1, in 12s, with a reboot',
      `worker: updated: its node has ${NEW}`,
    ]);
  });

  it('reports a paused pool and its continuation', () => {
    const listener = new Listener(new Fleet().pool('worker', 2));
    expect(listener.after((fleet) => fleet.change('worker', { paused: true }))).toEqual([
      'worker: paused; nothing pending',
    ]);
    expect(listener.after((fleet) => fleet.change('worker', { configuration: { name: NEW } }))).toEqual([
      `worker: still paused; 2 nodes waiting for ${NEW}`,
    ]);
    expect(listener.after((fleet) => fleet.change('worker', { paused: false }))).toEqual([
      `worker: unpaused; rolling out ${NEW} to 2 nodes`,
    ]);
    listener.after((fleet) => {
      fleet.send('worker-0');
      fleet.report('worker-0', { kind: 'prepared', needsDrain: false });
    });
    expect(listener.after((fleet) => fleet.change('worker', { paused: true }))).toEqual([
      `worker: paused; 1 node waiting for ${NEW}; 1 node already updating will finish`,
    ]);
    listener.after((fleet) => fleet.change('worker', { configuration: { name: OLD } }));
    expect(listener.after((fleet) => fleet.change('worker', { paused: false }))).toEqual([
      `worker: unpaused; rolling out ${OLD} to 1 node, 1 of 2 done`,
    ]);
  });

  it('that is reverted before any node started reports no node', () => {
    const listener = new Listener(new Fleet().pool('worker', 2));
    listener.after((fleet) => fleet.change('worker', { configuration: { name: NEW } }));
    expect(listener.after((fleet) => fleet.change('worker', { configuration: { name: OLD } }))).toEqual([
      `worker: updated: all 2 nodes have ${OLD}`,
    ]);
  });
});

describe('fleetChanges without an earlier status', () => {
  it('has no lines if everything is updated', () => {
    expect(fleetChanges(undefined, new Fleet().pool('worker', 2).pool('empty', 0).status(), 'quiet')).toEqual(
      [],
    );
  });

  it('reports what is updating, waiting or degraded', () => {
    const fleet = new Fleet().pool('worker', 3, { configuration: { name: NEW } });
    fleet.send('worker-0');
    fleet.drain('worker-0', { lastRefusal: aRefusal });
    fleet.kubelet('worker-1', { isReady: false });
    fleet.pool('infra', 1, { paused: true });
    fleet.pool('gpu', 1);
    fleet.report('gpu-0', { kind: 'failed', error: 'content mismatch' });
    fleet.pool('new', 1, { configuration: {} });
    fleet.annotate('new', { [annotations.renderProblem]: 'no configs' });
    fleet.node('torn', 'gpu', 'infra');
    expect(fleetChanges(undefined, fleet.pass(65).status(), 'quiet')).toEqual([
      'gpu: gpu-0 is degraded: content mismatch',
      'infra: paused; nothing pending',
      'new: has no configuration yet; 1 node waiting for one',
      'new: no configs',
      `worker: rolling out ${NEW} to 3 nodes`,
      'worker: worker-0 is draining for 65s',
      'worker: the drain of worker-0 is blocked: pod shop/web-0 is protected by PodDisruptionBudget web',
      'worker: worker-1 is not Ready: Kubelet stopped posting node status.',
      expect.stringMatching(/^node torn is in no pool: /),
    ]);
  });
});

describe('a line of fleetChanges', () => {
  const linesOf = (error: string, pool = 'worker') => {
    const fleet = new Fleet().pool(pool, 1);
    fleet.report(`${pool}-0`, { kind: 'failed', error });
    return fleetChanges(undefined, fleet.status(), 'quiet');
  };

  it('has no line breaks or control characters', () => {
    expect(linesOf('first\n\tsecond \x1b[2Jthird\u202e')).toContain(
      'worker: worker-0 is degraded: first; second \\x1b[2Jthird\\u202e',
    );
  });

  it('has a limited length', () => {
    const line = linesOf('🛠 '.repeat(3000)).at(-1) ?? '';
    expect([...line]).toHaveLength(499);
    expect(line).toMatch(/🛠 +\.\.\. [🛠 ]+$/u);
  });

  it('never begins like the ready line', () => {
    expect(linesOf('x', 'ready').every((line) => line.startsWith('ready: '))).toBe(true);
  });

  it('is one of a limited number', () => {
    const lines = fleetChanges(new Fleet().status(), new Fleet().pool('worker', 200).status(), 'quiet');
    expect(lines).toHaveLength(50);
    expect(lines.at(-1)).toBe('and 152 more lines: see `millwright status`');
  });
});
