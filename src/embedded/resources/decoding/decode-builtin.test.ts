import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import { configMap, deployment, pod, role, service } from '../../../kubernetes/types/index.ts';
import type { Decoded } from '../strategy.ts';
import { decodeBuiltin } from './decode-builtin.ts';

const decodePod = decodeBuiltin(pod.schema);
const decodeConfigMap = decodeBuiltin(configMap.schema);

function object(decoded: Decoded): JsonObject {
  if (decoded.kind === 'failed') throw new Error(decoded.message);
  return decoded.object;
}

describe('decodeBuiltin', () => {
  it('drops unknown fields and lists them in document order, with indexes', () => {
    const sent = {
      metadata: { name: 'a', foo: 1 },
      spec: {
        b: 1,
        containers: [
          { name: 'a', foo: 1, env: [{ name: 'X', bar: 1 }] },
          { name: 'b', a: 1 },
        ],
        a: 1,
      },
      Spec: {},
    };
    expect(decodePod(sent)).toMatchObject({
      kind: 'decoded',
      unknownFields: [
        'metadata.foo',
        'spec.b',
        'spec.containers[0].foo',
        'spec.containers[0].env[0].bar',
        'spec.containers[1].a',
        'spec.a',
        'Spec',
      ],
      object: { spec: { containers: [{ name: 'a', env: [{ name: 'X' }] }, { name: 'b' }] } },
    });
  });

  it('treats inherited names as unknown fields', () => {
    const sent = JSON.parse('{"__proto__": {"x": 1}, "constructor": 1, "data": {"__proto__": "v"}}');
    const decoded = decodeConfigMap(sent);
    expect(decoded).toMatchObject({ unknownFields: ['__proto__', 'constructor'] });
    expect(JSON.stringify(object(decoded))).toContain('"data":{"__proto__":"v"}');
  });

  it('drops nulls, and zero values with omitempty', () => {
    const sent = {
      metadata: { name: 'a', labels: {}, annotations: null, finalizers: [], uid: '' },
      data: {},
      binaryData: null,
    };
    expect(object(decodeConfigMap(sent))).toEqual({ metadata: { name: 'a' } });
  });

  it('keeps zero values of pointers', () => {
    const spec = { replicas: 0, paused: false, selector: {}, template: {} };
    const decoded = object(decodeBuiltin(deployment.schema)({ spec }));
    expect(decoded.spec).toMatchObject({ replicas: 0, selector: {} });
    expect(decoded.spec).not.toHaveProperty('paused');
    expect(object(decodeConfigMap({ immutable: false }))).toMatchObject({ immutable: false });
  });

  it('adds fields without omitempty', () => {
    const { spec } = object(decodeBuiltin(deployment.schema)({ spec: { template: {} } }));
    expect(spec).toMatchObject({ template: { metadata: { creationTimestamp: null } } });
    expect(object(decodeBuiltin(role.schema)({ rules: [] }))).toMatchObject({ rules: null });
    const status = { containerStatuses: [{ name: 'a', state: { running: {} } }] };
    expect(object(decodePod({ status })).status).toMatchObject({
      containerStatuses: [{ name: 'a', state: { running: { startedAt: null } } }],
    });
  });

  it('adds lists without omitempty, even if nothing was sent', () => {
    expect(object(decodePod({ metadata: {} })).spec).toEqual({ containers: null });
    const { spec } = object(decodeBuiltin(deployment.schema)({ metadata: {} }));
    expect(spec).toMatchObject({ template: { spec: { containers: null } } });
  });

  it('leaves the creation timestamp to the server', () => {
    expect(object(decodeConfigMap({ metadata: { name: 'a', creationTimestamp: null } }))).toEqual({
      metadata: { name: 'a' },
    });
  });

  it('replaces null in a list or map by the zero value', () => {
    expect(object(decodeConfigMap({ data: { k: null }, binaryData: { k: null } }))).toMatchObject({
      data: { k: '' },
      binaryData: { k: '' },
    });
    expect(object(decodePod({ spec: { containers: [null] } })).spec).toMatchObject({
      containers: [{ name: '' }],
    });
  });

  it('canonicalizes quantities, bytes and times', () => {
    const decodeService = decodeBuiltin(service.schema);
    const ports = [{ port: 80, targetPort: 0 }];
    expect(object(decodeService({ spec: { ports } })).spec).toMatchObject({ ports });
    const limits = { cpu: 0.5, memory: '1024Mi', 'example.com/x': '1n' };
    const spec = { containers: [{ resources: { limits } }], volumes: [{ emptyDir: { sizeLimit: '1n' } }] };
    expect(object(decodePod({ spec })).spec).toMatchObject({
      containers: [{ resources: { limits: { cpu: '500m', memory: '1Gi', 'example.com/x': '1m' } } }],
      volumes: [{ emptyDir: { sizeLimit: '1n' } }],
    });
    expect(object(decodeConfigMap({ binaryData: { text: 'YW\nJj', list: [97, null] } }))).toMatchObject({
      binaryData: { text: 'YWJj', list: 'YQA=' },
    });
    const deletionTimestamp = '2020-01-01T01:00:00.9+01:00';
    expect(object(decodePod({ metadata: { deletionTimestamp } })).metadata).toMatchObject({
      deletionTimestamp: '2020-01-01T00:00:00Z',
    });
  });

  it('replaces unpaired surrogates, also in a map of strings', () => {
    const data = { good: 'ü😀', bad: '\ud800!', last: '\udc00' };
    expect(object(decodeConfigMap({ data })).data).toEqual({ good: 'ü😀', bad: '\ufffd!', last: '\ufffd' });
  });

  it('returns an unchanged object as is, however often it is decoded', () => {
    const once = object(decodePod({ metadata: { name: 'a' }, spec: { containers: [{ name: 'a' }] } }));
    expect(object(decodePod(once))).toBe(once);
    const changed = { ...once, metadata: { name: 'a', labels: { a: 'b' } }, extra: 1 };
    expect(decodePod(changed)).toEqual({
      kind: 'decoded',
      object: { ...once, metadata: { name: 'a', labels: { a: 'b' } } },
      unknownFields: ['extra'],
    });
  });

  it('decodes a known part by the schema of its current location', () => {
    const decodeDeployment = decodeBuiltin(deployment.schema);
    const ports = [{ port: 80, targetPort: 80 }];
    const shared = object(decodePod({ metadata: { name: 'a' }, spec: { containers: [], ports } })).metadata;
    const template = { metadata: shared ?? null, spec: { containers: [] } };
    const { spec } = object(decodeDeployment({ metadata: shared ?? null, spec: { template } }));
    expect(spec).toMatchObject({ template: { metadata: { name: 'a', creationTimestamp: null } } });
    const status = { conditions: [{ type: 'Ready', status: 'True', foo: 1 }] };
    for (const _ of ['first', 'second']) {
      expect(decodePod({ status })).toMatchObject({ unknownFields: ['status.conditions[0].foo'] });
    }
  });
});
