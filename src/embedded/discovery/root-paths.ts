/**
 * The response of `/`: the paths that the server has.
 */
import { servedGroups } from './served-groups.ts';
import type { ServedResource } from './served-resource.ts';

/** In addition to the paths of resources. */
const FIXED = [
  '/apis',
  '/apis/',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/',
  '/version',
  '/healthz',
  '/healthz/ping',
  '/livez',
  '/livez/ping',
  '/readyz',
  '/readyz/ping',
];

export function rootPaths(resources: readonly ServedResource[]): readonly string[] {
  const served = servedGroups(resources).flatMap(({ name, versions }) => {
    const root = name === '' ? '/api' : `/apis/${name}`;
    return [root, ...versions.map(({ version }) => `${root}/${version}`)];
  });
  return [...FIXED, ...served].sort();
}
