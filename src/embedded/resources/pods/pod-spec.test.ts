/** Recorded from kube-apiserver 1.33. Messages are compared without the examples at their end. */
import { describe, expect, it } from 'vitest';
import { created } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { podStrategy } from './pod.ts';

const ROWS: readonly (readonly [what: string, spec: JsonObject, causes: readonly string[]])[] = [
  [
    'a restart policy',
    { containers: [{ name: 'a', image: 'x' }], restartPolicy: 'Often' },
    [
      'spec.restartPolicy FieldValueNotSupported: Unsupported value: "Often": supported values: "Always", "OnFailure", "Never"',
    ],
  ],
  [
    'a DNS policy',
    { containers: [{ name: 'a', image: 'x' }], dnsPolicy: 'X' },
    [
      'spec.dnsPolicy FieldValueNotSupported: Unsupported value: "X": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
    ],
  ],
  [
    'DNS policy None without a config',
    { containers: [{ name: 'a', image: 'x' }], dnsPolicy: 'None' },
    ['spec.dnsConfig FieldValueRequired: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
  ],
  [
    'a node selector',
    { containers: [{ name: 'a', image: 'x' }], nodeSelector: { 'a b': 'c d' } },
    [
      "spec.nodeSelector FieldValueInvalid: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      "spec.nodeSelector FieldValueInvalid: Invalid value: \"c d\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    'a node',
    { containers: [{ name: 'a', image: 'x' }], nodeName: 'A B' },
    [
      "spec.nodeName FieldValueInvalid: Invalid value: \"A B\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    'an active deadline',
    { containers: [{ name: 'a', image: 'x' }], activeDeadlineSeconds: 0 },
    [
      'spec.activeDeadlineSeconds FieldValueInvalid: Invalid value: 0: must be between 1 and 2147483647, inclusive',
    ],
  ],
  [
    'hostname and subdomain',
    { containers: [{ name: 'a', image: 'x' }], hostname: 'A.b', subdomain: 'C_d' },
    [
      'spec.hostname FieldValueInvalid: Invalid value: "A.b": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an alphanumeric character',
      'spec.subdomain FieldValueInvalid: Invalid value: "C_d": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an alphanumeric character',
    ],
  ],
  [
    'tolerations',
    {
      containers: [{ name: 'a', image: 'x' }],
      tolerations: [
        {},
        { key: 'a b' },
        { key: 'a', operator: 'Exists', value: 'x' },
        { key: 'a', operator: 'X' },
        { key: 'a', effect: 'X' },
        { key: 'a', tolerationSeconds: 5 },
        { key: 'a', value: 'b c' },
        { operator: 'Exists' },
      ],
    },
    [
      'spec.tolerations[0].operator FieldValueInvalid: Invalid value: "": operator must be Exists when `key` is empty, which means "match all values and all keys"',
      "spec.tolerations[1].key FieldValueInvalid: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'spec.tolerations[2].operator FieldValueInvalid: Invalid value: "x": value must be empty when `operator` is \'Exists\'',
      'spec.tolerations[3].operator FieldValueNotSupported: Unsupported value: "X": supported values: "Equal", "Exists"',
      'spec.tolerations[4].effect FieldValueNotSupported: Unsupported value: "X": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      'spec.tolerations[5].effect FieldValueInvalid: Invalid value: "": effect must be \'NoExecute\' when `tolerationSeconds` is set',
      "spec.tolerations[6].operator FieldValueInvalid: Invalid value: \"b c\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    'host aliases',
    { containers: [{ name: 'a', image: 'x' }], hostAliases: [{ ip: 'x', hostnames: ['A B'] }] },
    [
      'spec.hostAliases[0].ip FieldValueInvalid: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      "spec.hostAliases[0].hostnames[0] FieldValueInvalid: Invalid value: \"A B\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    'affinity',
    {
      containers: [{ name: 'a', image: 'x' }],
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] },
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 0,
              preference: {
                matchExpressions: [
                  { key: 'a b', operator: 'X' },
                  { key: 'a', operator: 'In' },
                  { key: 'b', operator: 'Exists', values: ['x'] },
                  { key: 'c', operator: 'Gt', values: ['1', '2'] },
                ],
                matchFields: [{ key: 'x', operator: 'In', values: ['a'] }],
              },
            },
          ],
        },
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: '' }] },
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 101,
              podAffinityTerm: { topologyKey: 'a b', labelSelector: { matchLabels: { 'a b': 'x' } } },
            },
          ],
        },
      },
    },
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms FieldValueRequired: Required value: must have at least one node selector term',
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight FieldValueInvalid: Invalid value: 0: must be in the range 1-100',
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].operator FieldValueInvalid: Invalid value: "X": not a valid selector operator',
      "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].key FieldValueInvalid: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[1].values FieldValueRequired: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[2].values FieldValueForbidden: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[3].values FieldValueRequired: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchFields[0].key FieldValueInvalid: Invalid value: "x": not a valid field selector key',
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey FieldValueRequired: Required value: can not be empty',
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey FieldValueInvalid: Invalid value: "": name part must be non-empty',
      "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey FieldValueInvalid: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight FieldValueInvalid: Invalid value: 101: must be in the range 1-100',
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector.matchLabels FieldValueInvalid: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey FieldValueInvalid: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    'topology spread constraints',
    {
      containers: [{ name: 'a', image: 'x' }],
      topologySpreadConstraints: [
        { maxSkew: 0, topologyKey: '', whenUnsatisfiable: '' },
        { maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'X' },
        { maxSkew: 1, topologyKey: 'b', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
        { maxSkew: 1, topologyKey: 'b', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
        {
          maxSkew: 1,
          topologyKey: 'c',
          whenUnsatisfiable: 'ScheduleAnyway',
          minDomains: 1,
          labelSelector: {},
        },
      ],
    },
    [
      'spec.topologySpreadConstraints[0].maxSkew FieldValueInvalid: Invalid value: 0: must be greater than zero',
      'spec.topologySpreadConstraints[0].topologyKey FieldValueRequired: Required value: can not be empty',
      'spec.topologySpreadConstraints[0].whenUnsatisfiable FieldValueNotSupported: Unsupported value: "": supported values: "DoNotSchedule", "ScheduleAnyway"',
      'spec.topologySpreadConstraints[1].whenUnsatisfiable FieldValueNotSupported: Unsupported value: "X": supported values: "DoNotSchedule", "ScheduleAnyway"',
      'spec.topologySpreadConstraints[2].{topologyKey, whenUnsatisfiable} FieldValueDuplicate: Duplicate value: "{b, DoNotSchedule}"',
      'spec.topologySpreadConstraints[4].minDomains FieldValueInvalid: Invalid value: 1: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
    ],
  ],
  [
    'user and group IDs and sysctls',
    {
      containers: [{ name: 'a', image: 'x' }],
      securityContext: {
        sysctls: [
          { name: '', value: '' },
          { name: 'a b', value: '' },
          { name: 'a.b', value: '' },
          { name: 'a.b', value: '' },
        ],
        runAsUser: -1,
        runAsGroup: -1,
        fsGroup: -1,
        supplementalGroups: [-1],
      },
    },
    [
      'spec.securityContext.fsGroup FieldValueInvalid: Invalid value: -1: must be between 0 and 2147483647, inclusive',
      'spec.securityContext.runAsUser FieldValueInvalid: Invalid value: -1: must be between 0 and 2147483647, inclusive',
      'spec.securityContext.runAsGroup FieldValueInvalid: Invalid value: -1: must be between 0 and 2147483647, inclusive',
      'spec.securityContext.supplementalGroups[0] FieldValueInvalid: Invalid value: -1: must be between 0 and 2147483647, inclusive',
      'spec.securityContext.sysctls[0].name FieldValueRequired: Required value',
      'spec.securityContext.sysctls[1].name FieldValueInvalid: Invalid value: "a b": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
      'spec.securityContext.sysctls[3].name FieldValueDuplicate: Duplicate value: "a.b"',
    ],
  ],
  [
    'a seccomp profile',
    { containers: [{ name: 'a', image: 'x', securityContext: { seccompProfile: { type: 'X' } } }] },
    [
      'spec.containers[0].securityContext.seccompProfile.type FieldValueNotSupported: Unsupported value: "X": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
    ],
  ],
  [
    'both hostPID and shareProcessNamespace',
    { containers: [{ name: 'a', image: 'x' }], shareProcessNamespace: true, hostPID: true },
    [
      'spec.securityContext.shareProcessNamespace FieldValueInvalid: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled',
    ],
  ],
  [
    'readiness gates',
    { containers: [{ name: 'a', image: 'x' }], readinessGates: [{ conditionType: 'a b' }] },
    [
      "spec.readinessGates[0].conditionType FieldValueInvalid: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    'scheduling gates',
    {
      containers: [{ name: 'a', image: 'x' }],
      schedulingGates: [{ name: 'a b' }, { name: 'a' }, { name: 'a' }],
      nodeName: 'x',
    },
    [
      "spec.schedulingGates[0] FieldValueInvalid: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'spec.schedulingGates[2] FieldValueDuplicate: Duplicate value: "a"',
      'spec.nodeName FieldValueForbidden: Forbidden: cannot be set until all schedulingGates have been cleared',
    ],
  ],
  [
    'ephemeral containers',
    { containers: [{ name: 'a', image: 'x' }], ephemeralContainers: [{ name: 'e', image: 'x' }] },
    ['spec.ephemeralContainers FieldValueForbidden: Forbidden: cannot be set on create'],
  ],
  [
    'an operating system',
    { containers: [{ name: 'a', image: 'x' }], os: { name: 'plan9' } },
    ['spec.os FieldValueNotSupported: Unsupported value: "plan9": supported values: "linux", "windows"'],
  ],
];

describe('the validation of pod specs', () => {
  it.each(ROWS)('rejects with the messages of kube-apiserver: %s', (_, spec, causes) => {
    const found = created(podStrategy, { metadata: { name: 'a' }, spec });
    expect(found.causes.map((cause) => cause.replace(/ \(e\.g\. '.*$/, ''))).toEqual(causes);
  });
});
