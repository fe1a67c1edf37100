import { describe, expect, it } from 'vitest';
import {
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  optionalNumberAt,
  optionalStringAt,
  optionalStringMapAt,
  optionalStringsAt,
  stringAt,
  stringMapAt,
  stringsAt,
  valueAt,
} from './json-fields.ts';

const pod = {
  metadata: {
    name: 'web',
    labels: { app: 'web', tier: 3 },
    finalizers: ['a', 1, 'b'],
    deletionTimestamp: null,
  },
  spec: { priority: 0, containers: [{ name: 'main' }, null, 'sidecar'] },
};

describe('valueAt', () => {
  it('follows the path', () => {
    expect(valueAt(pod, 'metadata', 'name')).toBe('web');
    expect(valueAt(pod)).toBe(pod);
  });

  it('never finds inherited members', () => {
    expect(valueAt({}, 'constructor')).toBeUndefined();
    expect(valueAt({ metadata: {} }, 'metadata', '__proto__')).toBeUndefined();
    expect(valueAt(JSON.parse('{"__proto__":"own"}'), '__proto__')).toBe('own');
  });

  it('treats null as absent', () => {
    expect(valueAt(pod, 'metadata', 'deletionTimestamp')).toBeUndefined();
    expect(valueAt(null)).toBeUndefined();
    expect(valueAt(null, 'metadata')).toBeUndefined();
  });

  it('does not step into lists and strings', () => {
    expect(valueAt(pod, 'spec', 'containers', '0')).toBeUndefined();
    expect(valueAt(pod, 'metadata', 'name', 'length')).toBeUndefined();
  });
});

describe('a typed accessor', () => {
  it('returns values of its type', () => {
    expect(stringAt(pod, 'metadata', 'name')).toBe('web');
    expect(numberAt(pod, 'spec', 'priority')).toBe(0);
    expect(objectAt(pod, 'metadata')).toBe(pod.metadata);
    expect(listAt(pod, 'spec', 'containers')).toBe(pod.spec.containers);
  });

  it('returns the zero value of Go for what is absent or of another type', () => {
    for (const object of [undefined, null, 'text', [], {}, { field: true }]) {
      expect(stringAt(object, 'field')).toBe('');
      expect(numberAt(object, 'field')).toBe(0);
      expect(stringsAt(object, 'field')).toEqual([]);
      expect(listAt(object, 'field')).toEqual([]);
      expect(objectsAt(object, 'field')).toEqual([]);
      expect(stringMapAt(object, 'field')).toEqual({});
      expect(objectAt(object, 'field')).toBeUndefined();
    }
  });

  it('returns undefined for what is absent in its optional form', () => {
    for (const object of [undefined, null, 'text', [], {}, { field: true }]) {
      expect(optionalStringAt(object, 'field')).toBeUndefined();
      expect(optionalNumberAt(object, 'field')).toBeUndefined();
      expect(optionalStringsAt(object, 'field')).toBeUndefined();
      expect(optionalStringMapAt(object, 'field')).toBeUndefined();
    }
    expect(optionalStringAt({ field: '' }, 'field')).toBe('');
    expect(optionalNumberAt(pod, 'spec', 'priority')).toBe(0);
    expect(optionalStringsAt({ field: [] }, 'field')).toEqual([]);
    expect(optionalStringMapAt({ field: {} }, 'field')).toEqual({});
  });

  it('leaves out items and entries of another type', () => {
    expect(stringsAt(pod, 'metadata', 'finalizers')).toEqual(['a', 'b']);
    expect(objectsAt(pod, 'spec', 'containers')).toEqual([{ name: 'main' }]);
    expect(stringMapAt(pod, 'metadata', 'labels')).toEqual({ app: 'web' });
  });
});
