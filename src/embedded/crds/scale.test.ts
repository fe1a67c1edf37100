import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import {
  missingReplicas,
  scaleOf,
  scaleSpecProblems,
  scaleStatusProblems,
  scaleToUpdate,
  withScale,
} from './scale.ts';

const paths = {
  specReplicasPath: '.spec.n',
  statusReplicasPath: '.status.n',
  labelSelectorPath: '.status.selector',
};
const metadata = { name: 'b', uid: 'u', resourceVersion: '7', creationTimestamp: 't', labels: { a: 'b' } };
const widget = (spec: JsonObject, status?: JsonObject): JsonObject => ({
  metadata,
  spec,
  ...(status === undefined ? {} : { status }),
});

describe('scaleOf', () => {
  it('returns replicas, selector and the identity of the object', () => {
    expect(scaleOf(widget({ n: 2 }, { n: 1, selector: 'a=b' }), paths)).toEqual({
      kind: 'scale',
      hasReplicas: true,
      scale: {
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name: 'b', uid: 'u', resourceVersion: '7', creationTimestamp: 't' },
        spec: { replicas: 2 },
        status: { replicas: 1, selector: 'a=b' },
      },
    });
  });

  it('omits zero replicas in the spec, but not in the status', () => {
    expect(scaleOf(widget({ n: 0 }), paths)).toMatchObject({
      hasReplicas: true,
      scale: { spec: {}, status: { replicas: 0 } },
    });
  });

  it('reports missing replicas', () => {
    expect(scaleOf(widget({}), paths)).toMatchObject({ hasReplicas: false });
    expect(missingReplicas(paths)).toBe('the spec replicas field ".spec.n" does not exist');
  });

  it('fails for values of another type', () => {
    expect(scaleOf(widget({ n: 'x' }), paths)).toEqual({
      kind: 'failed',
      message: '.spec.n accessor error: x is of the type string, expected int64',
    });
  });
});

describe('withScale', () => {
  it('changes the replicas', () => {
    const object = widget({ n: 2, other: 'x' }, { n: 1 });
    expect(withScale(object, { spec: { replicas: 5 } }, paths)).toEqual({
      kind: 'scaled',
      object: widget({ n: 5, other: 'x' }, { n: 1 }),
    });
  });

  it('creates the path to the replicas, and takes absent replicas for zero', () => {
    const deep = { ...paths, specReplicasPath: '.spec.size.n' };
    expect(withScale(widget({}), { spec: {} }, deep)).toMatchObject({ object: { spec: { size: { n: 0 } } } });
    expect(withScale(widget({ size: 'x' }), { spec: {} }, deep)).toEqual({
      kind: 'rejected',
      badRequest: false,
      message: 'value cannot be set because .spec.size is not a map[string]interface{}',
    });
  });

  it('carries the resourceVersion of the Scale', () => {
    const scale = { metadata: { resourceVersion: '3' }, spec: { replicas: 1 } };
    expect(withScale(widget({ n: 2 }), scale, paths)).toMatchObject({
      object: { metadata: { name: 'b', resourceVersion: '3' } },
    });
  });

  it('fails if a patch sets no replicas where there were none', () => {
    const read = scaleToUpdate(widget({}), paths);
    const scale = read.kind === 'scale' ? read.scale : {};
    expect(withScale(widget({}), scale, paths)).toEqual({
      kind: 'rejected',
      badRequest: true,
      message: 'the spec replicas field ".spec.n" cannot be empty',
    });
    expect(withScale(widget({}), { ...scale, spec: { replicas: 3 } }, paths)).toMatchObject({
      kind: 'scaled',
    });
  });
});

describe('the validation of replicas', () => {
  it.each([
    [{ n: 'x' }, 'Invalid value: 0: .spec.n accessor error: x is of the type string, expected int64'],
    [{ n: 1.5 }, 'Invalid value: 0: .spec.n accessor error: 1.5 is of the type float64, expected int64'],
    [{ n: true }, 'Invalid value: 0: .spec.n accessor error: true is of the type bool, expected int64'],
    [
      { n: { a: [1] } },
      'Invalid value: 0: .spec.n accessor error: map[a:[1]] is of the type map[string]interface {}, expected int64',
    ],
    [{ n: -1 }, 'Invalid value: -1: should be a non-negative integer'],
    [{ n: 3_000_000_000 }, 'Invalid value: 3000000000: should be less than or equal to 2147483647'],
  ])('rejects values that are no integers: %j', (spec, message) => {
    expect(scaleSpecProblems(widget(spec), paths)).toEqual([
      { path: '.spec.n', reason: 'FieldValueInvalid', message },
    ]);
  });

  it('rejects parents that are no objects', () => {
    expect(scaleSpecProblems({ spec: 'x' }, paths)).toMatchObject([
      {
        message:
          'Invalid value: 0: .spec.n accessor error: x is of the type string, expected map[string]interface{}',
      },
    ]);
  });

  it('applies to the status, too, and to the selector', () => {
    expect(scaleStatusProblems(widget({}, { n: 'x', selector: 5 }), paths)).toMatchObject([
      { path: '.status.n' },
      {
        path: '.status.selector',
        message:
          'Invalid value: "": .status.selector accessor error: 5 is of the type int64, expected string',
      },
    ]);
  });

  it('accepts absent replicas', () => {
    expect([...scaleSpecProblems(widget({}), paths), ...scaleStatusProblems(widget({}), paths)]).toEqual([]);
  });
});
