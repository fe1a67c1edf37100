/**
 * The objects that a command line names, as what the server serves.
 */
import { formatProblem } from '../../base/errors.ts';
import type { ApiResource } from './api-resource.ts';
import type { ClusterSession } from './cluster-session.ts';
import { findResources } from './find-resource.ts';
import { parseResourceArgs } from './resource-args.ts';
import { refuseUsage } from './run-in-cluster.ts';

export type Wanted = {
  readonly resource: ApiResource;
  /** Undefined for all objects of the kind. */
  readonly names: readonly string[] | undefined;
};

/** Throws a `Failure` of the kind `usage` where the words make no sense, or name a kind that is not served. */
export async function wantedObjects(
  session: ClusterSession,
  args: readonly string[],
): Promise<readonly Wanted[]> {
  const parsed = parseResourceArgs(args);
  if (parsed.kind === 'invalid') return refuseUsage(parsed.problems.map(formatProblem).join('; '));
  const served = await session.resources();
  return parsed.value.flatMap(({ word, names }) => {
    const found = findResources(word, served);
    if (found.kind === 'unknown') return refuseUsage(found.message);
    if (names !== undefined && found.resources.length !== 1) {
      return refuseUsage(`${word} stands for several kinds, so no names can follow`);
    }
    return found.resources.map((resource) => ({ resource, names }));
  });
}

type NamespaceOptions = { readonly namespace?: string; readonly allNamespaces?: boolean };

/** Where objects of a kind are looked for: undefined for everywhere, and for what lies in no namespace. */
export function namespaceFor(
  session: ClusterSession,
  { scope }: ApiResource,
  { namespace, allNamespaces = false }: NamespaceOptions,
): string | undefined {
  return scope === 'Cluster' || allNamespaces ? undefined : (namespace ?? session.namespace);
}
