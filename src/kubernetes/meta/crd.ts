/**
 * The CustomResourceDefinition of a kind.
 */
import { type StructuralSchema, withoutGoTypes } from '../schema/index.ts';
import type { AnyKind, PrinterColumn } from './kind.ts';

export function crdName(kind: Pick<AnyKind, 'plural' | 'group'>): string {
  return `${kind.plural}.${kind.group}`;
}

export function crdOf(kind: AnyKind): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: crdName(kind),
      ...(Object.keys(kind.crdLabels).length === 0 ? {} : { labels: kind.crdLabels }),
    },
    spec: {
      group: kind.group,
      scope: kind.scope,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.singular,
        ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
      },
      versions: [
        {
          name: kind.version,
          served: true,
          storage: true,
          ...(kind.columns.length === 0 ? {} : { additionalPrinterColumns: kind.columns }),
          schema: { openAPIV3Schema: withoutGoTypes(kind.schema) },
          ...(kind.hasStatus ? { subresources: { status: {} } } : {}),
        },
      ],
    },
  };
}

export type CustomResourceDefinition = {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string; readonly labels?: { readonly [key: string]: string } };
  readonly spec: {
    readonly group: string;
    readonly scope: 'Cluster' | 'Namespaced';
    readonly names: {
      readonly kind: string;
      readonly listKind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames?: readonly string[];
    };
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly storage: boolean;
      readonly additionalPrinterColumns?: readonly PrinterColumn[];
      readonly schema: { readonly openAPIV3Schema: StructuralSchema };
      readonly subresources?: { readonly status: Record<string, never> };
    }[];
  };
};
