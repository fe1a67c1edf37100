/** Recorded from kube-apiserver 1.33. Messages are compared without the examples at their end. */
import { describe, expect, it } from 'vitest';
import { created } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { podStrategy } from './pod.ts';

const ROWS: readonly (readonly [what: string, spec: JsonObject, causes: readonly string[]])[] = [
  [
    'variables',
    {
      containers: [
        {
          name: 'a',
          image: 'x',
          env: [
            { name: '' },
            { name: 'A B' },
            { name: '1A' },
            { name: 'a=b' },
            { name: 'x', value: 'v', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
            { name: 'y', valueFrom: {} },
            { name: 'z', valueFrom: { fieldRef: { fieldPath: 'metadata.x' } } },
            { name: 'w', valueFrom: { configMapKeyRef: { name: '', key: '' } } },
            { name: 'v', valueFrom: { secretKeyRef: { name: 'A B', key: 'a/b' } } },
            { name: 'u', valueFrom: { resourceFieldRef: { resource: 'x.y' } } },
            {
              name: 't',
              valueFrom: { fieldRef: { fieldPath: 'metadata.name' }, secretKeyRef: { name: 'a', key: 'b' } },
            },
            { name: 's', valueFrom: { fieldRef: { fieldPath: '' } } },
            { name: 'r', valueFrom: { fieldRef: { fieldPath: "metadata.labels['a b']" } } },
            { name: 'q', valueFrom: { fieldRef: { fieldPath: "metadata.name['a']" } } },
            { name: '\u0001' },
          ],
        },
      ],
    },
    [
      'spec.containers[0].env[0].name FieldValueRequired: Required value',
      'spec.containers[0].env[3].name FieldValueInvalid: Invalid value: "a=b": a valid environment variable name must consist only of printable ASCII characters other than \'=\'',
      'spec.containers[0].env[4].valueFrom FieldValueInvalid: Invalid value: "": may not be specified when `value` is not empty',
      'spec.containers[0].env[5].valueFrom FieldValueInvalid: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
      'spec.containers[0].env[6].valueFrom.fieldRef.fieldPath FieldValueInvalid: Invalid value: "metadata.x": error converting fieldPath: field label not supported: metadata.x',
      "spec.containers[0].env[7].valueFrom.configMapKeyRef.name FieldValueInvalid: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      'spec.containers[0].env[7].valueFrom.configMapKeyRef.key FieldValueRequired: Required value',
      "spec.containers[0].env[8].valueFrom.secretKeyRef.name FieldValueInvalid: Invalid value: \"A B\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      "spec.containers[0].env[8].valueFrom.secretKeyRef.key FieldValueInvalid: Invalid value: \"a/b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
      'spec.containers[0].env[9].valueFrom.resourceFieldRef.resource FieldValueNotSupported: Unsupported value: "x.y": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
      'spec.containers[0].env[10].valueFrom FieldValueInvalid: Invalid value: "": may not have more than one field specified at a time',
      'spec.containers[0].env[11].valueFrom.fieldRef.fieldPath FieldValueRequired: Required value',
      "spec.containers[0].env[12].valueFrom.fieldRef FieldValueInvalid: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      "spec.containers[0].env[13].valueFrom.fieldRef.fieldPath FieldValueInvalid: Invalid value: \"metadata.name['a']\": error converting fieldPath: field label does not support subscript: metadata.name['a']",
      'spec.containers[0].env[14].name FieldValueInvalid: Invalid value: "\\x01": a valid environment variable name must consist only of printable ASCII characters other than \'=\'',
    ],
  ],
  [
    'envFrom sources',
    {
      containers: [
        {
          name: 'a',
          image: 'x',
          envFrom: [
            {},
            { configMapRef: { name: '' } },
            { secretRef: { name: 'A B' } },
            { prefix: 'a=', configMapRef: { name: 'x' } },
            { configMapRef: { name: 'x' }, secretRef: { name: 'x' } },
          ],
        },
      ],
    },
    [
      'spec.containers[0].envFrom FieldValueInvalid: Invalid value: "": must specify one of: `configMapRef` or `secretRef`',
      'spec.containers[0].envFrom[1].configMapRef.name FieldValueRequired: Required value',
      "spec.containers[0].envFrom[2].secretRef.name FieldValueInvalid: Invalid value: \"A B\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      'spec.containers[0].envFrom[3].prefix FieldValueInvalid: Invalid value: "a=": a valid environment variable name must consist only of printable ASCII characters other than \'=\'',
      'spec.containers[0].envFrom FieldValueInvalid: Invalid value: "": may not have more than one field specified at a time',
    ],
  ],
];

describe('the validation of environment variables', () => {
  it.each(ROWS)('rejects with the messages of kube-apiserver: %s', (_, spec, causes) => {
    const found = created(podStrategy, { metadata: { name: 'a' }, spec });
    expect(found.causes.map((cause) => cause.replace(/ \(e\.g\. '.*$/, ''))).toEqual(causes);
  });
});
