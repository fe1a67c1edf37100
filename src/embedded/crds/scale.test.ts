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

describe('the scale of an object', () => {
  it('has its numbers, its selector and its identity', () => {
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

  it('leaves out the zero that is wanted, but not the one that is', () => {
    expect(scaleOf(widget({ n: 0 }), paths)).toMatchObject({
      hasReplicas: true,
      scale: { spec: {}, status: { replicas: 0 } },
    });
  });

  it('is missing where no number is said', () => {
    expect(scaleOf(widget({}), paths)).toMatchObject({ hasReplicas: false });
    expect(missingReplicas(paths)).toBe('the spec replicas field ".spec.n" does not exist');
  });

  it('cannot be read where something else stands', () => {
    expect(scaleOf(widget({ n: 'x' }), paths)).toEqual({
      kind: 'failed',
      message: '.spec.n accessor error: x is of the type string, expected int64',
    });
  });
});

describe('scaling an object', () => {
  it('changes the one number', () => {
    const object = widget({ n: 2, other: 'x' }, { n: 1 });
    expect(withScale(object, { spec: { replicas: 5 } }, paths)).toEqual({
      kind: 'scaled',
      object: widget({ n: 5, other: 'x' }, { n: 1 }),
    });
  });

  it('makes what is around the number, and takes none for zero', () => {
    const deep = { ...paths, specReplicasPath: '.spec.size.n' };
    expect(withScale(widget({}), { spec: {} }, deep)).toMatchObject({ object: { spec: { size: { n: 0 } } } });
    expect(withScale(widget({ size: 'x' }), { spec: {} }, deep)).toEqual({
      kind: 'refused',
      badRequest: false,
      message: 'value cannot be set because .spec.size is not a map[string]interface{}',
    });
  });

  it('asks for the version that the scale names', () => {
    const scale = { metadata: { resourceVersion: '3' }, spec: { replicas: 1 } };
    expect(withScale(widget({ n: 2 }), scale, paths)).toMatchObject({
      object: { metadata: { name: 'b', resourceVersion: '3' } },
    });
  });

  it('is refused if a patch brings no number where there was none', () => {
    const read = scaleToUpdate(widget({}), paths);
    const scale = read.kind === 'scale' ? read.scale : {};
    expect(withScale(widget({}), scale, paths)).toEqual({
      kind: 'refused',
      badRequest: true,
      message: 'the spec replicas field ".spec.n" cannot be empty',
    });
    expect(withScale(widget({}), { ...scale, spec: { replicas: 3 } }, paths)).toMatchObject({
      kind: 'scaled',
    });
  });
});

describe('the numbers of a scale', () => {
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
  ])('are refused where they are none: %j', (spec, message) => {
    expect(scaleSpecProblems(widget(spec), paths)).toEqual([
      { path: '.spec.n', reason: 'FieldValueInvalid', message },
    ]);
  });

  it('are refused where what is around them is no object', () => {
    expect(scaleSpecProblems({ spec: 'x' }, paths)).toMatchObject([
      {
        message:
          'Invalid value: 0: .spec.n accessor error: x is of the type string, expected map[string]interface{}',
      },
    ]);
  });

  it('are refused in the status too, and so is a selector that is no text', () => {
    expect(scaleStatusProblems(widget({}, { n: 'x', selector: 5 }), paths)).toMatchObject([
      { path: '.status.n' },
      {
        path: '.status.selector',
        message:
          'Invalid value: "": .status.selector accessor error: 5 is of the type int64, expected string',
      },
    ]);
  });

  it('need not be there', () => {
    expect([...scaleSpecProblems(widget({}), paths), ...scaleStatusProblems(widget({}), paths)]).toEqual([]);
  });
});
