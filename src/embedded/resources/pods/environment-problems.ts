/**
 * Validation of the environment of a container, and of references to fields of its pod.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { objectAt, objectsAt, stringAt } from '../../../base/json-fields.ts';
import { checkQualifiedName } from '../../../kubernetes/meta/index.ts';
import { invalidText, required, unsupportedText } from '../field-problems.ts';
import { configKeyProblems, dnsSubdomainProblems } from '../name-problems.ts';

/** `path` is that of the container. */
export function environmentProblems(container: JsonObject, path: string): readonly Problem[] {
  return [
    ...objectsAt(container, 'env').flatMap((variable, index) =>
      variableProblems(variable, `${path}.env[${index}]`),
    ),
    ...objectsAt(container, 'envFrom').flatMap((source, index) =>
      sourceProblems(source, `${path}.envFrom`, `${path}.envFrom[${index}]`),
    ),
  ];
}

const NOT_A_NAME =
  "a valid environment variable name must consist only of printable ASCII characters other than '='";

function nameProblems(path: string, name: string): readonly Problem[] {
  return /^[ -<>-~]+$/.test(name) ? [] : [invalidText(path, name, NOT_A_NAME)];
}

function variableProblems(variable: JsonObject, path: string): readonly Problem[] {
  const name = stringAt(variable, 'name');
  const source = objectAt(variable, 'valueFrom');
  return [
    ...(name === '' ? [required(`${path}.name`)] : nameProblems(`${path}.name`, name)),
    ...(source === undefined ? [] : valueFromProblems(variable, source, `${path}.valueFrom`)),
  ];
}

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef'] as const;

function valueFromProblems(variable: JsonObject, source: JsonObject, path: string): readonly Problem[] {
  const problems: Problem[] = [];
  const given = SOURCES.filter((kind) => objectAt(source, kind) !== undefined);
  for (const kind of given) problems.push(...referenceProblems(kind, objectAt(source, kind) ?? {}, path));
  if (given.length === 0) {
    const detail = 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`';
    problems.push(invalidText(path, '', detail));
  } else if (stringAt(variable, 'value') !== '') {
    problems.push(invalidText(path, '', 'may not be specified when `value` is not empty'));
  } else if (given.length > 1) {
    problems.push(invalidText(path, '', 'may not have more than one field specified at a time'));
  }
  return problems;
}

function referenceProblems(
  kind: (typeof SOURCES)[number],
  reference: JsonObject,
  parent: string,
): readonly Problem[] {
  const path = `${parent}.${kind}`;
  if (kind === 'fieldRef') return fieldReferenceProblems(reference, VARIABLE_FIELDS, path);
  if (kind === 'resourceFieldRef') return resourceReferenceProblems(reference, path, false);
  const key = stringAt(reference, 'key');
  return [
    ...dnsSubdomainProblems(`${path}.name`, stringAt(reference, 'name')),
    ...(key === '' ? [required(`${path}.key`)] : configKeyProblems(() => `${path}.key`, key)),
  ];
}

const METADATA_FIELDS = ['metadata.name', 'metadata.namespace', 'metadata.uid'];
const VARIABLE_FIELDS: readonly string[] = [
  ...METADATA_FIELDS,
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
export const VOLUME_FIELDS: readonly string[] = [
  ...METADATA_FIELDS,
  'metadata.annotations',
  'metadata.labels',
];
/** Every field that field selectors support is a valid reference, even if it is useless there. */
const KNOWN_FIELDS: readonly string[] = [
  ...VARIABLE_FIELDS,
  ...VOLUME_FIELDS,
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.hostNetwork',
  'status.phase',
  'status.nominatedNodeName',
];

/** A reference to a field of the pod; only some fields are allowed in each place. */
export function fieldReferenceProblems(
  reference: JsonObject,
  supported: readonly string[],
  path: string,
): readonly Problem[] {
  const field = stringAt(reference, 'fieldPath');
  const at = `${path}.fieldPath`;
  if (field === '') return [required(at)];
  const subscript = /^([^[\]]*)\['(.*)'\]$/.exec(field);
  if (subscript !== null) return subscriptProblems(field, subscript[1] ?? '', subscript[2] ?? '', path);
  if (!KNOWN_FIELDS.includes(field)) {
    return [invalidText(at, field, `error converting fieldPath: field label not supported: ${field}`)];
  }
  if (supported.includes(field)) return [];
  return [unsupportedText(at, field, [...supported].sort())];
}

function subscriptProblems(field: string, map: string, key: string, path: string): readonly Problem[] {
  if (map === 'metadata.labels') return checkQualifiedName(key).map((text) => invalidText(path, key, text));
  if (map === 'metadata.annotations') {
    return checkQualifiedName(key.toLowerCase()).map((text) => invalidText(path, key, text));
  }
  const why = KNOWN_FIELDS.includes(map) ? 'does not support subscript' : 'not supported';
  const detail = `error converting fieldPath: field label ${why}: ${field}`;
  return [invalidText(`${path}.fieldPath`, field, detail)];
}

const AMOUNTS: readonly string[] = ['limits', 'requests'].flatMap((amount) =>
  ['cpu', 'ephemeral-storage', 'memory'].map((resource) => `${amount}.${resource}`),
);

/** In a volume the reference must name its container. */
export function resourceReferenceProblems(
  reference: JsonObject,
  path: string,
  isInVolume: boolean,
): readonly Problem[] {
  if (isInVolume && stringAt(reference, 'containerName') === '') return [required(`${path}.containerName`)];
  const resource = stringAt(reference, 'resource');
  if (resource === '') return [required(`${path}.resource`)];
  const isKnown = AMOUNTS.includes(resource) || /^(limits|requests)\.hugepages-/.test(resource);
  return isKnown ? [] : [unsupportedText(`${path}.resource`, resource, AMOUNTS)];
}

function sourceProblems(source: JsonObject, listPath: string, path: string): readonly Problem[] {
  const problems: Problem[] = [];
  const prefix = stringAt(source, 'prefix');
  if (prefix !== '') problems.push(...nameProblems(`${path}.prefix`, prefix));
  const given = ['configMapRef', 'secretRef'].filter((kind) => objectAt(source, kind) !== undefined);
  for (const kind of given) {
    const name = stringAt(source, kind, 'name');
    const at = `${path}.${kind}.name`;
    problems.push(...(name === '' ? [required(at)] : dnsSubdomainProblems(at, name)));
  }
  if (given.length === 0) {
    problems.push(invalidText(listPath, '', 'must specify one of: `configMapRef` or `secretRef`'));
  } else if (given.length > 1) {
    problems.push(invalidText(listPath, '', 'may not have more than one field specified at a time'));
  }
  return problems;
}
