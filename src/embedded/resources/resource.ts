/**
 * A resource that the server serves: how it is named and addressed, and the strategy for its objects.
 *
 * The verbs are the same for all resources. Whatever differs between kinds is in the strategy, so that the request path
 * has no branch for any kind.
 */
import type { AnyBuiltin } from '../../kubernetes/types/index.ts';
import type { Strategy } from './strategy.ts';

/** A resource in one version. `origin`: built into Kubernetes, or defined by a CustomResourceDefinition. */
export type Resource = AnyBuiltin & {
  readonly origin: 'builtin' | 'custom';
  readonly strategy: Strategy;
  /** The columns of a CRD version; those of built-in kinds are in `tables`. */
  readonly columns?: readonly PrinterColumn[];
};

/** `additionalPrinterColumns` of a CustomResourceDefinition. */
export type PrinterColumn = {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
};

/** The group resource as text: `pods`, `deployments.apps`. */
export function groupResourceOf({ plural, group }: Pick<Resource, 'plural' | 'group'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}
