/**
 * The objects of `manifests/`, and the permissions of each service account.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatYaml } from '../../src/base/yaml/index.ts';
import { defaultValues, inNamespace, installObjects, parseManifests } from '../../src/install/index.ts';
import type { Loose } from '../contract/loose.ts';

export const folder = fileURLToPath(new URL('../../manifests', import.meta.url));

export const files: readonly string[] = readdirSync(folder).filter((name) => name.endsWith('.yaml'));

export const textOfFile = (name: string): string => readFileSync(join(folder, name), 'utf8');

export type Rule = {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
  /** Then it has no resources. */
  readonly nonResourceURLs?: readonly string[];
};

export type Manifest = {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly Rule[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace: string }[];
  readonly spec?: Loose;
};

const DEFAULTS = defaultValues('1.2.3');

/**
 * With the default values, and with the server, which is off by default; without the approvers, whose rights test/kubernetes/rbac
 * proves. The API server validates them; anything else fails where it is used.
 */
export const manifests: readonly Manifest[] = installObjects(
  parseManifests(new Map(files.map((name) => [name, textOfFile(name)]))),
  { ...DEFAULTS, server: { ...DEFAULTS.server, enabled: true }, clientCertificates: { approve: false } },
) as unknown as readonly Manifest[];

/** The files as they are for another namespace: what `installManifests` takes. Their folder is the caller's to delete. */
export function manifestsIn(namespace: string): string {
  const place = mkdtempSync(join(tmpdir(), 'millwright-manifests-'));
  cpSync(join(folder, 'crds'), join(place, 'crds'), { recursive: true });
  for (const { name, objects } of parseManifests(new Map(files.map((one) => [one, textOfFile(one)])))) {
    const texts = objects.map((object) => formatYaml(inNamespace(object, namespace)));
    writeFileSync(join(place, name), texts.join('---\n'));
  }
  return place;
}

export function ofKind(...kinds: readonly string[]): readonly Manifest[] {
  return manifests.filter(({ kind }) => kinds.includes(kind));
}

/** The role of a binding, if it is among the files. */
export function roleOf({ metadata, roleRef }: Manifest): Manifest | undefined {
  return ofKind('Role', 'ClusterRole').find(
    (role) =>
      role.kind === roleRef?.kind &&
      role.metadata.name === roleRef.name &&
      (role.kind === 'ClusterRole' || role.metadata.namespace === metadata.namespace),
  );
}

/**
 * The permissions of an account, as `patch nodes` and `patch machineconfigpools/status.GROUP`, without names and
 * namespaces.
 */
export function rightsOf(account: string): ReadonlySet<string> {
  const rights = new Set<string>();
  for (const binding of ofKind('RoleBinding', 'ClusterRoleBinding')) {
    if (binding.subjects?.every(({ name }) => name !== account)) continue;
    for (const { apiGroups, resources, verbs } of roleOf(binding)?.rules ?? []) {
      for (const group of apiGroups)
        for (const resource of resources) for (const verb of verbs) rights.add(right(verb, group, resource));
    }
  }
  return rights;
}

export function right(verb: string, group: string, resource: string): string {
  return `${verb} ${group === '' ? resource : `${resource}.${group}`}`;
}
