/**
 * What was asked of `millwright get`, as what to ask the server for and how to lay it out.
 */

import type { ClusterOptions } from '../embedded-access.ts';
import type { TableLook } from '../table-printer.ts';
import { type ApiResource, kindLabel } from './api-resource.ts';
import type { ClusterSession } from './cluster-session.ts';
import type { GetFormat } from './get-format.ts';
import type { Scope } from './list-and-watch.ts';
import { namespaceFor } from './wanted-objects.ts';

export type GetOptions = ClusterOptions & {
  /** A table where nothing is said. */
  readonly output?: GetFormat;
  readonly watch?: boolean;
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly showLabels?: boolean;
  readonly showManagedFields?: boolean;
  /** False for tables without headings. */
  readonly headers: boolean;
  readonly ignoreNotFound?: boolean;
};

export function scopeFor(
  session: ClusterSession,
  resource: ApiResource,
  options: GetOptions & { readonly accept?: string },
): Scope {
  return {
    ...{ resource, namespace: namespaceFor(session, resource, options) },
    ...{ labelSelector: options.selector, fieldSelector: options.fieldSelector, accept: options.accept },
  };
}

export function lookFor(resource: ApiResource, options: GetOptions, withKind: boolean): TableLook {
  return {
    isWide: options.output === 'wide',
    withNamespace: options.allNamespaces === true && resource.scope === 'Namespaced',
    withLabels: options.showLabels === true,
    withHeadings: options.headers,
    kindLabel: withKind ? kindLabel(resource) : undefined,
  };
}
