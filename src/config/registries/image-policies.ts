/**
 * Signature policies: which images must be signed by whom, in the whole cluster and in single namespaces.
 *
 * Other settings take precedence where they are stricter: images outside of the allowed registries stay rejected, and
 * a namespace cannot relax what the cluster requires.
 */
import {
  type ClusterImagePolicy,
  clusterImagePolicy as clusterImagePolicyKind,
  type ImagePolicy,
  type ImagePolicySpec,
  imagePolicy as imagePolicyKind,
} from '../../api/index.ts';
import { canonicalJson, compareBytes, type JsonObject } from '../../base/json.ts';
import { quoted } from '../../base/text/index.ts';
import { type Finding, referenceTo } from './finding.ts';
import { isWithin, repositoryOf } from './scope.ts';
import { signatureRequirement } from './signature-requirement.ts';

/** The signature requirements by scope, sorted. All requirements of a scope must be met. */
export type Demands = ReadonlyMap<string, readonly JsonObject[]>;

export type ImagePolicies = {
  readonly cluster: Demands;
  /** By namespace, sorted. */
  readonly namespaces: ReadonlyMap<string, Demands>;
  readonly findings: readonly Finding[];
};

export type PolicyObjects = {
  readonly clusterImagePolicies: readonly ClusterImagePolicy[];
  readonly imagePolicies: readonly ImagePolicy[];
};

/** The allowed and blocked registries. */
export type Limits = { readonly allowed: readonly string[]; readonly rejected: readonly string[] };

export function readImagePolicies(
  { clusterImagePolicies, imagePolicies }: PolicyObjects,
  limits: Limits,
): ImagePolicies {
  const findings: Finding[] = [];
  const cluster = new Map<string, JsonObject[]>();
  for (const { metadata, spec } of sorted(clusterImagePolicies)) {
    const about = referenceTo(clusterImagePolicyKind, metadata);
    for (const scope of spec.scopes) {
      const why = outOfLimits(scope, limits);
      if (why === undefined) demand(cluster, scope, spec);
      else findings.push({ about, reason: 'ConflictScopes', message: `clusterimagePolicy ${why}` });
    }
  }
  const namespaces = new Map<string, Map<string, JsonObject[]>>();
  for (const { metadata, spec } of sorted(imagePolicies)) {
    const about = referenceTo(imagePolicyKind, metadata);
    const report = (message: string) => findings.push({ about, reason: 'ConflictScopes', message });
    const covered = spec.scopes.filter((scope) => isCovered(scope, cluster)).sort(compareBytes);
    if (covered.length > 0) {
      const list = covered.map(quoted).join(' ');
      report(
        `has conflicting scope(s) [${list}] that equal to or nest inside existing clusterimagepolicy, only policy from clusterimagepolicy scope(s) will be applied`,
      );
    }
    for (const scope of spec.scopes) {
      if (covered.includes(scope)) continue;
      const why = outOfLimits(scope, limits);
      if (why === undefined) demand(demandsOf(namespaces, metadata.namespace ?? ''), scope, spec);
      else report(`imagePolicy ${why}`);
    }
  }
  return {
    cluster: byKey(cluster),
    namespaces: byKey(new Map([...namespaces].map(([name, demands]) => [name, byKey(demands)]))),
    findings,
  };
}

/** Tags and digests belong to the scope of their repository. */
function isIn(scope: string, outer: string): boolean {
  return isWithin(scope, outer) || isWithin(repositoryOf(scope), outer);
}

function isCovered(scope: string, cluster: Demands): boolean {
  return [...cluster.keys()].some((outer) => isIn(scope, outer));
}

function outOfLimits(scope: string, { allowed, rejected }: Limits): string | undefined {
  const isAnyOf = (scopes: readonly string[]) => scopes.some((outer) => isIn(scope, outer));
  const what = `configured for the scope ${scope}`;
  if (allowed.length > 0 && !isAnyOf(allowed)) return `${what} is not nested inside allowedRegistries`;
  return isAnyOf(rejected) ? `${what} is nested inside blockedRegistries` : undefined;
}

function demand(demands: Map<string, JsonObject[]>, scope: string, { policy }: ImagePolicySpec): void {
  const requirement = signatureRequirement(policy);
  const known = demands.get(scope) ?? [];
  const isKnown = known.some((one) => canonicalJson(one) === canonicalJson(requirement));
  if (!isKnown) demands.set(scope, [...known, requirement]);
}

function demandsOf(
  namespaces: Map<string, Map<string, JsonObject[]>>,
  namespace: string,
): Map<string, JsonObject[]> {
  const known = namespaces.get(namespace) ?? new Map<string, JsonObject[]>();
  namespaces.set(namespace, known);
  return known;
}

function sorted<T extends ClusterImagePolicy>(policies: readonly T[]): readonly T[] {
  const key = ({ metadata }: T) => `${metadata.namespace ?? ''}/${metadata.name}`;
  return [...policies].sort((a, b) => compareBytes(key(a), key(b)));
}

function byKey<T>(map: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return new Map([...map].sort(([a], [b]) => compareBytes(a, b)));
}
