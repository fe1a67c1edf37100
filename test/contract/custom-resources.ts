/** Custom resources for cases: each case defines a kind of its own, in a group that no other case uses. */
import { eventually } from './eventually.ts';
import { type Loose, listOf } from './loose.ts';
import type { Fields } from './objects.ts';
import type { Scene } from './scene.ts';

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export type DefinitionOptions = {
  readonly scope?: 'Cluster' | 'Namespaced';
  /** The schema of `spec`; anything goes where it is left out. */
  readonly spec?: Fields;
  /** The whole schema, in place of one that has `spec` and `status`. */
  readonly schema?: Fields;
  /** More of the version: columns, subresources, selectable fields. */
  readonly version?: Fields;
  /** More names: short names, categories. */
  readonly names?: Fields;
};

export type Kind = {
  readonly group: string;
  readonly apiVersion: string;
  /** Where the definition is. */
  readonly definition: string;
  /** Where the objects are: of all namespaces, or of the one that is named. */
  readonly collection: (namespace?: string) => string;
  readonly object: (name: string, spec?: Fields, rest?: Fields) => Fields;
};

/** A definition that is served once this resolves. */
export async function defineWidgets(scene: Scene, options: DefinitionOptions = {}): Promise<Kind> {
  const kind = widgetsIn(`${scene.name('g')}.example.com`);
  await scene.make(DEFINITIONS, definition(kind.group, options));
  await untilServed(scene, kind);
  return kind;
}

/** The kind `Widget` in a group: paths and objects, whether or not it is defined. */
export function widgetsIn(group: string): Kind {
  const root = `/apis/${group}/v1`;
  return {
    group,
    apiVersion: `${group}/v1`,
    definition: `${DEFINITIONS}/widgets.${group}`,
    collection: (namespace) =>
      namespace === undefined ? `${root}/widgets` : `${root}/namespaces/${namespace}/widgets`,
    object: (name, spec = {}, rest = {}) => ({
      apiVersion: `${group}/v1`,
      kind: 'Widget',
      metadata: { name },
      spec,
      ...rest,
    }),
  };
}

export function definition(group: string, options: DefinitionOptions = {}): Fields {
  const {
    scope = 'Cluster',
    spec = OPEN,
    schema = { type: 'object', properties: { spec, status: OPEN } },
  } = options;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope,
      names: {
        plural: 'widgets',
        singular: 'widget',
        kind: 'Widget',
        listKind: 'WidgetList',
        ...options.names,
      },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...options.version },
      ],
    },
  };
}

const OPEN = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** Established means that the names are accepted; the paths are served a moment later. */
export async function untilServed(scene: Scene, kind: Kind): Promise<void> {
  const { spec } = await eventually(`${kind.group} is established`, async () => {
    const { json } = await scene.get(kind.definition);
    return hasCondition(json, 'Established') ? json : undefined;
  });
  const collection = kind.collection(String(spec?.scope) === 'Namespaced' ? 'default' : undefined);
  await eventually(`${kind.group} is served`, async () => {
    const { json } = await scene.get(`${collection}/none`);
    return json.details?.name;
  });
}

export function hasCondition(object: Loose, wanted: string): boolean {
  // A definition that was just made has `null` here.
  const conditions = object.status?.conditions ?? undefined;
  if (conditions === undefined) return false;
  return listOf(conditions).some(({ type, status }) => String(type) === wanted && String(status) === 'True');
}
