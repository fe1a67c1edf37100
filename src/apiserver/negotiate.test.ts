import { describe, expect, it } from 'vitest';
import { negotiate } from './negotiate.ts';

describe('the form of an answer', () => {
  const json = { encoding: 'json', as: 'object', version: 'v1' };
  it.each([
    [undefined, json],
    ['', json],
    ['*/*', json],
    ['application/json, */*', json],
    ['application/vnd.kubernetes.protobuf,application/json', json],
    ['application/vnd.kubernetes.protobuf', { ...json, encoding: 'protobuf' }],
    ['application/yaml', { ...json, encoding: 'yaml' }],
    ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', { ...json, as: 'Table' }],
    ['application/json;as=Table;v=v1beta1;g=meta.k8s.io', { ...json, as: 'Table', version: 'v1beta1' }],
    ['application/json; as=Table; v=v9; g=meta.k8s.io, application/json', json],
    [
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
      { ...json, as: 'PartialObjectMetadata' },
    ],
  ])('%s', (accept, form) => {
    expect(negotiate(accept, { hasTables: true, hasProtobuf: true })).toEqual(form);
  });

  it('is refused where none is known', () => {
    expect(() => negotiate('text/html', { hasTables: true, hasProtobuf: true })).toThrow(
      /^406: Not Acceptable/,
    );
    expect(() =>
      negotiate('application/json;as=Table;v=v1;g=meta.k8s.io', { hasTables: false, hasProtobuf: false }),
    ).toThrow(/^406/);
  });
});
