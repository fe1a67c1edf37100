import { describe, expect, it } from 'vitest';
import { causeText } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { scale as scaleKind } from '../../../kubernetes/types/index.ts';
import { decodeBuiltin } from '../decoding/decode-builtin.ts';
import { scaleOf, withScale } from './scale.ts';

const workload: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'a',
    namespace: 'space',
    uid: 'u',
    resourceVersion: '7',
    creationTimestamp: '2024-01-01T00:00:00Z',
    generation: 3,
    labels: { not: 'shown' },
  },
  spec: {
    replicas: 2,
    selector: {
      matchLabels: { z: 'b', app: 'a' },
      matchExpressions: [
        { key: 'm', operator: 'In', values: ['z', 'a'] },
        { key: 'k', operator: 'Exists' },
        { key: 'no', operator: 'DoesNotExist' },
        { key: 'q', operator: 'NotIn', values: ['b', 'a'] },
      ],
    },
  },
  status: { replicas: 1 },
};
const scale = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 'a', namespace: 'space', ...metadata },
  spec,
});

describe('the Scale of a workload', () => {
  it('has the desired and the actual number of replicas', () => {
    expect(scaleOf(workload)).toEqual({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: {
        name: 'a',
        namespace: 'space',
        uid: 'u',
        resourceVersion: '7',
        creationTimestamp: '2024-01-01T00:00:00Z',
      },
      spec: { replicas: 2 },
      status: { replicas: 1, selector: 'app=a,k,m in (a,z),!no,q notin (a,b),z=b' },
    });
    expect(scaleOf({ ...workload, spec: { replicas: 0 }, status: {} })).toMatchObject({
      spec: {},
      status: { replicas: 0 },
    });
  });

  it('changes the replicas and carries the resourceVersion', () => {
    const scaled = withScale(workload, scale({ replicas: 5 }, { resourceVersion: '6', labels: { a: 'b' } }));
    expect(scaled).toMatchObject({
      kind: 'scaled',
      object: {
        metadata: { resourceVersion: '6', labels: { not: 'shown' } },
        spec: { replicas: 5, selector: { matchLabels: { app: 'a' } } },
        status: { replicas: 1 },
      },
    });
  });

  it('defaults to the latest version and to zero replicas', () => {
    const scaled = withScale(workload, scale({}));
    expect(scaled).toMatchObject({ kind: 'scaled', object: { spec: { replicas: 0 } } });
    if (scaled.kind === 'scaled') expect(scaled.object.metadata).not.toHaveProperty('resourceVersion');
  });

  it('is rejected with negative replicas or invalid metadata', () => {
    const rejected = withScale(workload, scale({ replicas: -1 }, { labels: { 'a b': '' } }));
    expect(rejected.kind === 'invalid' && rejected.problems.map(causeText)).toEqual([
      `metadata.labels FieldValueInvalid: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'spec.replicas FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });

  it('conflicts with an object of another UID', () => {
    expect(withScale(workload, scale({ replicas: 1 }, { uid: 'u' })).kind).toBe('scaled');
    expect(withScale(workload, scale({ replicas: 1 }, { uid: 'x' }))).toEqual({
      kind: 'conflict',
      message: 'Precondition failed: UID in precondition: x, UID in object meta: u',
    });
  });

  it('is decoded as Go decodes it', () => {
    const decode = decodeBuiltin(scaleKind.schema);
    expect(decode({ spec: { replicas: 0, foo: 1 } })).toMatchObject({
      kind: 'decoded',
      object: { spec: {} },
      unknownFields: ['spec.foo'],
    });
    expect(decode({ spec: { replicas: 'x' } })).toEqual({
      kind: 'failed',
      message: 'json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32',
    });
  });
});
