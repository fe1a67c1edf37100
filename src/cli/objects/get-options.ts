/**
 * Options of `millwright get`, and the list scope and table layout that follow from them.
 */

import type { ClusterOptions } from '../cluster-options.ts';
import { type ApiResource, kindLabel } from './api-resource.ts';
import type { ClusterSession } from './cluster-session.ts';
import type { GetFormat } from './get-format.ts';
import type { Scope } from './list-and-watch.ts';
import { namespaceFor } from './resource-selection.ts';
import type { TableOptions } from './table-printer.ts';

export type GetOptions = ClusterOptions & {
  /** Default: a table. */
  readonly output?: GetFormat;
  readonly watch?: boolean;
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly showLabels?: boolean;
  readonly showManagedFields?: boolean;
  /** False with `--no-headers`. */
  readonly headers: boolean;
  readonly ignoreNotFound?: boolean;
};

export function scopeFor(
  session: ClusterSession,
  resource: ApiResource,
  options: GetOptions & { readonly accept?: string },
): Scope {
  return {
    resource,
    namespace: namespaceFor(session, resource, options),
    labelSelector: options.selector,
    fieldSelector: options.fieldSelector,
    accept: options.accept,
  };
}

export function tableOptionsFor(resource: ApiResource, options: GetOptions, withKind: boolean): TableOptions {
  return {
    isWide: options.output === 'wide',
    withNamespace: options.allNamespaces === true && resource.scope === 'Namespaced',
    withLabels: options.showLabels === true,
    withHeadings: options.headers,
    kindLabel: withKind ? kindLabel(resource) : undefined,
  };
}
