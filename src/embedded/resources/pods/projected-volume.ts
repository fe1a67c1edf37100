/**
 * Validation of the sources of projected volumes.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { objectAt, optionalNumberAt, stringAt } from '../../../base/json-fields.ts';
import { forbidden, invalid, required } from '../field-problems.ts';
import { downwardItemProblems, keyProblems } from './volume-items.ts';
import { fileNamePathProblems } from './volume-paths.ts';

const KINDS = ['secret', 'configMap', 'downwardAPI', 'serviceAccountToken', 'clusterTrustBundle'] as const;
type Kind = (typeof KINDS)[number];

/** `volumePath` is that of the volume, on which kube-apiserver reports the path of a token. */
export function projectionProblems(
  projection: JsonObject,
  volumePath: string,
  path: string,
): readonly Problem[] {
  const [first, ...others] = KINDS.filter((kind) => objectAt(projection, kind) !== undefined);
  if (first === undefined) return [];
  return [
    ...(others.length === 0 ? [] : [forbidden(path, 'may not specify more than 1 volume type per source')]),
    ...kindProblems(first, objectAt(projection, first) ?? {}, volumePath, `${path}.${first}`),
  ];
}

function kindProblems(kind: Kind, source: JsonObject, volumePath: string, path: string): readonly Problem[] {
  switch (kind) {
    case 'secret':
    case 'configMap':
      return [
        ...(stringAt(source, 'name') === '' ? [required(`${path}.name`)] : []),
        ...keyProblems(source, `${path}.items`),
      ];
    case 'downwardAPI':
      return downwardItemProblems(source, path);
    case 'serviceAccountToken':
      return tokenProblems(source, volumePath, path);
    case 'clusterTrustBundle':
      return [];
  }
}

const MIN_LIFE_SECONDS = 600;
const MAX_LIFE_SECONDS = 2 ** 32;

function tokenProblems(source: JsonObject, volumePath: string, path: string): readonly Problem[] {
  const seconds = optionalNumberAt(source, 'expirationSeconds') ?? MIN_LIFE_SECONDS;
  const target = stringAt(source, 'path');
  const at = `${path}.expirationSeconds`;
  return [
    ...(seconds < MIN_LIFE_SECONDS
      ? [invalid(at, String(seconds), 'may not specify a duration less than 10 minutes')]
      : []),
    ...(seconds > MAX_LIFE_SECONDS
      ? [invalid(at, String(seconds), 'may not specify a duration larger than 2^32 seconds')]
      : []),
    ...(target === ''
      ? [required(`${volumePath}.path`)]
      : fileNamePathProblems(`${volumePath}.path`, target)),
  ];
}
