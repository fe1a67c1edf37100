import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { canonicalJson, type JsonObject } from '../../base/json.ts';
import { bodies, builtins } from '../../kubernetes/types/index.ts';
import { printerFor } from './printers.ts';

const origin = 'builtin';

describe('a malformed object', () => {
  const hostile: readonly [string, JsonObject][] = [
    ['no fields', {}],
    [
      'strings in place of objects',
      { metadata: 'm', spec: 's', status: 's', subsets: 's', roleRef: 'r', data: 'd' },
    ],
    ['lists in place of objects', { metadata: [], spec: [], status: [], series: [], involvedObject: [] }],
    ['nulls', { metadata: null, spec: null, status: null, subjects: null, source: null, series: null }],
    [
      'lists of mixed values',
      {
        subjects: [null, 'x', 5],
        subsets: [null, 5, { addresses: [null], ports: [null, 'x'] }],
        spec: { ports: [null, 'x'], containers: 5, initContainers: [null], selector: [], clusterIPs: [5] },
        status: {
          conditions: [null, 'x', {}],
          containerStatuses: [null, 5, {}],
          initContainerStatuses: ['x'],
        },
      },
    ],
    [
      'keys of Object.prototype',
      JSON.parse('{"metadata":{"__proto__":{"name":"x"},"labels":{"__proto__":"x"}}}'),
    ],
  ];

  it.each([...builtins, ...bodies])('is printed as a $kind', (kind) => {
    const printer = printerFor({ ...kind, origin });
    for (const [, object] of hostile) {
      expect(printer.row(object, 0).cells).toHaveLength(printer.columns.length);
    }
  });
});

/**
 * The columns of every kind as in kube-apiserver 1.33; a plus marks those of `-o wide`. The number is a prefix of the
 * SHA-256 of all column definitions, so that descriptions need not be repeated.
 */
const recorded: readonly [string, string, string][] = [
  ['/ConfigMap', 'Name, Data, Age', '04bfda91f39b'],
  ['/Endpoints', 'Name, Endpoints, Age', '5ab6171b0939'],
  [
    '/Event',
    'Last Seen, Type, Reason, Object, Subobject+, Source+, Message, First Seen+, Count+, Name+',
    'b546b2a0c2ef',
  ],
  ['/Namespace', 'Name, Status, Age', '637d7eef9614'],
  [
    '/Node',
    'Name, Status, Roles, Age, Version, Internal-IP+, External-IP+, OS-Image+, Kernel-Version+, Container-Runtime+',
    '69e1954880cb',
  ],
  [
    '/Pod',
    'Name, Ready, Status, Restarts, Age, IP+, Node+, Nominated Node+, Readiness Gates+',
    'c9deea5a27e1',
  ],
  ['/Secret', 'Name, Type, Data, Age', 'bb332e81b14b'],
  ['/Service', 'Name, Type, Cluster-IP, External-IP, Port(s), Age, Selector+', '3fec53bf2411'],
  ['/ServiceAccount', 'Name, Secrets, Age', '7b09798b5592'],
  [
    'admissionregistration.k8s.io/ValidatingAdmissionPolicy',
    'Name, Validations, ParamKind, Age',
    'da119b47961a',
  ],
  [
    'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding',
    'Name, PolicyName, ParamRef, Age',
    '116ec0b849a5',
  ],
  ['apiextensions.k8s.io/CustomResourceDefinition', 'Name, Created At', '74ecd003c66d'],
  [
    'apps/DaemonSet',
    'Name, Desired, Current, Ready, Up-to-date, Available, Node Selector, Age, Containers+, Images+, Selector+',
    'cf9d383ef3f9',
  ],
  [
    'apps/Deployment',
    'Name, Ready, Up-to-date, Available, Age, Containers+, Images+, Selector+',
    '1ecf83a8b865',
  ],
  ['apps/ReplicaSet', 'Name, Desired, Current, Ready, Age, Containers+, Images+, Selector+', '0f55e1b4afc9'],
  ['batch/Job', 'Name, Status, Completions, Duration, Age, Containers+, Images+, Selector+', '45f32bb2745a'],
  ['coordination.k8s.io/Lease', 'Name, Holder, Age', '98de2640b2df'],
  [
    'events.k8s.io/Event',
    'Last Seen, Type, Reason, Object, Subobject+, Source+, Message, First Seen+, Count+, Name+',
    'b546b2a0c2ef',
  ],
  [
    'policy/PodDisruptionBudget',
    'Name, Min Available, Max Unavailable, Allowed Disruptions, Age',
    '840726bb6c7b',
  ],
  ['rbac.authorization.k8s.io/ClusterRole', 'Name, Created At', '74ecd003c66d'],
  [
    'rbac.authorization.k8s.io/ClusterRoleBinding',
    'Name, Role, Age, Users+, Groups+, ServiceAccounts+',
    '13ba127f625e',
  ],
  ['rbac.authorization.k8s.io/Role', 'Name, Created At', '74ecd003c66d'],
  [
    'rbac.authorization.k8s.io/RoleBinding',
    'Name, Role, Age, Users+, Groups+, ServiceAccounts+',
    '6e425d85189f',
  ],
  ['autoscaling/Scale', 'Name, Desired, Available, Age', 'a5387b8f97c1'],
];

describe('the columns', () => {
  it.each(recorded)('of %s are %s', (key, names, digest) => {
    const [group = '', kind = ''] = key.split('/');
    const { columns } = printerFor({ group, version: 'v1', kind, origin });
    expect(columns.map(({ name, priority }) => `${name}${priority > 0 ? '+' : ''}`).join(', ')).toBe(names);
    expect(createHash('sha256').update(canonicalJson(columns)).digest('hex').slice(0, 12)).toBe(digest);
  });

  it('are recorded for every kind that can be listed', () => {
    const kinds = builtins.filter(({ listKind }) => listKind !== undefined);
    const keys = kinds.map(({ group, kind }) => `${group}/${kind}`);
    expect(recorded.map(([key]) => key)).toEqual(expect.arrayContaining(keys));
  });

  it('of a custom resource are never those of a built-in kind', () => {
    const { columns } = printerFor({ group: '', version: 'v1', kind: 'Pod', origin: 'custom' });
    expect(columns.map(({ name }) => name)).toEqual(['Name', 'Age']);
  });

  it('of a custom Scale have fewer descriptions than those of a built-in one', () => {
    const { columns, row } = printerFor({
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      origin: 'custom',
    });
    expect(columns).toMatchObject([
      { name: 'Name', format: 'name' },
      { name: 'Desired', type: 'integer', description: 'Number of desired replicas' },
      { name: 'Available', type: 'integer', description: 'Number of actual replicas' },
      { name: 'Age', type: 'date' },
    ]);
    const scale = { metadata: { name: 'a' }, spec: { replicas: 3 }, status: { replicas: 2 } };
    expect(row(scale, 0).cells).toEqual(['a', 3, 2, '<unknown>']);
  });
});
