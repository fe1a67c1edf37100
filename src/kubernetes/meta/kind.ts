/**
 * A kind: its names in the API, its columns, and the schema of its objects.
 */
import {
  type Infer,
  type Schema,
  type StructuralSchema,
  string,
  type ValidationRule,
} from '../schema/index.ts';
import type { ObjectMeta } from './object-meta.ts';

/** A column of `kubectl get`. Priority 0 is always shown, 1 only with `-o wide`. */
export type PrinterColumn = {
  readonly name: string;
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly priority?: number;
};

/** A kind of unknown object type. */
export type AnyKind = {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly scope: 'Cluster' | 'Namespaced';
  /** Whether status is a subresource. */
  readonly hasStatus: boolean;
  readonly columns: readonly PrinterColumn[];
  /** Labels of the CRD itself. */
  readonly crdLabels: { readonly [key: string]: string };
  /** The schema of the whole object, as in the CRD. */
  readonly schema: StructuralSchema;
};

/** A kind with the TypeScript type of its objects. */
type Kind<Spec, Status> = AnyKind & { readonly schema: Schema<KubeObject<Spec, Status>> };

/** An object of a kind, as the API stores it. */
type KubeObject<Spec, Status> = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
} & (undefined extends Spec ? { readonly spec?: Exclude<Spec, undefined> } : { readonly spec: Spec }) &
  ([Status] extends [never] ? unknown : { readonly status?: Status });

/** The objects of a kind: `type MachineConfigPool = ObjectOfKind<typeof machineConfigPool>`. */
export type ObjectOfKind<K> = K extends { readonly schema: infer S } ? Infer<S> : never;

type Definition<S, T> = {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly scope?: 'Cluster' | 'Namespaced';
  /** A sentence or two; `kubectl explain` shows it. */
  readonly description: string;
  readonly columns?: readonly PrinterColumn[];
  readonly crdLabels?: { readonly [key: string]: string };
  readonly spec: Schema<S>;
  /**
   * Absent: the kind has no status. A status that is no subresource is not supported: no kind of ours needs it.
   */
  readonly status?: Schema<T>;
  /** Rules on the whole object; of metadata they have access to name and generateName only. */
  readonly rules?: readonly ValidationRule[];
};

/** A kind whose objects must have a spec. */
export function defineKind<S, T = never>(definition: Definition<S, T>): Kind<S, T> {
  return kindOf<S, T>(definition, ['spec']);
}

/** A kind whose objects may come without a spec. */
export function defineKindWithOptionalSpec<S, T = never>(
  definition: Definition<S, T>,
): Kind<S | undefined, T> {
  return kindOf<S | undefined, T>(definition, []);
}

function kindOf<S, T>(definition: Definition<unknown, unknown>, required: readonly string[]): Kind<S, T> {
  const { status } = definition;
  const schema: StructuralSchema = {
    type: 'object',
    description: definition.description,
    properties: {
      ...typeFields,
      metadata: { type: 'object' },
      spec: definition.spec,
      ...(status === undefined ? {} : { status }),
    },
    ...(required.length === 0 ? {} : { required }),
    ...(definition.rules === undefined ? {} : { 'x-kubernetes-validations': definition.rules }),
  };
  return {
    group: definition.group,
    version: definition.version,
    kind: definition.kind,
    plural: definition.plural,
    singular: definition.kind.toLowerCase(),
    shortNames: definition.shortNames ?? [],
    scope: definition.scope ?? 'Cluster',
    hasStatus: status !== undefined,
    columns: definition.columns ?? [],
    crdLabels: definition.crdLabels ?? {},
    // The one place where the schema and the TypeScript type of an object are connected.
    schema: schema as Schema<KubeObject<S, T>>,
  };
}

/** Optional in requests, where the path implies them; present in every object that is read. */
export const typeFields = {
  apiVersion: string('The group and version in which this object is written, such as apps/v1.'),
  kind: string('What this object is, in CamelCase.'),
};

/** `machineconfiguration.openshift.io/v1`. */
export function apiVersionOf(kind: Pick<AnyKind, 'group' | 'version'>): string {
  return kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
}
