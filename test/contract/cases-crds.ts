/** Definitions of custom resources: from creation to deletion. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { DEFINITIONS, defineWidgets, definition, untilServed, widgetsIn } from './custom-resources.ts';
import { eventually } from './eventually.ts';
import { listOf } from './loose.ts';
import { essence, normalised } from './normalised.ts';
import type { Fields } from './objects.ts';
import { causesOf, expectFailure, invalid } from './statuses.ts';

/** Every field of a schema begins so, also where there are several versions with a schema each. */
const ROOT = 'spec.validation.openAPIV3Schema.';
const belowRoot = (cause: string): string => cause.slice(cause.startsWith(ROOT) ? ROOT.length : 0);

const STRING = { type: 'string' };

export const definitionCases = topic('definitions', {
  'a definition is accepted with its defaults filled in': async (scene) => {
    const group = `${scene.name('g')}.example.com`;
    scene.tidy(`${DEFINITIONS}/widgets.${group}`);
    const body = definition(group, {
      schema: { type: 'object' },
      names: { singular: undefined, listKind: undefined },
    });
    const made = await scene.post(DEFINITIONS, body);
    expect(made.status).toBe(201);
    expect(essence(made.json)).toEqual({
      kind: 'CustomResourceDefinition',
      apiVersion: 'apiextensions.k8s.io/v1',
      metadata: {
        name: `widgets.${group}`,
        uid: '<uid>',
        resourceVersion: '<version>',
        generation: 1,
        creationTimestamp: '<time>',
      },
      spec: {
        group,
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
        scope: 'Cluster',
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
        ],
        conversion: { strategy: 'None' },
      },
      status: {
        conditions: null,
        acceptedNames: { plural: '', kind: '' },
        storedVersions: ['v1'],
      },
    });
  },

  'a definition becomes established': async (scene) => {
    const widgets = await defineWidgets(scene, { names: { shortNames: [scene.name('w')] } });
    const { json } = await scene.get(widgets.definition);
    expect(normalised(json.status)).toMatchObject({
      conditions: [
        {
          type: 'NamesAccepted',
          status: 'True',
          lastTransitionTime: '<time>',
          reason: 'NoConflicts',
          message: 'no conflicts found',
        },
        {
          type: 'Established',
          status: 'True',
          lastTransitionTime: '<time>',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        },
      ],
      acceptedNames: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      storedVersions: ['v1'],
    });
  },

  'a defined kind appears in discovery': async (scene) => {
    const widgets = await defineWidgets(scene, {
      names: { categories: ['all'], shortNames: ['wd'] },
      version: {
        subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
      },
    });
    const resources = await eventually('discovery', async () => {
      const { status, json } = await scene.get(`/apis/${widgets.group}/v1`);
      return status === 200 && listOf(json.resources).length === 3 ? json : undefined;
    });
    expect(resources).toEqual({
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: widgets.apiVersion,
      resources: [
        {
          name: 'widgets',
          singularName: 'widget',
          namespaced: false,
          kind: 'Widget',
          verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
          shortNames: ['wd'],
          categories: ['all'],
          storageVersionHash: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
        },
        {
          name: 'widgets/status',
          singularName: '',
          namespaced: false,
          kind: 'Widget',
          verbs: ['get', 'patch', 'update'],
        },
        {
          name: 'widgets/scale',
          singularName: '',
          namespaced: false,
          group: 'autoscaling',
          version: 'v1',
          kind: 'Scale',
          verbs: ['get', 'patch', 'update'],
        },
      ],
    });
    const group = await scene.get(`/apis/${widgets.group}`);
    const version = { groupVersion: widgets.apiVersion, version: 'v1' };
    expect(group.json).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: widgets.group,
      versions: [version],
      preferredVersion: version,
    });
  },

  'the name of a definition is its plural and its group': async (scene) => {
    const group = `${scene.name('g')}.example.com`;
    const answer = await scene.post(DEFINITIONS, { ...definition(group), metadata: { name: 'other' } });
    expectFailure(
      answer,
      invalid(
        { kind: 'CustomResourceDefinition', group: 'apiextensions.k8s.io', name: 'other' },
        {
          reason: 'FieldValueInvalid',
          message: `Invalid value: "other": must be spec.names.plural+"."+spec.group`,
          field: 'metadata.name',
        },
      ),
    );
  },

  'schemas that are not structural are refused': async (scene) => {
    const group = `${scene.name('g')}.example.com`;
    const kind = {
      kind: 'CustomResourceDefinition',
      group: 'apiextensions.k8s.io',
      name: `widgets.${group}`,
    };
    const table: readonly [Fields, readonly string[]][] = [
      [
        { properties: { spec: { type: 'object' } } },
        ['type FieldValueRequired: Required value: must not be empty at the root'],
      ],
      [
        { type: 'object', properties: { spec: { properties: { a: {} } } } },
        [
          'properties[spec].properties[a].type FieldValueRequired: Required value: must not be empty for specified object fields',
          'properties[spec].type FieldValueRequired: Required value: must not be empty for specified object fields',
        ],
      ],
      [
        { type: 'object', properties: { a: { type: 'array' } } },
        ['properties[a].items FieldValueRequired: Required value: must be specified'],
      ],
      [
        { type: 'object', properties: { a: { type: 'string', default: 1 } } },
        [
          'properties[a].default FieldValueTypeInvalid: Invalid value: "integer":  in body must be of type string: "integer"',
        ],
      ],
      [
        {
          type: 'object',
          properties: { a: { type: 'object', properties: { b: STRING }, additionalProperties: STRING } },
        },
        [
          'properties[a].additionalProperties FieldValueForbidden: Forbidden: additionalProperties and properties are mutual exclusive',
        ],
      ],
      [
        {
          type: 'object',
          properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
        },
        [
          'properties[metadata] FieldValueForbidden: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
        ],
      ],
      [
        { type: 'object', properties: { a: { $ref: '#/x' } } },
        ['properties[a].$ref FieldValueForbidden: Forbidden: $ref is not supported'],
      ],
      [
        { type: 'object', properties: { a: { type: 'array', uniqueItems: true, items: STRING } } },
        [
          'properties[a].uniqueItems FieldValueForbidden: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
        ],
      ],
      [
        { type: 'object', properties: { a: { type: 'string', pattern: '(' } } },
        [
          'properties[a].pattern FieldValueInvalid: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
        ],
      ],
      [
        { type: 'object', properties: { a: { type: 'thing' } } },
        [
          'properties[a].type FieldValueNotSupported: Unsupported value: "thing": supported values: "array", "boolean", "integer", "number", "object", "string"',
        ],
      ],
    ];
    const found: (readonly [Fields, readonly string[]])[] = [];
    for (const [schema] of table) {
      found.push([
        schema,
        causesOf(await scene.post(DEFINITIONS, definition(group, { schema })), kind).map(belowRoot),
      ]);
    }
    expect(found).toEqual(table);
  },

  'a definition needs one storage version and a schema': async (scene) => {
    const group = `${scene.name('g')}.example.com`;
    const kind = {
      kind: 'CustomResourceDefinition',
      group: 'apiextensions.k8s.io',
      name: `widgets.${group}`,
    };
    const bare = await scene.post(DEFINITIONS, definition(group, { version: { schema: undefined } }));
    expect(causesOf(bare, kind)).toEqual([
      'spec.versions[0].schema.openAPIV3Schema FieldValueRequired: Required value: schemas are required',
    ]);
    const none = await scene.post(DEFINITIONS, definition(group, { version: { storage: false } }));
    const [versions, stored] = causesOf(none, kind);
    // Between the two it shows the versions as Go prints them.
    expect(versions).toMatch(
      /^spec.versions FieldValueInvalid: Invalid value: .*: must have exactly one version marked as storage version$/,
    );
    expect(stored).toBe(
      'status.storedVersions FieldValueInvalid: Invalid value: []string(nil): must have at least one stored version',
    );
  },

  'lists must say truly how they are listed': async (scene) => {
    const group = `${scene.name('g')}.example.com`;
    const list = (
      more: Fields,
      items: Fields = { type: 'object', properties: { name: { type: 'string' } } },
    ) =>
      scene.post(
        DEFINITIONS,
        definition(group, {
          schema: { type: 'object', properties: { a: { type: 'array', items, ...more } } },
        }),
      );
    const table: readonly [Fields, Fields | undefined, string][] = [
      [
        { 'x-kubernetes-list-type': 'map' },
        undefined,
        'x-kubernetes-list-map-keys FieldValueRequired: Required value: must not be empty if x-kubernetes-list-type is map',
      ],
      [
        { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
        undefined,
        'items.properties[name].default FieldValueRequired: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      ],
      [
        { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['none'] },
        undefined,
        'x-kubernetes-list-map-keys FieldValueInvalid: Invalid value: []string{"none"}: entries must all be names of item properties',
      ],
      [
        { 'x-kubernetes-list-type': 'bag' },
        undefined,
        'x-kubernetes-list-type FieldValueNotSupported: Unsupported value: "bag": supported values: "atomic", "set", "map"',
      ],
      [
        { 'x-kubernetes-list-type': 'set' },
        { type: 'object' },
        'items.x-kubernetes-map-type FieldValueInvalid: Invalid value: "null": must be atomic as item of a list with x-kubernetes-list-type=set',
      ],
    ];
    const kind = {
      kind: 'CustomResourceDefinition',
      group: 'apiextensions.k8s.io',
      name: `widgets.${group}`,
    };
    for (const [more, items, cause] of table) {
      expect(causesOf(await list(more, items), kind)).toEqual([
        `spec.validation.openAPIV3Schema.properties[a].${cause}`,
      ]);
    }
  },

  'names that another definition has taken are not accepted': async (scene) => {
    const short = scene.name('w');
    const group = `${scene.name('g')}.example.com`;
    const other: Fields = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' };
    await scene.make(DEFINITIONS, definition(group, { names: { shortNames: [short] } }));
    await untilServed(scene, widgetsIn(group));
    const body = definition(group, { names: { ...other, shortNames: [short] } });
    await scene.make(DEFINITIONS, { ...body, metadata: { name: `gadgets.${group}` } });
    const refused = await eventually('the second definition is judged', async () => {
      const { json } = await scene.get(`${DEFINITIONS}/gadgets.${group}`);
      return Array.isArray(json.status?.conditions) ? json : undefined;
    });
    expect(normalised(refused.status?.conditions)).toEqual([
      {
        type: 'NamesAccepted',
        status: 'False',
        lastTransitionTime: '<time>',
        reason: 'ShortNamesConflict',
        message: `"${short}" is already in use`,
      },
      {
        type: 'Established',
        status: 'False',
        lastTransitionTime: '<time>',
        reason: 'NotAccepted',
        message: 'not all names are accepted',
      },
    ]);
  },
});
