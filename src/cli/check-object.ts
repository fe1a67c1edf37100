/**
 * Would the API take this object as it is, without dropping any of it?
 */
import { type AnyKind, type MachineConfigPool, machineConfigPool, selectorProblems } from '../api/index.ts';
import type { Problem } from '../errors.ts';
import { isObject, own } from '../json.ts';
import type { StructuralSchema } from '../schema/index.ts';
import { applyDefaults, prune, validate } from '../validation/index.ts';
import { didYouMean } from './nearest-name.ts';

export type CheckedObject = {
  /** As a server would store it: with defaults, and without `null` where it means nothing. */
  readonly value: unknown;
  readonly problems: readonly Problem[];
};

export function checkObject(kind: AnyKind, object: unknown): CheckedObject {
  const value = applyDefaults(kind.schema, object);
  const problems = [
    ...metadataProblems(object),
    ...unknownFieldProblems(kind.schema, object),
    ...validate(kind.schema, value),
  ];
  if (problems.length > 0 || kind.kind !== machineConfigPool.kind) return { value, problems };
  // The schema has just shown that it is a pool.
  return { value, problems: poolProblems(value as MachineConfigPool) };
}

/** What the API takes, but no controller can act on. */
function poolProblems({ spec }: MachineConfigPool): readonly Problem[] {
  return [
    ...selectorProblems(spec.machineConfigSelector, 'spec.machineConfigSelector'),
    ...selectorProblems(spec.nodeSelector, 'spec.nodeSelector'),
  ];
}

/** What the API says of the metadata of every object. */
export function metadataProblems(object: unknown): readonly Problem[] {
  const metadata = isObject(object) ? own(object, 'metadata') : undefined;
  if (!isObject(metadata)) return [{ path: 'metadata.name', message: 'Required value' }];
  return [
    ...Object.keys(metadata)
      .filter((field) => !METADATA_FIELDS.includes(field))
      .map((field) => unknownField(`metadata.${field}`, field, METADATA_FIELDS)),
    ...nameProblems(own(metadata, 'name')),
    ...labelProblems(own(metadata, 'labels')),
    ...mapProblems('metadata.annotations', own(metadata, 'annotations')),
  ];
}

const METADATA_FIELDS: readonly string[] = [
  'name',
  'namespace',
  'labels',
  'annotations',
  'generateName',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'ownerReferences',
  'finalizers',
  'managedFields',
  'selfLink',
];

const MAX_NAME_LENGTH = 253;
const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function nameProblems(name: unknown): readonly Problem[] {
  const path = 'metadata.name';
  if (name === undefined || name === null || name === '') return [{ path, message: 'Required value' }];
  if (typeof name !== 'string') {
    return [{ path, message: notAText(name) }];
  }
  if (name.length > MAX_NAME_LENGTH) {
    return [{ path, message: `Too long: may not be more than ${MAX_NAME_LENGTH} bytes` }];
  }
  if (DNS_SUBDOMAIN.test(name)) return [];
  const demand =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return [{ path, message: `Invalid value: ${JSON.stringify(name)}: ${demand}` }];
}

function labelProblems(labels: unknown): readonly Problem[] {
  const path = 'metadata.labels';
  const problems = mapProblems(path, labels);
  if (problems.length > 0 || !isObject(labels)) return problems;
  // Labels have the grammar of the selectors that pick them.
  return selectorProblems({ matchLabels: labels as { readonly [key: string]: string } }, '').map(
    ({ message }) => ({ path, message }),
  );
}

/** A bare `true` or `1` is the commonest slip here. */
function mapProblems(path: string, map: unknown): readonly Problem[] {
  if (map === undefined || map === null) return [];
  if (!isObject(map)) return [{ path, message: 'must be a map from texts to texts' }];
  return Object.entries(map)
    .filter(([, value]) => typeof value !== 'string')
    .map(([key, value]) => ({ path: `${path}.${key}`, message: notAText(value) }));
}

function notAText(value: unknown): string {
  const shown = typeof value === 'object' && value !== null ? 'a list or map' : JSON.stringify(value);
  return `Invalid value: ${shown}: must be a text: put it in quotes`;
}

/** Nobody writes a status by hand: what a newer cluster has put there is no slip. */
function unknownFieldProblems(schema: StructuralSchema, object: unknown): readonly Problem[] {
  return prune(schema, object)
    .unknownFields.filter((path) => path !== 'status' && !path.startsWith('status.'))
    .map((path) => unknownField(path, path.slice(path.lastIndexOf('.') + 1), siblingsOf(schema, path)));
}

function unknownField(path: string, field: string, known: readonly string[]): Problem {
  return { path, message: `unknown field${didYouMean(field, known)}` };
}

/** The fields that the schema knows where an unknown one stands. */
function siblingsOf(schema: StructuralSchema, path: string): readonly string[] {
  let here: StructuralSchema | undefined = schema;
  for (const step of path.split(/\.|(?=\[)/).slice(0, -1)) {
    here = step.startsWith('[') ? here?.items : (here?.properties?.[step] ?? valuesOf(here));
  }
  return Object.keys(here?.properties ?? {});
}

function valuesOf(schema: StructuralSchema | undefined): StructuralSchema | undefined {
  const values = schema?.additionalProperties;
  return typeof values === 'object' ? values : undefined;
}
