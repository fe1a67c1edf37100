import { describe, expect, it } from 'vitest';
import { listedRules } from '../../../test/support/listed-rules.ts';
import { formatProblem } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { localSubjectAccessReview, selfSubjectAccessReview, subjectAccessReview } from './access-reviews.ts';
import { bootstrapPolicy } from './bootstrap-policy.ts';
import type { Reviewed } from './review.ts';
import type { User } from './user.ts';

const source = listedRules(bootstrapPolicy);
const bob: User = { name: 'bob', groups: ['system:authenticated'] };
const pods = { verb: 'get', resource: 'pods', namespace: 'default' };
const health = { path: '/healthz', verb: 'get' };

const self = (review: JsonObject): Reviewed => selfSubjectAccessReview(review, bob, source);
const subject = (review: JsonObject): Reviewed => subjectAccessReview(review, source);
const local = (review: JsonObject): Reviewed => localSubjectAccessReview(review, 'default', source);

const problemsOf = (reviewed: Reviewed): readonly string[] =>
  reviewed.kind === 'invalid' ? reviewed.problems.map(formatProblem) : [reviewed.kind];
const statusOf = (reviewed: Reviewed): unknown =>
  reviewed.kind === 'answer' ? reviewed.object.status : problemsOf(reviewed);

const BOTH =
  'spec.nonResourceAttributes: Invalid value: authorization.NonResourceAttributes{Path:"/healthz", Verb:"get"}: cannot be specified in combination with resourceAttributes';
const NEITHER =
  'spec.resourceAttributes: Invalid value: "null": exactly one of nonResourceAttributes or resourceAttributes must be specified';
const NO_USER = 'spec.user: Invalid value: "": at least one of user or group must be specified';

function meta(set: { name?: string; namespace?: string; resourceVersion?: string; rest?: string }): string {
  const { name = '', namespace = '', resourceVersion = '' } = set;
  const rest =
    set.rest ??
    'Labels:map[string]string(nil), Annotations:map[string]string(nil), OwnerReferences:[]v1.OwnerReference(nil), Finalizers:[]string(nil)';
  return `metadata: Invalid value: v1.ObjectMeta{Name:"${name}", GenerateName:"", Namespace:"${namespace}", SelfLink:"", UID:"", ResourceVersion:"${resourceVersion}", Generation:0, CreationTimestamp:time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC), DeletionTimestamp:<nil>, DeletionGracePeriodSeconds:(*int64)(nil), ${rest}, ManagedFields:[]v1.ManagedFieldsEntry(nil)}`;
}

describe('accessReviewProblems', () => {
  it.each<[string, Reviewed, readonly string[]]>([
    ['neither attributes', self({}), [NEITHER]],
    ['both attributes', self({ spec: { resourceAttributes: pods, nonResourceAttributes: health } }), [BOTH]],
    ['no user', subject({ spec: { resourceAttributes: pods } }), [NO_USER]],
    ['no user and no attributes', subject({ spec: {} }), [NEITHER, NO_USER]],
    [
      'a name',
      self({ metadata: { name: 'x' }, spec: { resourceAttributes: pods } }),
      [`${meta({ name: 'x' })}: must be empty`],
    ],
    [
      'all kinds of metadata',
      self({
        metadata: {
          namespace: 'gone',
          uid: 'gone',
          creationTimestamp: '2020-01-02T03:04:05Z',
          resourceVersion: '1',
          labels: {},
          annotations: { b: 'c', a: 'b' },
          finalizers: ['x'],
          ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: 'n', uid: 'u' }],
        },
        spec: { resourceAttributes: pods },
      }),
      [
        `${meta({
          resourceVersion: '1',
          rest: 'Labels:map[string]string{}, Annotations:map[string]string{"a":"b", "b":"c"}, OwnerReferences:[]v1.OwnerReference{v1.OwnerReference{APIVersion:"v1", Kind:"K", Name:"n", UID:"u", Controller:(*bool)(nil), BlockOwnerDeletion:(*bool)(nil)}}, Finalizers:[]string{"x"}',
        })}: must be empty`,
      ],
    ],
    [
      'another namespace',
      local({ spec: { user: 'a', resourceAttributes: { ...pods, namespace: 'other' } } }),
      ['spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace'],
    ],
    [
      'no namespace',
      local({ spec: { user: 'a', resourceAttributes: { verb: 'get' } } }),
      ['spec.resourceAttributes.namespace: Invalid value: "": must match metadata.namespace'],
    ],
    [
      'a path in a namespace',
      local({ spec: { user: 'a', nonResourceAttributes: health } }),
      [
        'spec.nonResourceAttributes: Invalid value: authorization.NonResourceAttributes{Path:"/healthz", Verb:"get"}: disallowed on this kind of request',
      ],
    ],
    [
      'everything at once',
      local({
        metadata: { name: 'x', namespace: 'default' },
        spec: { resourceAttributes: { namespace: 'q' }, nonResourceAttributes: health },
      }),
      [
        BOTH,
        NO_USER,
        `${meta({ name: 'x', namespace: 'default' })}: must be empty except for namespace`,
        'spec.resourceAttributes.namespace: Invalid value: "q": must match metadata.namespace',
        'spec.nonResourceAttributes: Invalid value: authorization.NonResourceAttributes{Path:"/healthz", Verb:"get"}: disallowed on this kind of request',
      ],
    ],
  ])('%s', (_, reviewed, problems) => {
    expect(problemsOf(reviewed)).toEqual(problems);
  });

  it('ignores values of the wrong type', () => {
    expect(problemsOf(self({ spec: [], metadata: 'x' }))).toEqual([NEITHER]);
    expect(problemsOf(subject({ spec: { user: 5, groups: 'a', resourceAttributes: null } }))).toEqual([
      NEITHER,
      NO_USER,
    ]);
  });
});

describe('the response to a review', () => {
  it('is the review with a status and without stored metadata', () => {
    const sent = {
      kind: 'SelfSubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: {
        namespace: 'x',
        uid: 'u',
        managedFields: [{ manager: 'me' }],
        creationTimestamp: '2020-01-02T03:04:05Z',
      },
      spec: { resourceAttributes: pods },
      status: { allowed: true, reason: 'set by the client' },
    };
    expect(self(sent)).toEqual({
      kind: 'answer',
      object: {
        ...sent,
        metadata: { creationTimestamp: null, managedFields: [{ manager: 'me' }] },
        status: { allowed: false },
      },
    });
    expect(local({ spec: { user: 'a', resourceAttributes: pods } })).toMatchObject({
      object: { metadata: { namespace: 'default', creationTimestamp: null }, status: { allowed: false } },
    });
  });

  it.each<[string, Reviewed, JsonObject]>([
    [
      'a path',
      self({ spec: { nonResourceAttributes: health } }),
      {
        allowed: true,
        reason:
          'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"',
      },
    ],
    ['empty attributes', self({ spec: { resourceAttributes: {} } }), { allowed: false }],
    [
      'the rights of a group',
      subject({ spec: { groups: ['system:masters'], resourceAttributes: pods } }),
      { allowed: true },
    ],
    [
      'the rights of an account',
      subject({
        spec: {
          user: 'system:serviceaccount:kube-system:job-controller',
          extra: { a: ['b'] },
          resourceAttributes: { verb: 'list', group: 'batch', resource: 'jobs' },
        },
      }),
      {
        allowed: true,
        reason:
          'RBAC: allowed by ClusterRoleBinding "system:controller:job-controller" of ClusterRole "system:controller:job-controller" to ServiceAccount "job-controller/kube-system"',
      },
    ],
  ])('%s', (_, reviewed, status) => {
    expect(statusOf(reviewed)).toEqual(status);
  });
});

describe('selectors in a review', () => {
  const withSelectors = (selectors: JsonObject): Reviewed =>
    self({ spec: { resourceAttributes: { ...pods, ...selectors } } });
  const at = 'spec.resourceAttributes';

  it('must be given in one form only', () => {
    const both = { rawSelector: 'a=b', requirements: [{ key: 'a', operator: 'In', values: ['b'] }] };
    expect(problemsOf(withSelectors({ fieldSelector: both }))).toEqual([
      `${at}.fieldSelector.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements`,
    ]);
    expect(problemsOf(withSelectors({ fieldSelector: {}, labelSelector: {} }))).toEqual(
      ['fieldSelector', 'labelSelector'].map(
        (field) =>
          `${at}.${field}.requirements: Required value: when ${at}.${field} is specified, requirements or rawSelector is required`,
      ),
    );
  });

  it('accept unknown operators', () => {
    const fieldSelector = {
      requirements: [
        { key: '', operator: 'In' },
        { key: 'a', operator: 'Exists', values: ['x'] },
        { key: 'a', operator: 'Odd' },
      ],
    };
    const labelSelector = {
      requirements: [
        { key: '-', operator: 'In', values: ['-'] },
        { key: 'a', operator: 'Exists', values: ['x'] },
      ],
    };
    expect(problemsOf(withSelectors({ fieldSelector, labelSelector }))).toEqual([
      `${at}.fieldSelector.requirements[0].key: Required value: must be specified`,
      `${at}.fieldSelector.requirements[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
      `${at}.fieldSelector.requirements[1].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
      expect.stringMatching(
        /labelSelector\.requirements\[0\]\.key: Invalid value: "-": name part must consist of/,
      ),
      expect.stringMatching(
        /labelSelector\.requirements\[0\]\.values\[0\]: Invalid value: "-": a valid label must be/,
      ),
      `${at}.labelSelector.requirements[1].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
    ]);
  });

  it.each<[string, JsonObject, string | undefined]>([
    [
      'some demands',
      {
        fieldSelector: {
          requirements: [
            { key: 'a', operator: 'In', values: ['b'] },
            { key: 'a', operator: 'In', values: ['b', 'c'] },
          ],
        },
        labelSelector: {
          requirements: [
            { key: 'a', operator: 'In', values: ['b'] },
            { key: 'a', operator: 'Odd' },
          ],
        },
      },
      'partially ignored',
    ],
    [
      'all demands',
      {
        fieldSelector: { requirements: [{ key: 'a', operator: 'Exists' }] },
        labelSelector: { requirements: [{ key: 'a', operator: 'Odd' }] },
      },
      'ignored',
    ],
    [
      'nothing that can be read',
      {
        fieldSelector: { rawSelector: 'metadata.name=a' },
        labelSelector: { requirements: [{ key: 'a', operator: 'Exists' }] },
      },
      undefined,
    ],
  ])('are reported if they are not understood: %s', (_, selectors, extent) => {
    const problem = (field: string) => `${at}.${field} ${extent} due to parse error`;
    const evaluationError = `${problem('fieldSelector')}; ${problem('labelSelector')}`;
    const status = { allowed: false, ...(extent === undefined ? {} : { evaluationError }) };
    expect(statusOf(withSelectors(selectors))).toEqual(status);
  });
});
