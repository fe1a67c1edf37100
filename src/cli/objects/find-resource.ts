/**
 * Finds resources by name: `mcp`, `machineconfigpool`, `MachineConfigPools`, `deploy.apps`, `deployments.v1.apps`, or a
 * category of several such as `all`. Names are case-insensitive.
 */

import { nearestName } from '../../base/text/index.ts';
import { type ApiResource, apiVersionText } from './api-resource.ts';

type FoundResources =
  | { readonly kind: 'found'; readonly resources: readonly ApiResource[] }
  | { readonly kind: 'unknown'; readonly message: string };

/** `served` in the order of the server: of several resources with one name the first is used, like in kubectl. */
export function findResources(word: string, served: readonly ApiResource[]): FoundResources {
  const wanted = word.toLowerCase();
  const inCategory = served.filter(({ categories }) => categories.includes(wanted));
  if (inCategory.length > 0) return { kind: 'found', resources: onePerName(inCategory.filter(isListed)) };
  const one = byName(wanted, () => true, served) ?? byQualifiedName(wanted, served);
  if (one !== undefined) return { kind: 'found', resources: [one] };
  return {
    kind: 'unknown',
    message: `the server has no resource ${JSON.stringify(word)}${suggestion(wanted, served)}`,
  };
}

export type FoundKind =
  | { readonly kind: 'found'; readonly resource: ApiResource }
  | { readonly kind: 'unknown'; readonly message: string };

/** The resource of a kind, by the `apiVersion` and `kind` of an object. Case-sensitive. */
export function findKind(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  served: readonly ApiResource[],
): FoundKind {
  const ofVersion = served.filter((resource) => apiVersionText(resource) === apiVersion);
  const resource = ofVersion.find((one) => one.kind === kind);
  if (resource !== undefined) return { kind: 'found', resource };
  const elsewhere = served.filter((one) => one.kind === kind).map(apiVersionText);
  const nearest = nearestName(
    kind,
    ofVersion.map((one) => one.kind),
  );
  const hint =
    elsewhere.length > 0
      ? `: it is served as ${[...new Set(elsewhere)].join(' and ')}`
      : nearest === undefined
        ? ''
        : ` (did you mean ${nearest}?)`;
  return { kind: 'unknown', message: `the server has no ${kind} in ${apiVersion}${hint}` };
}

function byName(
  name: string,
  isMeant: (resource: ApiResource) => boolean,
  served: readonly ApiResource[],
): ApiResource | undefined {
  const among = served.filter(isMeant);
  return (
    among.find(({ plural, singular, kind }) => [plural, singular, kind.toLowerCase()].includes(name)) ??
    among.find(({ shortNames }) => shortNames.includes(name))
  );
}

/** `NAME.GROUP` or `NAME.VERSION.GROUP`. A prefix of a group is accepted if no group has that name. */
function byQualifiedName(word: string, served: readonly ApiResource[]): ApiResource | undefined {
  const [name = '', ...rest] = word.split('.');
  const [version, ...others] = rest;
  const group = rest.join('.');
  const groupBehindVersion = others.join('.');
  return (
    byName(name, (one) => one.group === group, served) ??
    byName(name, (one) => one.version === version && one.group === groupBehindVersion, served) ??
    (group === '' ? undefined : byName(name, (one) => one.group.startsWith(group), served))
  );
}

function isListed({ verbs }: ApiResource): boolean {
  return verbs.includes('list');
}

/** The first version of each resource. */
function onePerName(resources: readonly ApiResource[]): readonly ApiResource[] {
  const seen = new Set<string>();
  return resources.filter(({ plural, group }) => {
    const name = `${plural}.${group}`;
    const isFirst = !seen.has(name);
    seen.add(name);
    return isFirst;
  });
}

function suggestion(word: string, served: readonly ApiResource[]): string {
  const [name = ''] = word.split('.');
  const nearest = nearestName(
    name,
    served.flatMap(({ plural, singular }) => [plural, singular]),
  );
  return nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
}
