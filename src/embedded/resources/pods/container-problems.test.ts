/** Recorded from kube-apiserver 1.33. Messages are compared without the examples at their end. */
import { describe, expect, it } from 'vitest';
import { created } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { podStrategy } from './pod.ts';

const ROWS: readonly (readonly [what: string, spec: JsonObject, causes: readonly string[]])[] = [
  [
    'duplicate names',
    {
      containers: [
        { name: 'a', image: 'x' },
        { name: 'a', image: 'x' },
      ],
    },
    ['spec.containers[1].name FieldValueDuplicate: Duplicate value: "a"'],
  ],
  [
    'a container without a name',
    { containers: [{ image: 'x' }] },
    ['spec.containers[0].name FieldValueRequired: Required value'],
  ],
  [
    'an init container with the name of another',
    { containers: [{ name: 'a', image: 'x' }], initContainers: [{ name: 'a', image: 'x' }] },
    ['spec.initContainers[0].name FieldValueDuplicate: Duplicate value: "a"'],
  ],
  [
    'an init container with probes',
    {
      containers: [{ name: 'a', image: 'x' }],
      initContainers: [
        {
          name: 'i',
          image: 'x',
          livenessProbe: { exec: { command: ['x'] } },
          readinessProbe: { exec: { command: ['x'] } },
          startupProbe: { exec: { command: ['x'] } },
          lifecycle: {},
        },
      ],
    },
    [
      'spec.initContainers[0].lifecycle FieldValueForbidden: Forbidden: may not be set for init containers without restartPolicy=Always',
      'spec.initContainers[0].livenessProbe FieldValueForbidden: Forbidden: may not be set for init containers without restartPolicy=Always',
      'spec.initContainers[0].readinessProbe FieldValueForbidden: Forbidden: may not be set for init containers without restartPolicy=Always',
      'spec.initContainers[0].startupProbe FieldValueForbidden: Forbidden: may not be set for init containers without restartPolicy=Always',
    ],
  ],
  [
    'an init container with restartPolicy Never',
    {
      containers: [{ name: 'a', image: 'x' }],
      initContainers: [{ name: 'i', image: 'x', restartPolicy: 'Never' }],
    },
    [
      'spec.initContainers[0].restartPolicy FieldValueNotSupported: Unsupported value: "Never": supported values: "Always"',
    ],
  ],
  [
    'a restart policy of a container',
    { containers: [{ name: 'a', image: 'x', restartPolicy: 'Always' }] },
    [
      'spec.containers[0].restartPolicy FieldValueForbidden: Forbidden: may not be set for non-init containers',
    ],
  ],
  [
    'an unknown pull policy',
    { containers: [{ name: 'a', image: 'x', imagePullPolicy: 'Sometimes' }] },
    [
      'spec.containers[0].imagePullPolicy FieldValueNotSupported: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"',
    ],
  ],
  [
    'an unknown termination message policy',
    { containers: [{ name: 'a', image: 'x', terminationMessagePolicy: 'X' }] },
    [
      'spec.containers[0].terminationMessagePolicy FieldValueNotSupported: Unsupported value: "X": supported values: "File", "FallbackToLogsOnError"',
    ],
  ],
  [
    'ports',
    {
      containers: [
        {
          name: 'a',
          image: 'x',
          ports: [
            { containerPort: 0 },
            { containerPort: 99999 },
            { containerPort: 80, name: 'UPPER' },
            { containerPort: 81, name: 'toolongtoolongtoolong' },
            { containerPort: 82, name: 'ok' },
            { containerPort: 83, name: 'ok' },
            { containerPort: 84, protocol: 'ICMP' },
            { containerPort: 85, hostPort: 70000 },
            { containerPort: 1, name: '123' },
            { containerPort: 2, name: 'a--b' },
            { containerPort: 3, name: '-a' },
          ],
        },
      ],
    },
    [
      'spec.containers[0].ports[0].containerPort FieldValueRequired: Required value',
      'spec.containers[0].ports[1].containerPort FieldValueInvalid: Invalid value: 99999: must be between 1 and 65535, inclusive',
      'spec.containers[0].ports[2].name FieldValueInvalid: Invalid value: "UPPER": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'spec.containers[0].ports[2].name FieldValueInvalid: Invalid value: "UPPER": must contain at least one letter (a-z)',
      'spec.containers[0].ports[3].name FieldValueInvalid: Invalid value: "toolongtoolongtoolong": must be no more than 15 characters',
      'spec.containers[0].ports[5].name FieldValueDuplicate: Duplicate value: "ok"',
      'spec.containers[0].ports[6].protocol FieldValueNotSupported: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
      'spec.containers[0].ports[7].hostPort FieldValueInvalid: Invalid value: 70000: must be between 1 and 65535, inclusive',
      'spec.containers[0].ports[8].name FieldValueInvalid: Invalid value: "123": must contain at least one letter (a-z)',
      'spec.containers[0].ports[9].name FieldValueInvalid: Invalid value: "a--b": must not contain consecutive hyphens',
      'spec.containers[0].ports[10].name FieldValueInvalid: Invalid value: "-a": must not begin or end with a hyphen',
    ],
  ],
  [
    'two containers with one host port',
    {
      containers: [
        { name: 'a', image: 'x', ports: [{ containerPort: 1, hostPort: 80 }] },
        { name: 'b', image: 'x', ports: [{ containerPort: 2, hostPort: 80 }] },
      ],
    },
    ['spec.containers[1].ports[0].hostPort FieldValueDuplicate: Duplicate value: "TCP//80"'],
  ],
  [
    'a host port that differs under hostNetwork',
    {
      containers: [{ name: 'a', image: 'x', ports: [{ containerPort: 1, hostPort: 2 }] }],
      hostNetwork: true,
    },
    [
      'spec.containers[0].ports[0].hostPort FieldValueInvalid: Invalid value: 2: must match `containerPort` when `hostNetwork` is true',
    ],
  ],
  [
    'an image with leading and trailing spaces',
    { containers: [{ name: 'a', image: ' x ' }] },
    [
      'spec.containers[0].image FieldValueInvalid: Invalid value: " x ": must not have leading or trailing whitespace',
    ],
  ],
  [
    'no image',
    { containers: [{ name: 'a', image: '' }] },
    ['spec.containers[0].image FieldValueRequired: Required value'],
  ],
  [
    'an unknown resize policy',
    { containers: [{ name: 'a', image: 'x', resizePolicy: [{ resourceName: 'foo', restartPolicy: 'X' }] }] },
    [
      'spec.containers[0].resizePolicy FieldValueNotSupported: Unsupported value: foo: supported values: "cpu", "memory"',
      'spec.containers[0].resizePolicy FieldValueNotSupported: Unsupported value: "X": supported values: "NotRequired", "RestartContainer"',
    ],
  ],
];

describe('the validation of containers', () => {
  it.each(ROWS)('rejects with the messages of kube-apiserver: %s', (_, spec, causes) => {
    const found = created(podStrategy, { metadata: { name: 'a' }, spec });
    expect(found.causes.map((cause) => cause.replace(/ \(e\.g\. '.*$/, ''))).toEqual(causes);
  });
});
