import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../base/json.ts';
import type { Strategy, SubresourceStrategy, WriteContext } from '../resources/index.ts';
import { type CustomResource, servedResourcesOf, toStorageVersion } from './served-resources.ts';

const context: WriteContext = { now: '2025-01-01T00:00:00Z', random: () => 0, others: () => [] };
const OPEN = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const TEXT = { type: 'string' };

type Parts = { readonly schema?: Json; readonly version?: JsonObject; readonly more?: JsonObject };

function established({ schema = OPEN, version = {}, more = {} }: Parts = {}): JsonObject {
  const v1 = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version };
  return {
    metadata: { name: 'widgets.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names: {}, versions: [v1], ...more },
    status: {
      conditions: [{ type: 'Established', status: 'True' }],
      acceptedNames: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    },
  };
}

function widgets(parts: Parts = {}): CustomResource {
  const [resource] = servedResourcesOf(established(parts));
  if (resource === undefined) throw new Error('widgets are not served');
  return resource;
}

const spec = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { spec: { type: 'object', properties }, status: OPEN },
  ...rest,
});

const widget = (rest: JsonObject, metadata: JsonObject = { name: 'a' }): JsonObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata,
  ...rest,
});

const STATUS = { subresources: { status: {} } };

function read({ strategy }: CustomResource, sent: JsonObject): JsonObject {
  const decoded = strategy.decode(sent);
  if (decoded.kind === 'failed') throw new Error(decoded.message);
  return strategy.setDefaults(decoded.object);
}

function subresourceOf({ subresources }: Strategy): SubresourceStrategy {
  const subresource = Object.values(subresources).at(0);
  if (subresource === undefined) throw new Error('no status subresource');
  return subresource;
}

const lines = (problems: readonly { readonly path: string; readonly message: string }[]): readonly string[] =>
  problems.map(({ path, message }) => `${path}: ${message}`);

describe('servedResourcesOf', () => {
  it('is empty before the CRD is established, or without accepted names', () => {
    const crd = established();
    expect(servedResourcesOf({ ...crd, status: { conditions: null } })).toEqual([]);
    const { conditions } = crd.status as JsonObject;
    expect(servedResourcesOf({ ...crd, status: { conditions: conditions ?? null } })).toEqual([]);
  });

  it('has the accepted names', () => {
    const scale = { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' };
    const columns = [{ name: 'N', type: 'integer', jsonPath: '.spec.n' }];
    const resource = widgets({
      version: {
        subresources: { status: {}, scale },
        additionalPrinterColumns: columns,
        selectableFields: [{ jsonPath: '.spec.color' }],
      },
    });
    expect(resource).toMatchObject({
      origin: 'custom',
      crdName: 'widgets.example.com',
      group: 'example.com',
      version: 'v1',
      kind: 'Widget',
      listKind: 'WidgetList',
      plural: 'widgets',
      singular: 'widget',
      scope: 'Namespaced',
      verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
      subresources: [
        {
          name: 'status',
          verbs: ['get', 'patch', 'update'],
          takes: { group: 'example.com', version: 'v1', kind: 'Widget' },
        },
        {
          name: 'scale',
          verbs: ['get', 'patch', 'update'],
          takes: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
        },
      ],
      columns,
      scale,
    });
    expect(resource.selectableFields.map(({ name }) => name)).toEqual([
      'metadata.name',
      'metadata.namespace',
      'spec.color',
    ]);
  });

  it('has no namespace field selector for cluster-scoped resources', () => {
    const [resource] = servedResourcesOf(established({ more: { scope: 'Cluster' } }));
    expect(resource).toMatchObject({ scope: 'Cluster', selectableFields: [{ name: 'metadata.name' }] });
  });

  it('has one resource per served version, with deprecation warnings', () => {
    const version = (name: string, rest: JsonObject): JsonObject => ({
      name,
      served: true,
      storage: false,
      schema: { openAPIV3Schema: OPEN },
      ...rest,
    });
    const versions = [
      version('v1', { storage: true }),
      version('v1beta1', { deprecated: true }),
      version('v1alpha1', { deprecated: true, deprecationWarning: 'go away' }),
      version('v0', { served: false }),
    ];
    const resources = servedResourcesOf(established({ more: { versions } }));
    expect(resources.map((one) => [one.version, one.isStorage, one.deprecation])).toEqual([
      ['v1', true, undefined],
      ['v1beta1', false, 'example.com/v1beta1 Widget is deprecated'],
      ['v1alpha1', false, 'go away'],
    ]);
  });

  it('is cached by CRD object', () => {
    const crd = established();
    expect(servedResourcesOf(crd)).toBe(servedResourcesOf(crd));
  });
});

describe('decoding a custom resource', () => {
  const strict = widgets({ schema: spec({ size: { type: 'integer', default: 3 }, note: TEXT }) });

  it.each<readonly [Json, string]>([
    [
      { name: 'a', labels: { x: 1 } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    ],
    ['x', 'json: cannot unmarshal string into Go value of type v1.ObjectMeta'],
    [
      { name: 'a', ownerReferences: [{ apiVersion: 1 }] },
      'json: cannot unmarshal number into Go struct field OwnerReference.ownerReferences.apiVersion of type string',
    ],
  ])('fails for its metadata: %j', (metadata, message) => {
    expect(strict.strategy.decode({ ...widget({}), metadata })).toEqual({ kind: 'failed', message });
  });

  it('drops unknown fields: first those of the metadata, then the others', () => {
    const metadata = { zar: 2, name: 'a', foo: 1, labels: { x: null } };
    expect(strict.strategy.decode(widget({ spec: { sise: 1, note: 'x' }, aaa: 1 }, metadata))).toEqual({
      kind: 'decoded',
      object: widget({ spec: { note: 'x' } }, { name: 'a', labels: { x: '' } }),
      unknownFields: ['metadata.foo', 'metadata.zar', 'aaa', 'spec.sise'],
    });
  });

  it('sets defaults for absent and null fields', () => {
    expect(read(strict, widget({ spec: { note: null } }))).toMatchObject({ spec: { size: 3 } });
    expect(read(strict, widget({ spec: { size: null } }))).toMatchObject({ spec: { size: 3 } });
  });

  it('decodes the metadata of embedded resources, too', () => {
    const embedded = { ...OPEN, 'x-kubernetes-embedded-resource': true };
    const resource = widgets({ schema: spec({ template: embedded }) });
    const template = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a/b', foo: 1, labels: { 'a b': 'x' } },
    };
    const decoded = resource.strategy.decode(widget({ spec: { template } }));
    expect(decoded).toMatchObject({ unknownFields: ['spec.template.metadata.foo'] });
    const object = read(resource, widget({ spec: { template } }));
    expect(lines(resource.strategy.validateCreate(object))).toEqual([
      'spec.template.metadata.name: Invalid value: "a/b": may not contain \'/\'',
      expect.stringMatching(/^spec\.template\.metadata\.labels: Invalid value: "a b": name part must/),
    ]);
    expect(resource.strategy.decode(widget({ spec: { template: { ...template, kind: 5 } } }))).toEqual({
      kind: 'failed',
      message: 'spec.template.kind: Invalid value: 5: must be a string',
    });
  });
});

describe('writing a custom resource', () => {
  const resource = widgets({ schema: spec({ size: { type: 'integer', maximum: 9 } }), version: STATUS });
  const { strategy } = resource;
  const statusSubresource = subresourceOf(strategy);

  it('drops the status on create if there is a status subresource', () => {
    const object = widget({ spec: {}, status: { ready: true } });
    expect(strategy.prepareForCreate(object, context)).toEqual(
      widget({ spec: {} }, { name: 'a', generation: 1 }),
    );
    const plain = widgets().strategy.prepareForCreate(object, context);
    expect(plain).toMatchObject({ status: { ready: true } });
  });

  it('increments the generation with anything but metadata and status', () => {
    const old = widget({ spec: { size: 1 }, status: { n: 1 } }, { name: 'a', generation: 4 });
    const update = (rest: JsonObject, metadata: JsonObject = { name: 'a' }): unknown =>
      strategy.prepareForUpdate(widget(rest, metadata), old, context);
    expect(update({ spec: { size: 1 }, status: { n: 2 } })).toEqual(old);
    expect(update({ spec: { size: 1 } }, { name: 'a', labels: { x: 'y' } })).toMatchObject({
      metadata: { generation: 4, labels: { x: 'y' } },
      status: { n: 1 },
    });
    expect(update({ spec: { size: 2 } })).toMatchObject({ metadata: { generation: 5 } });
    expect(update({ spec: { size: 1 }, data: 1 })).toMatchObject({ metadata: { generation: 5 } });
  });

  it('changes only the status through the status subresource', () => {
    const old = widget({ spec: { size: 1 } }, { name: 'a', generation: 4, managedFields: [] });
    const sent = widget(
      { spec: { size: 5 }, status: { n: 2 } },
      { name: 'a', labels: { x: 'y' }, managedFields: [{ manager: 'me' }] },
    );
    expect(statusSubresource.prepareForUpdate(sent, old, context)).toEqual(
      widget(
        { spec: { size: 1 }, status: { n: 2 } },
        { name: 'a', generation: 4, managedFields: [{ manager: 'me' }] },
      ),
    );
    expect(
      statusSubresource.prepareForUpdate(widget({}), { ...old, status: {} }, context),
    ).not.toHaveProperty('status');
    expect([strategy.resetFields, statusSubresource.resetFields]).toEqual([[['status']], [['spec']]]);
  });

  it('treats the status like any other field without the subresource', () => {
    expect(widgets().strategy).toMatchObject({ subresources: {}, resetFields: [] });
  });

  it('validates by the schema, with the old object for transition rules', () => {
    const wrong = widget({ spec: { size: 10 } });
    expect(lines(strategy.validateCreate(wrong))).toEqual([
      'spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9',
    ]);
    expect(strategy.validateUpdate(wrong, wrong)).toEqual([]);
  });

  it('requires the right kind and apiVersion', () => {
    const other = { ...widget({ spec: { size: 10 } }), kind: 'Gadget', apiVersion: 'v1' };
    expect(lines(strategy.validateCreate(other))).toEqual([
      'kind: Invalid value: "Gadget": must be Widget',
      'apiVersion: Invalid value: "v1": must be example.com/v1',
    ]);
    expect(lines(statusSubresource.validateUpdate(other, other))).toHaveLength(2);
  });

  it('validates the replicas of the scale subresource', () => {
    const scale = { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' };
    const scaled = widgets({ version: { subresources: { status: {}, scale } } }).strategy;
    const wrong = widget({ spec: { n: 'x' }, status: { n: 'y' } });
    expect(scaled.validateCreate(wrong)).toMatchObject([{ path: '.spec.n' }, { path: '.status.n' }]);
    expect(subresourceOf(scaled).validateUpdate(wrong, wrong)).toMatchObject([{ path: '.status.n' }]);
  });

  it('warns of finalizers without a domain', () => {
    const object = widget({}, { name: 'a', finalizers: ['x', 'a.b', 'd.e/f', 'orphan'] });
    const advice = 'to avoid accidental conflicts with other finalizer writers';
    expect(strategy.warnings(object, undefined)).toEqual([
      `metadata.finalizers: "a.b": prefer a domain-qualified finalizer name including a path (/) ${advice}`,
      `metadata.finalizers: "x": prefer a domain-qualified finalizer name ${advice}`,
    ]);
    expect(strategy.warnings(object, object)).toEqual([]);
  });
});

describe('a stored custom resource', () => {
  const versions = [
    {
      name: 'v1',
      served: true,
      storage: false,
      schema: { openAPIV3Schema: spec({ size: { type: 'integer' }, old: TEXT }) },
    },
    {
      name: 'v2',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: spec({ size: { type: 'integer' }, color: { ...TEXT, default: 'red' } }) },
    },
  ];
  const crd = established({ more: { versions } });
  const [first, second] = servedResourcesOf(crd);
  const kept = widget({ spec: { size: 1, old: 'x', removed: true } });

  it('is converted to each version by the current schema', () => {
    expect(first?.strategy.convertStored?.(kept)).toEqual(widget({ spec: { size: 1, old: 'x' } }));
    expect(second?.strategy.convertStored?.(kept)).toEqual({
      ...kept,
      apiVersion: 'example.com/v2',
      spec: { size: 1, color: 'red' },
    });
  });

  it('is stored in the storage version, without fields that its schema does not have', () => {
    expect(toStorageVersion(crd, kept)).toEqual({
      ...kept,
      apiVersion: 'example.com/v2',
      spec: { size: 1 },
    });
  });
});
