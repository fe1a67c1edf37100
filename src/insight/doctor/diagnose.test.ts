import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aRefusal, Fleet, NEW } from '../../../test/support/a-fleet.ts';
import { aPool } from '../../../test/support/build.ts';
import { annotations, kinds, NAMESPACE } from '../../api/index.ts';
import { apiVersionOf } from '../../kubernetes/meta/index.ts';
import {
  certificateSigningRequest,
  daemonSet,
  deployment,
  event,
  job,
  lease,
  node,
  pod,
  podDisruptionBudget,
} from '../../kubernetes/types/index.ts';
import { clusterSnapshot, type SnapshotObject } from '../snapshot/cluster-snapshot.ts';
import { diagnose, furtherNeeds, type Subject } from './diagnose.ts';

const look = (objects: readonly object[], nowMs: number, subject?: Subject) =>
  diagnose(clusterSnapshot({ nowMs, objects: objects as readonly SnapshotObject[], kinds: [] }), {
    namespace: NAMESPACE,
    subject,
  });
const codes = ({ top, others }: ReturnType<typeof look>) =>
  [...(top === undefined ? [] : [top]), ...others].map(({ code }) => code);

/** A node of worker has failed, and infra is paused with a change. */
function troubled(): Fleet {
  const fleet = new Fleet().pool('worker', 3, { configuration: { name: NEW } });
  fleet.pool('infra', 2, { configuration: { name: NEW }, paused: true });
  fleet.send('worker-0');
  fleet.report('worker-0', { kind: 'update-found' }, { kind: 'failed', error: 'reboot command failed' });
  return fleet;
}

describe('a diagnosis', () => {
  it('has what blocks first on top, and everything else behind it', () => {
    const fleet = troubled();
    const found = look(fleet.objects(), fleet.nowMs);
    expect([found.isBlocked, ...codes(found)]).toEqual([true, 'PoolPaused', 'RebootFailed']);
    const broken = aPool('bad', {}, { annotations: { [annotations.renderProblem]: 'invalid' } });
    expect(codes(look([...fleet.objects(), broken], fleet.nowMs))[0]).toBe('RenderFailed');
  });

  it('of a pool, a node or a build has what concerns it', () => {
    const fleet = troubled();
    const of = (kind: Subject['kind'], name: string) =>
      codes(look(fleet.objects(), fleet.nowMs, { kind, name }));
    expect(of('pool', 'worker')).toEqual(['RebootFailed']);
    expect(of('pool', 'infra')).toEqual(['PoolPaused']);
    expect(of('node', 'worker-0')).toEqual(['RebootFailed']);
    // It waits for the one that failed.
    expect(of('node', 'worker-1')).toEqual(['RebootFailed']);
    expect(of('node', 'infra-0')).toEqual(['PoolPaused']);
    expect(of('build', 'worker')).toEqual([]);
  });

  it('names several nodes with the same cause once', () => {
    const fleet = new Fleet().pool('worker', 3, { configuration: { name: NEW }, maxUnavailable: 3 });
    for (const name of ['worker-2', 'worker-0', 'worker-1']) {
      fleet.send(name);
      fleet.report(name, { kind: 'update-found' }, { kind: 'failed', error: 'reboot command failed' });
    }
    const { top, others } = look(fleet.objects(), fleet.nowMs);
    expect(top?.about.name).toBe('worker-0');
    expect(top?.also?.map(({ name }) => name)).toEqual(['worker-1', 'worker-2']);
    expect(others).toEqual([]);
  });

  it('without anything that blocks has warnings among what else was seen', () => {
    const fleet = new Fleet().pool('worker', 1);
    fleet.relabel('worker-0', 'storage');
    const found = look(fleet.objects(), fleet.nowMs);
    expect([found.isBlocked, found.top, ...codes(found)]).toEqual([false, undefined, 'NodeInNoPool']);
  });

  it('shows no credentials, and each text in one line of limited length', () => {
    const fleet = new Fleet().pool('worker', 1);
    fleet.send('worker-0');
    const error = `Get https://ann:hunter2@r.example/: \x1b[31m${'x '.repeat(2_000)}`;
    fleet.report('worker-0', { kind: 'update-found' }, { kind: 'failed', error });
    const text = JSON.stringify(look(fleet.objects(), fleet.nowMs));
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain('\\u001b');
    expect(text.length).toBeLessThan(5_000);
  });

  it('asks for more only where a state calls for it', () => {
    const needs = (fleet: Fleet) =>
      furtherNeeds(
        clusterSnapshot({
          nowMs: fleet.nowMs,
          objects: fleet.objects() as readonly SnapshotObject[],
          kinds: [],
        }),
        NAMESPACE,
      ).map(({ kind }) => kind.kind);
    expect(needs(new Fleet().pool('worker', 3))).toEqual([]);
    const draining = new Fleet().pool('worker', 3);
    draining.send('worker-0');
    draining.report('worker-0', { kind: 'update-found' });
    draining.drain('worker-0', { lastRefusal: aRefusal });
    expect(needs(draining)).toEqual(['PodDisruptionBudget']);
  });
});

const KINDS = [
  ...kinds,
  ...[node, pod, lease, deployment, daemonSet, job, event, podDisruptionBudget, certificateSigningRequest],
];

/** Fields that rules look at, with values of any type. */
const anything = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -1, 1e300, '', 'True', 'x', '2026-01-01T00:00:00Z', '{"request":'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom(
        ...[
          'spec',
          'status',
          'conditions',
          'type',
          'reason',
          'message',
          'lastTransitionTime',
          'labels',
          'annotations',
        ],
        ...[
          'configuration',
          'name',
          'nodeSelector',
          'matchLabels',
          'maxUnavailable',
          'machineConfigPool',
          'containerFile',
        ],
        ...Object.values(annotations),
      ),
      tie('value'),
    ),
  ),
})).value;

const typeAt = (at: number) => {
  const kind = KINDS[at] ?? node;
  return { apiVersion: apiVersionOf(kind), kind: kind.kind };
};

it('no object makes a diagnosis throw', () => {
  const objects = fc.array(
    fc.tuple(
      fc.nat({ max: KINDS.length - 1 }),
      fc.constantFrom('worker', 'master', 'a', 'machine-config'),
      anything,
      anything,
      anything,
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(objects, (drawn) => {
      const all = drawn.map(([at, name, metadata, spec, status]) => ({
        ...typeAt(at),
        ...{ spec, status },
        metadata: { ...(metadata !== null && typeof metadata === 'object' ? metadata : {}), name },
      }));
      const found = look(all, Date.UTC(2026, 0, 2));
      expect(found.others).toBeInstanceOf(Array);
    }),
    { numRuns: 300 },
  );
});
