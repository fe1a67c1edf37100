/**
 * Recorded from kube-apiserver 1.33. Messages are compared without the examples at their end, and those of quantities
 * in any order: kube-apiserver iterates over a map.
 */
import { describe, expect, it } from 'vitest';
import { created } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { podStrategy } from './pod.ts';

const ROWS: readonly (readonly [what: string, spec: JsonObject, causes: readonly string[]])[] = [
  [
    'amounts',
    {
      containers: [
        {
          name: 'a',
          image: 'x',
          resources: {
            limits: {
              cpu: '1',
              memory: '-1',
              foo: '1',
              'example.com/x': '1.5',
              'a b': '1',
              'kubernetes.io/x': '1',
            },
            requests: { cpu: '2', 'example.com/y': '1' },
          },
        },
      ],
    },
    [
      "spec.containers[0].resources.limits[a b] FieldValueInvalid: Invalid value: a b: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'spec.containers[0].resources.limits[a b] FieldValueInvalid: Invalid value: a b: must be a standard resource for containers',
      'spec.containers[0].resources.limits[memory] FieldValueInvalid: Invalid value: "-1": must be greater than or equal to 0',
      'spec.containers[0].resources.limits[foo] FieldValueInvalid: Invalid value: foo: must be a standard resource type or fully qualified',
      'spec.containers[0].resources.limits[foo] FieldValueInvalid: Invalid value: foo: must be a standard resource for containers',
      'spec.containers[0].resources.limits[example.com/x] FieldValueInvalid: Invalid value: resource.Quantity{i:resource.int64Amount{value:15, scale:-1}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"", Format:"DecimalSI"}: must be an integer',
      'spec.containers[0].resources.requests[memory] FieldValueInvalid: Invalid value: "-1": must be greater than or equal to 0',
      'spec.containers[0].resources.requests[foo] FieldValueInvalid: Invalid value: foo: must be a standard resource type or fully qualified',
      'spec.containers[0].resources.requests[foo] FieldValueInvalid: Invalid value: foo: must be a standard resource for containers',
      'spec.containers[0].resources.requests FieldValueInvalid: Invalid value: "2": must be less than or equal to cpu limit of 1',
      'spec.containers[0].resources.limits FieldValueRequired: Required value: Limit must be set for non overcommitable resources',
      'spec.containers[0].resources.requests[example.com/x] FieldValueInvalid: Invalid value: resource.Quantity{i:resource.int64Amount{value:15, scale:-1}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"", Format:"DecimalSI"}: must be an integer',
      "spec.containers[0].resources.requests[a b] FieldValueInvalid: Invalid value: a b: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'spec.containers[0].resources.requests[a b] FieldValueInvalid: Invalid value: a b: must be a standard resource for containers',
    ],
  ],
  [
    'requests above the limits',
    {
      containers: [
        {
          name: 'a',
          image: 'x',
          resources: {
            requests: { cpu: '2', memory: '2Gi', 'ephemeral-storage': '2Gi' },
            limits: { cpu: '1', memory: '1Gi', 'ephemeral-storage': '1Gi' },
          },
        },
      ],
    },
    [
      'spec.containers[0].resources.requests FieldValueInvalid: Invalid value: "2": must be less than or equal to cpu limit of 1',
      'spec.containers[0].resources.requests FieldValueInvalid: Invalid value: "2Gi": must be less than or equal to memory limit of 1Gi',
      'spec.containers[0].resources.requests FieldValueInvalid: Invalid value: "2Gi": must be less than or equal to ephemeral-storage limit of 1Gi',
    ],
  ],
  [
    'requests that differ from the limits of resources without overcommit',
    {
      containers: [
        {
          name: 'a',
          image: 'x',
          resources: { requests: { 'example.com/x': '1' }, limits: { 'example.com/x': '2' } },
        },
      ],
    },
    [
      'spec.containers[0].resources.requests FieldValueInvalid: Invalid value: "1": must be equal to example.com/x limit of 2',
    ],
  ],
  [
    'fractional hugepages',
    { containers: [{ name: 'a', image: 'x', resources: { requests: { 'hugepages-2Mi': '1Mi' } } }] },
    [
      'spec.containers[0].resources.limits FieldValueRequired: Required value: Limit must be set for non overcommitable resources',
      'spec.containers[0].resources.requests[hugepages-2Mi] FieldValueInvalid: Invalid value: "1Mi": 1Mi is not positive integer multiple of hugepages-2Mi',
      'spec.containers[0].resources FieldValueForbidden: Forbidden: HugePages require cpu or memory',
    ],
  ],
];

describe('the validation of container resources', () => {
  it.each(ROWS)('rejects with the messages of kube-apiserver: %s', (_, spec, causes) => {
    const found = created(podStrategy, { metadata: { name: 'a' }, spec });
    const texts = found.causes.map((cause) => cause.replace(/ \(e\.g\. '.*$/, ''));
    expect(texts.sort()).toEqual([...causes].sort());
  });
});
