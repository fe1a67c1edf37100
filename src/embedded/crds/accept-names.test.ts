import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { acceptNames, establish } from './accept-names.ts';
import { withApprovalCondition } from './approval.ts';
import { CLEANUP_FINALIZER, isTerminating, markDeleted, withDeletionPhase } from './deletion.ts';

const NOW = '2025-01-01T00:00:00Z';
const LATER = '2025-01-01T00:00:09Z';

const WIDGETS = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
const GADGETS = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' };

function aCrd(names: JsonObject, { group = 'example.com', annotations = {} } = {}): JsonObject {
  return {
    metadata: { name: `${String(names.plural)}.${group}`, annotations },
    spec: { group, scope: 'Cluster', names, versions: [] },
    status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] },
  };
}

function accepted(crd: JsonObject, others: readonly JsonObject[] = []): JsonObject {
  return acceptNames(crd, others, NOW) ?? crd;
}

describe('the names of a CRD', () => {
  it('are accepted first, then the CRD is established', () => {
    const named = accepted(aCrd({ ...WIDGETS, shortNames: ['w'], categories: ['all'] }));
    expect(named.status).toEqual({
      conditions: [
        {
          type: 'NamesAccepted',
          status: 'True',
          lastTransitionTime: NOW,
          reason: 'NoConflicts',
          message: 'no conflicts found',
        },
        {
          type: 'Established',
          status: 'False',
          lastTransitionTime: NOW,
          reason: 'Installing',
          message: 'the initial names have been accepted',
        },
      ],
      acceptedNames: { ...WIDGETS, shortNames: ['w'], categories: ['all'] },
      storedVersions: ['v1'],
    });
    expect(establish(named, LATER)).toMatchObject({
      status: {
        conditions: [
          { type: 'NamesAccepted', lastTransitionTime: NOW },
          {
            type: 'Established',
            status: 'True',
            lastTransitionTime: LATER,
            reason: 'InitialNamesAccepted',
            message: 'the initial names have been accepted',
          },
        ],
      },
    });
  });

  it('are not evaluated again once accepted, nor is an established CRD', () => {
    const named = accepted(aCrd(WIDGETS));
    expect(acceptNames(named, [], LATER)).toBeUndefined();
    const done = establish(named, NOW) ?? {};
    expect(establish(done, LATER)).toBeUndefined();
  });

  const taken = accepted(aCrd({ ...WIDGETS, shortNames: ['w', 'wd'] }));

  it.each<readonly [string, JsonObject, string, string]>([
    ['plural', { plural: 'widget' }, 'PluralConflict', '"widget" is already in use'],
    ['singular', { singular: 'widgets' }, 'SingularConflict', '"widgets" is already in use'],
    ['short name', { shortNames: ['g', 'w'] }, 'ShortNamesConflict', '"w" is already in use'],
    [
      'short names',
      { shortNames: ['w', 'wd'] },
      'ShortNamesConflict',
      '["w" is already in use, "wd" is already in use]',
    ],
    ['kind', { kind: 'Widget' }, 'KindConflict', '"Widget" is already in use'],
    ['list kind', { listKind: 'Widget' }, 'ListKindConflict', '"Widget" is already in use'],
  ])('conflict with those of another CRD: %s', (_, names, reason, message) => {
    const rejected = accepted(aCrd({ ...GADGETS, ...names }), [taken]);
    expect(rejected.status).toMatchObject({
      conditions: [
        { type: 'NamesAccepted', status: 'False', reason, message },
        {
          type: 'Established',
          status: 'False',
          reason: 'NotAccepted',
          message: 'not all names are accepted',
        },
      ],
    });
    expect(establish(rejected, NOW)).toBeUndefined();
    expect(acceptNames(rejected, [taken], LATER)).toBeUndefined();
  });

  it('are accepted if they are free although others conflict', () => {
    const rejected = accepted(aCrd({ ...GADGETS, shortNames: ['w'] }), [taken]);
    expect(rejected.status).toMatchObject({ acceptedNames: GADGETS });
  });

  it('are accepted once the conflicting CRD is gone', () => {
    const rejected = accepted(aCrd({ ...GADGETS, shortNames: ['w'] }), [taken]);
    expect(acceptNames(rejected, [], LATER)?.status).toMatchObject({
      acceptedNames: { ...GADGETS, shortNames: ['w'] },
      conditions: [
        { type: 'NamesAccepted', status: 'True', lastTransitionTime: LATER },
        { type: 'Established', status: 'False', lastTransitionTime: NOW, reason: 'Installing' },
      ],
    });
  });

  it('do not conflict with those of another group', () => {
    const other = accepted(aCrd(WIDGETS, { group: 'other.com' }), [taken]);
    expect(other.status).toMatchObject({ acceptedNames: WIDGETS });
  });

  it('may change later, and the CRD stays established', () => {
    const done = establish(accepted(aCrd(WIDGETS)), NOW) ?? {};
    const spec = done.spec as JsonObject;
    const changed = { ...done, spec: { ...spec, names: { ...WIDGETS, shortNames: ['x', 'w'] } } };
    expect(acceptNames(changed, [taken], LATER)?.status).toMatchObject({
      acceptedNames: WIDGETS,
      conditions: [
        { type: 'NamesAccepted', status: 'False', lastTransitionTime: LATER },
        { type: 'Established', status: 'True', lastTransitionTime: NOW },
      ],
    });
    expect(acceptNames(changed, [], LATER)?.status).toMatchObject({
      acceptedNames: { ...WIDGETS, shortNames: ['x', 'w'] },
    });
  });
});

describe('a CRD in a protected group', () => {
  const approvalOf = (annotation: string | undefined) =>
    withApprovalCondition(
      aCrd(WIDGETS, {
        group: 'a.k8s.io',
        annotations: annotation === undefined ? {} : { 'api-approved.kubernetes.io': annotation },
      }),
      NOW,
    )?.status;

  it.each([
    ['https://github.com/a/b', 'True', 'ApprovedAnnotation', 'approved in https://github.com/a/b'],
    ['unapproved, a test', 'False', 'UnapprovedAnnotation', 'not approved: "unapproved, a test"'],
    ['nonsense', 'False', 'InvalidAnnotation', expect.stringContaining('with either a URL or a reason')],
    [undefined, 'False', 'MissingAnnotation', expect.stringContaining('must have approval annotation')],
  ])('has an approval condition: %s', (annotation, status, reason, message) => {
    expect(approvalOf(annotation)).toMatchObject({
      conditions: [{ type: 'KubernetesAPIApprovalPolicyConformant', status, reason, message }],
    });
  });

  it('gets its approval condition once, and CRDs of other groups get none', () => {
    const evaluated = withApprovalCondition(aCrd(WIDGETS, { group: 'k8s.io' }), NOW);
    expect(evaluated && withApprovalCondition(evaluated, LATER)).toBeUndefined();
    expect(withApprovalCondition(aCrd(WIDGETS, { group: 'nok8s.io' }), NOW)).toBeUndefined();
  });
});

describe('a CRD that is deleted', () => {
  const crd = establish(accepted(aCrd(WIDGETS)), NOW) ?? {};
  const terminating = (object: JsonObject): unknown =>
    ((object.status as JsonObject).conditions as readonly JsonObject[]).at(-1);

  it('has a finalizer until its custom resources are deleted', () => {
    const deleted = markDeleted(crd, LATER);
    expect(deleted.metadata).toMatchObject({ deletionTimestamp: LATER, finalizers: [CLEANUP_FINALIZER] });
    expect(terminating(deleted)).toEqual({
      type: 'Terminating',
      status: 'True',
      lastTransitionTime: LATER,
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    });
    expect([isTerminating(crd), isTerminating(deleted)]).toEqual([false, true]);
  });

  it('is marked once', () => {
    const deleted = markDeleted(crd, NOW);
    expect(markDeleted(deleted, LATER)).toBe(deleted);
  });

  it('reports the progress in its Terminating condition', () => {
    const deleted = markDeleted(crd, NOW);
    const working = withDeletionPhase(deleted, { kind: 'in progress' }, LATER);
    expect(terminating(working)).toMatchObject({
      status: 'True',
      lastTransitionTime: NOW,
      reason: 'InstanceDeletionInProgress',
      message: 'CustomResource deletion is in progress',
    });
    const failed = withDeletionPhase(
      working,
      { kind: 'failed', what: 'could not list instances', why: 'no' },
      LATER,
    );
    expect(terminating(failed)).toMatchObject({
      reason: 'InstanceDeletionFailed',
      message: 'could not list instances: no',
    });
  });

  it('loses the finalizer at the end', () => {
    const deleted = withDeletionPhase(markDeleted(crd, NOW), { kind: 'completed' }, LATER);
    expect(deleted.metadata).not.toHaveProperty('finalizers');
    expect(terminating(deleted)).toMatchObject({
      status: 'False',
      lastTransitionTime: LATER,
      reason: 'InstanceDeletionCompleted',
      message: 'removed all instances',
    });
  });

  it('keeps other finalizers', () => {
    const held = { ...crd, metadata: { name: 'x', finalizers: ['example.com/hold'] } };
    const deleted = markDeleted(held, NOW);
    expect(deleted.metadata).toMatchObject({ finalizers: ['example.com/hold', CLEANUP_FINALIZER] });
    expect(withDeletionPhase(deleted, { kind: 'never established' }, NOW)).toMatchObject({
      metadata: { finalizers: ['example.com/hold'] },
    });
  });
});
