/**
 * Whether a rule allows a request.
 */
import type { PolicyRule } from '../../kubernetes/types/index.ts';
import { type Attributes, combinedResource, type ResourceAttributes } from './attributes.ts';

/** All verbs, groups, resources or paths. */
export const ALL = '*';

export function ruleAllows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!hasOrAll(rule.verbs, attributes.verb)) return false;
  if (attributes.kind === 'path')
    return rule.nonResourceURLs?.some((url) => urlFits(url, attributes.path)) ?? false;
  return (
    hasOrAll(rule.apiGroups, attributes.group) &&
    resourceFits(rule, attributes) &&
    nameFits(rule.resourceNames, attributes.name)
  );
}

/** Whether a path of a rule, which may end in `*`, covers another path or pattern. */
export function urlFits(url: string, path: string): boolean {
  return url === path || (url.endsWith(ALL) && path.startsWith(withoutStars(url)));
}

function withoutStars(url: string): string {
  let end = url.length;
  while (end > 0 && url.charAt(end - 1) === ALL) end--;
  return url.slice(0, end);
}

export function hasOrAll(list: readonly string[] | undefined, wanted: string): boolean {
  return list?.some((one) => one === ALL || one === wanted) ?? false;
}

/** `pods/log` is covered by `*`, by itself and by `*`+`/log`, but not by `pods`. */
function resourceFits({ resources }: PolicyRule, attributes: ResourceAttributes): boolean {
  const combined = combinedResource(attributes);
  if (hasOrAll(resources, combined)) return true;
  const { subresource } = attributes;
  return subresource !== '' && (resources?.includes(`${ALL}/${subresource}`) ?? false);
}

/** A rule with names does not allow requests without one, such as creation. */
function nameFits(names: readonly string[] | undefined, name: string): boolean {
  return names === undefined || names.length === 0 || names.includes(name);
}
