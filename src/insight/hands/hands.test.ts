/** What `pause`, `resume`, `retry` and `uncordon` say, do and refuse. */
import { describe, expect, it } from 'vitest';
import { aRefusal, Fleet, NEW, OLD } from '../../../test/support/a-fleet.ts';
import { aConfig, aMachineConfig } from '../../../test/support/build.ts';
import { annotations, type MachineConfig } from '../../api/index.ts';
import type { KnownConfigs } from './expected-disruption.ts';
import type { HandDecision } from './hand-decision.ts';
import { decidePause } from './pause.ts';
import { nodeView, poolView } from './pool-view.ts';
import { decideResume } from './resume.ts';
import { decideRetryRequest } from './retry.ts';
import { decideUncordon } from './uncordon.ts';

const ID = '2026-01-31T12:00:00.000Z';
const REASON = 'mkdir /etc/blocked: not a directory';

/** Three workers that wait for `NEW`. */
const waiting = (spec: object = {}) =>
  new Fleet().pool('worker', 3, { configuration: { name: NEW }, ...spec });

function failing(fleet: Fleet, ...names: readonly string[]): Fleet {
  for (const name of names) {
    fleet.send(name);
    fleet.report(name, { kind: 'update-found', to: NEW }, { kind: 'failed', error: REASON });
  }
  return fleet.pass(90);
}

function pool(fleet: Fleet) {
  return poolView(fleet.snapshot(), 'worker') ?? expect.fail('there is no pool');
}

function node(fleet: Fleet, name = 'worker-0') {
  return nodeView(fleet.snapshot(), name) ?? expect.fail('there is no node');
}

const retry = (fleet: Fleet, { name = 'worker-0', isForced = false } = {}) =>
  decideRetryRequest(node(fleet, name), { isForced, id: ID });

/** The lines of a change, or why there is none. */
function told(decision: HandDecision): readonly string[] {
  return decision.kind === 'refused' ? [decision.message] : decision.lines;
}

const STILL =
  '  certificates, credentials and pinned images still reach its nodes; configs, settings and OS images wait for: millwright resume worker';

describe('pause', () => {
  it('says which nodes wait from then on', () => {
    expect(decidePause(pool(waiting()))).toEqual({
      kind: 'change',
      lines: [
        'pool worker: no further node is sent to another config',
        '  3 nodes wait, and keep their config: worker-0, worker-1, worker-2',
        STILL,
      ],
      patch: { spec: { paused: true } },
      done: 'paused',
      planned: 'would be paused',
    });
  });

  it('says which nodes finish what they have begun, and which keep failing', () => {
    const fleet = failing(waiting(), 'worker-1');
    fleet.send('worker-0');
    fleet.drain('worker-0');
    fleet.pass(12);
    expect(told(decidePause(pool(fleet)))).toEqual([
      'pool worker: no further node is sent to another config',
      '  worker-0 finishes its update: draining for 12s',
      `  worker-1 keeps trying its update, which fails: ${REASON}`,
      '  1 node waits, and keeps its config: worker-2',
      STILL,
    ]);
  });

  it('names a few of many nodes', () => {
    const fleet = new Fleet().pool('worker', 9, { configuration: { name: NEW } });
    expect(told(decidePause(pool(fleet)))[1]).toBe(
      '  9 nodes wait, and keep their config: worker-0, worker-1, worker-2, worker-3, worker-4, worker-5 and 3 more',
    );
  });

  it('changes nothing where the pool is paused already, and says what waits', () => {
    expect(decidePause(pool(waiting({ paused: true })))).toEqual({
      kind: 'unchanged',
      lines: [
        'pool worker is already paused',
        '  3 nodes wait, and keep their config: worker-0, worker-1, worker-2',
        STILL,
      ],
    });
  });
});

const config = (name: string, file: string, text: string): MachineConfig =>
  aMachineConfig(name, {
    config: aConfig({ storage: { files: [{ path: file, contents: { source: `data:,${text}` } }] } }),
  });
const known = (...configs: readonly MachineConfig[]): KnownConfigs => ({
  machineConfig: (name) => configs.find(({ metadata }) => metadata.name === name),
});
const REBOOTS = known(config(OLD, '/etc/a', 'one'), config(NEW, '/etc/a', 'two'));

describe('resume', () => {
  const paused = (spec: object = {}) => waiting({ paused: true, ...spec });

  it('says which nodes move, where to, how many at a time, and what it costs them', () => {
    expect(decideResume(pool(paused()), REBOOTS)).toEqual({
      kind: 'change',
      lines: [
        `pool worker: 3 nodes of 3 go to ${NEW}: worker-0, worker-1, worker-2`,
        '  one at a time; each is drained and rebooted',
      ],
      patch: { spec: { paused: false } },
      done: 'resumed',
      planned: 'would be resumed',
    });
  });

  it.each([
    ['a file with a policy', '/etc/containers/policy.json', 'none is drained or rebooted'],
    ['a file without one', '/etc/motd', 'each is drained and rebooted'],
  ])('reads what the configs say of %s', (_, path, text) => {
    const configs = known(config(OLD, path, '%7B%7D'), config(NEW, path, '%7B%22a%22:1%7D'));
    expect(told(decideResume(pool(paused({ maxUnavailable: 2 })), configs))[1]).toBe(
      `  at most 2 at a time (maxUnavailable); ${text}`,
    );
  });

  it('does not guess what it cannot read', () => {
    expect(told(decideResume(pool(paused()), known(config(NEW, '/etc/a', 'x'))))[1]).toBe(
      '  one at a time; whether they are drained and rebooted is not known',
    );
  });

  it('says why none moves yet', () => {
    const missing = known(config(OLD, '/etc/a', 'x'));
    expect(told(decideResume(pool(paused()), missing))[2]).toMatch(
      /^ {2}none of them moves yet: MachineConfig rendered-worker-\S+ does not exist, so no node is sent to it/,
    );
    const fleet = paused();
    fleet.cordon('worker-2');
    expect(told(decideResume(pool(fleet), REBOOTS))).toEqual([
      `pool worker: 2 nodes of 3 go to ${NEW}: worker-0, worker-1`,
      '  one at a time, once fewer nodes are unavailable or failing than the 1 now; each is drained and rebooted',
      '  worker-2 is not sent: it is cordoned by another client',
    ]);
    fleet.change('worker', { maxUnavailable: -1 });
    expect(told(decideResume(pool(fleet), REBOOTS))[1]).toMatch(
      /^ {2}none of them moves: spec.maxUnavailable: /,
    );
  });

  it('says that nothing moves where all nodes are updated, and that nothing is paused', () => {
    const fleet = new Fleet().pool('worker', 2, { paused: true });
    expect(told(decideResume(pool(fleet), REBOOTS))).toEqual(['pool worker: no node waits for an update']);
    const running = new Fleet().pool('worker', 2);
    expect(decideResume(pool(running), REBOOTS)).toEqual({
      kind: 'unchanged',
      lines: ['pool worker is not paused'],
    });
  });
});

describe('retry', () => {
  it('asks a node that fails, and says what it does then', () => {
    expect(retry(failing(waiting(), 'worker-0'))).toEqual({
      kind: 'change',
      lines: [
        `node worker-0 tries its update to ${NEW} again at once; it fails for 90s: ${REASON}`,
        '  it is drained and reboots if the update says so',
      ],
      patch: { metadata: { annotations: { [annotations.retry]: ID } } },
      done: 'asked to try again',
      planned: 'would be asked to try again',
    });
  });

  it('says what a retry cannot do about a file that was changed by hand', () => {
    const fleet = new Fleet().pool('worker', 2);
    fleet.report('worker-0', { kind: 'failed', error: 'content mismatch for file "/etc/a"' });
    expect(told(retry(fleet))).toEqual([
      `node worker-0 checks its disk against ${OLD} again at once; it fails for 0s: content mismatch for file "/etc/a"`,
      '  what was changed by hand is not overwritten: millwright retry worker-0 --force does that',
    ]);
  });

  it('says that a node which is down answers later', () => {
    const fleet = failing(waiting(), 'worker-0');
    fleet.kubelet('worker-0', { isReady: false });
    expect(told(retry(fleet)).at(-1)).toBe('  it is not Ready: its daemon takes it up once it runs again');
  });

  it('has any node apply its whole config again by force', () => {
    expect(retry(new Fleet().pool('worker', 2), { isForced: true })).toEqual({
      kind: 'change',
      lines: [
        `node worker-0 is drained, gets all of ${OLD} again, whatever is on its disk, and reboots`,
        '  its pods are evicted within their disruption budgets',
      ],
      patch: { metadata: { annotations: { [annotations.retry]: `force-${ID}` } } },
      done: 'asked to apply its whole config again',
      planned: 'would be asked to apply its whole config again',
    });
  });

  it('refuses a node that does not fail', () => {
    const again =
      'To apply its whole config again, with a drain and a reboot: millwright retry worker-0 --force';
    expect(told(retry(new Fleet().pool('worker', 2)))).toEqual([
      `node worker-0 does not fail: it has ${OLD}. ${again}`,
    ]);
    expect(told(retry(waiting()))).toEqual([
      `node worker-0 does not fail: it has ${OLD}, and waits for its update to ${NEW}. ${again}`,
    ]);
  });

  it('refuses a node in the middle of an update, also by force', () => {
    const fleet = waiting();
    fleet.send('worker-0');
    fleet.report('worker-0', { kind: 'update-found', to: NEW });
    fleet.pass(5);
    expect(told(retry(fleet))[0]).toMatch(
      /^node worker-0 does not fail: it is being updated \(preparing for \d+s\)$/,
    );
    expect(told(retry(fleet, { isForced: true }))[0]).toMatch(
      /^an update of node worker-0 is in progress \(preparing for \d+s\): wait until it has ended$/,
    );
  });

  it.each([true, false])(
    'refuses a node whose drain is what fails, and names what blocks it (forced: %s)',
    (isForced) => {
      const fleet = waiting();
      fleet.send('worker-0');
      fleet.drain('worker-0', { lastRefusal: aRefusal });
      fleet.report('worker-0', { kind: 'failed', error: 'failed to drain node: worker-0 after 1 hour' });
      expect(told(retry(fleet, { isForced }))).toEqual([
        'node worker-0 is being drained: pod shop/web-0 is protected by PodDisruptionBudget web; that goes on by itself, and to try again would not help it',
      ]);
    },
  );

  it.each([true, false])(
    'refuses a node that is being drained, and names what blocks it before its update fails (forced: %s)',
    (isForced) => {
      const fleet = waiting();
      fleet.send('worker-0');
      fleet.report('worker-0', { kind: 'update-found', to: NEW });
      fleet.drain('worker-0', { lastRefusal: aRefusal });
      expect(told(retry(fleet, { isForced }))).toEqual([
        'node worker-0 is being drained: pod shop/web-0 is protected by PodDisruptionBudget web; that goes on by itself, and to try again would not help it',
      ]);
      fleet.drain('worker-0');
      expect(told(retry(fleet, { isForced }))).toEqual([
        'node worker-0 is being drained; that goes on by itself, and to try again would not help it',
      ]);
    },
  );

  it('refuses while the pool is paused', () => {
    const fleet = failing(waiting(), 'worker-0');
    fleet.change('worker', { paused: true });
    expect(told(retry(fleet))).toEqual([
      'pool worker of node worker-0 is paused: resume it first (millwright resume worker)',
    ]);
  });

  it('refuses a node in no pool, and one without a daemon', () => {
    const fleet = new Fleet().pool('worker', 1);
    fleet.node('stray-0', 'other');
    expect(told(retry(fleet, { name: 'stray-0' }))[0]).toMatch(
      /^node stray-0 is in no pool, so nothing is applied to it: all nodes must be in a pool/,
    );
    fleet.withoutDaemon('worker-9', 'worker');
    expect(told(retry(fleet, { name: 'worker-9', isForced: true }))).toEqual([
      'no daemon has reported from node worker-9 yet: there is nothing to try again',
    ]);
  });

  it('refuses to ask twice before the daemon has answered', () => {
    const fleet = failing(waiting(), 'worker-0');
    fleet.annotateNode('worker-0', { [annotations.retry]: 'a' });
    expect(told(retry(fleet))[0]).toMatch(
      /^node worker-0 has been asked already \(millwright\.dev\/retry\), and its daemon has not taken it up yet: /,
    );
    fleet.annotateNode('worker-0', { [annotations.retried]: 'a' });
    expect(retry(fleet).kind).toBe('change');
  });
});

describe('retry counts nodes as the node controller does, and', () => {
  const tooMany = (names: string, verb: string, them: string) =>
    `pool worker may have 1 node out of service (maxUnavailable), and ${names} ${verb} unavailable, failing or asked already: wait for ${them}, or raise maxUnavailable. A node that fails tries again by itself within a minute`;

  it('allows the one node that is out of service already', () => {
    const fleet = failing(waiting(), 'worker-0');
    fleet.drain('worker-0');
    fleet.drained('worker-0');
    fleet.report('worker-0', { kind: 'failed', error: REASON });
    expect(told(retry(fleet))[1]).toBe(
      '  it is cordoned for that already, and reboots if the update says so',
    );
  });

  it('refuses another one', () => {
    const fleet = failing(waiting(), 'worker-0', 'worker-1');
    expect(told(retry(fleet))).toEqual([tooMany('worker-1', 'is', 'it')]);
    fleet.change('worker', { maxUnavailable: 2 });
    expect(retry(fleet).kind).toBe('change');
  });

  it('refuses while others are cordoned or not Ready', () => {
    const fleet = failing(waiting(), 'worker-0');
    fleet.cordon('worker-1');
    fleet.kubelet('worker-2', { isReady: false });
    expect(told(retry(fleet))).toEqual([tooMany('worker-1, worker-2', 'are', 'them')]);
    expect(told(retry(fleet, { isForced: true }))).toEqual([tooMany('worker-1, worker-2', 'are', 'them')]);
  });

  it('counts nodes that were asked by force, and have not begun', () => {
    const fleet = new Fleet().pool('worker', 3);
    fleet.annotateNode('worker-1', { [annotations.retry]: 'force-a' });
    expect(told(retry(fleet, { isForced: true }))).toEqual([tooMany('worker-1', 'is', 'it')]);
    fleet.annotateNode('worker-1', { [annotations.retried]: 'force-a' });
    expect(retry(fleet, { isForced: true }).kind).toBe('change');
  });

  it('reports a limit that cannot be read', () => {
    const fleet = failing(waiting({ maxUnavailable: 'some' }), 'worker-0');
    expect(told(retry(fleet))[0]).toMatch(/^spec\.maxUnavailable: invalid value/);
  });
});

describe('uncordon', () => {
  /** Updated, and the drain controller has not removed its cordon. */
  function leftOver(): Fleet {
    const fleet = waiting();
    fleet.send('worker-0');
    fleet.drain('worker-0');
    fleet.drained('worker-0');
    fleet.report('worker-0', { kind: 'completing', config: NEW });
    return fleet;
  }

  it('removes a cordon of Millwright that an ended update has left', () => {
    expect(decideUncordon(node(leftOver()))).toEqual({
      kind: 'change',
      lines: [
        'node worker-0 takes pods again: Millwright had cordoned it, and no update of it is in progress',
      ],
      patch: { metadata: {}, spec: { unschedulable: null } },
      done: 'uncordoned',
      planned: 'would be uncordoned',
    });
  });

  it('does nothing where the node is not cordoned', () => {
    expect(decideUncordon(node(waiting()))).toEqual({
      kind: 'unchanged',
      lines: ['node worker-0 is not cordoned'],
    });
  });

  it('refuses a cordon of a person', () => {
    const fleet = waiting();
    fleet.cordon('worker-0');
    expect(told(decideUncordon(node(fleet)))).toEqual([
      "the cordon of node worker-0 is not Millwright's, which leaves it as it is: kubectl uncordon worker-0",
    ]);
  });

  it('refuses a cordon that a person has renewed beside that of Millwright', () => {
    const fleet = leftOver();
    const life = fleet.life('worker-0');
    const fieldsV1 = { 'f:spec': { 'f:unschedulable': {} } };
    const managedFields = [{ manager: 'kubectl-cordon', operation: 'Update', fieldsV1 }];
    life.node = { ...life.node, metadata: { ...life.node.metadata, managedFields } };
    expect(decideUncordon(node(fleet)).kind).toBe('refused');
  });

  it('refuses while an update is in progress, and where it fails', () => {
    const fleet = waiting();
    fleet.send('worker-0');
    fleet.drain('worker-0');
    expect(told(decideUncordon(node(fleet)))[0]).toMatch(
      /^an update of node worker-0 is in progress \(draining for \d+s\): it is uncordoned when that has ended$/,
    );
    fleet.drained('worker-0');
    fleet.report('worker-0', { kind: 'failed', error: REASON });
    expect(told(decideUncordon(node(fleet)))).toEqual([
      `the update of node worker-0 fails (${REASON}), and it may reboot at any attempt: mend it, or revert its config; it is uncordoned then`,
    ]);
  });
});

it('a pool or node that does not exist has no view', () => {
  expect(poolView(waiting().snapshot(), 'infra')).toBeUndefined();
  expect(nodeView(waiting().snapshot(), 'infra-0')).toBeUndefined();
});
