/**
 * Resolves the resources and names of a command line against the server.
 */
import { formatProblem } from '../../base/errors.ts';
import type { ApiResource } from './api-resource.ts';
import type { ClusterSession } from './cluster-session.ts';
import { findResources } from './find-resource.ts';
import { parseResourceArgs } from './resource-args.ts';
import { throwUsageError } from './run-in-cluster.ts';

export type ResourceSelection = {
  readonly resource: ApiResource;
  /** Undefined for all objects of the kind. */
  readonly names: readonly string[] | undefined;
};

/** Throws a usage `Failure` if the arguments are invalid or name an unknown resource. */
export async function selectResources(
  session: ClusterSession,
  args: readonly string[],
): Promise<readonly ResourceSelection[]> {
  const parsed = parseResourceArgs(args);
  if (parsed.kind === 'invalid') return throwUsageError(parsed.problems.map(formatProblem).join('; '));
  const served = await session.resources();
  return parsed.value.flatMap(({ word, names }) => {
    const found = findResources(word, served);
    if (found.kind === 'unknown') return throwUsageError(found.message);
    if (names !== undefined && found.resources.length !== 1) {
      return throwUsageError(`${word} is a category of several resources and cannot be combined with names`);
    }
    return found.resources.map((resource) => ({ resource, names }));
  });
}

type NamespaceOptions = { readonly namespace?: string; readonly allNamespaces?: boolean };

/** The namespace to search; undefined for all namespaces and for cluster-scoped resources. */
export function namespaceFor(
  session: ClusterSession,
  { scope }: ApiResource,
  { namespace, allNamespaces = false }: NamespaceOptions,
): string | undefined {
  return scope === 'Cluster' || allNamespaces ? undefined : (namespace ?? session.namespace);
}
