/**
 * The values of an installation from what a user gave: merged with the defaults as Helm merges them, and checked as its
 * schema does.
 */
import { invalid, type Outcome, ok, type Problem } from '../base/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { stringAt } from '../base/json-fields.ts';
import {
  compareQuantities,
  didYouMean,
  parseAddress,
  parseNetwork,
  parseQuantity,
} from '../base/text/index.ts';
import { prune, validate } from '../kubernetes/validation/index.ts';
import { type InstallValues, valuesSchema } from './values.ts';

/** Objects are merged, lists and scalars replaced; null removes what was there. */
function mergeValues(before: JsonObject, given: JsonObject): JsonObject {
  const merged: { [key: string]: Json } = { ...before };
  for (const [key, value] of Object.entries(given)) {
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    if (value === null) delete merged[key];
    else merged[key] = isJsonObject(old) && isJsonObject(value) ? mergeValues(old, value) : value;
  }
  return merged;
}

export function readValues(defaults: InstallValues, given: Json): Outcome<InstallValues> {
  if (!isJsonObject(given))
    return invalid([{ path: '', message: 'values are a mapping of names to values' }]);
  // Values are plain data: JSON by construction.
  const merged = mergeValues(defaults as unknown as JsonObject, given);
  const unknown = prune(valuesSchema, merged, { isPart: true }).unknownFields.map((path) =>
    unknownValue(path, defaults as unknown as JsonObject),
  );
  const unfit = [
    ...onePerValue(validate(valuesSchema, merged)).map(plainProblem),
    ...sharedNamespace(merged),
  ];
  const misfits = unfit.length > 0 ? [] : unusableAddresses(merged);
  const problems = [...unknown, ...[...unfit, ...misfits].map((problem) => withGiven(problem, merged))];
  if (problems.length > 0) return invalid(problems);
  // The schema has checked it.
  const values = merged as unknown as InstallValues;
  const tooLarge = Object.entries(values.resources).flatMap(requestsAboveLimits);
  return tooLarge.length > 0 ? invalid(tooLarge) : ok(values);
}

function unknownValue(path: string, defaults: JsonObject): Problem {
  const [parent, name] = splitPath(path);
  const known = parent === '' ? defaults : valueAtPath(defaults, parent);
  const suggestion = isJsonObject(known) ? didYouMean(name, Object.keys(known)) : '';
  // YAML reads the key `y` so.
  const quoting =
    name === 'true' || name === 'false' ? '; yes, no, on, off, y and n are true or false unless quoted' : '';
  return {
    path,
    message: `there is no such value${suggestion}: docs/install-values.md lists them${quoting}`,
  };
}

function splitPath(path: string): readonly [parent: string, name: string] {
  const dot = path.lastIndexOf('.');
  return dot < 0 ? ['', path] : [path.slice(0, dot), path.slice(dot + 1)];
}

/** A value that may have several types gets a problem for each of them, and for all together one without a path. */
function onePerValue(problems: readonly Problem[]): readonly Problem[] {
  const byPath = new Map(problems.toReversed().map((one) => [one.path, one]));
  if (byPath.size > 1) byPath.delete('');
  return [...byPath.values()].toReversed();
}

/** A pattern says nothing to people. */
function plainProblem(problem: Problem): Problem {
  const rule = PLAIN.find(([paths]) => paths.test(problem.path));
  return { path: problem.path, message: rule === undefined ? plainMessage(problem.message) : rule[1] };
}

/** Without the path and the value, which are named anyway. */
function plainMessage(message: string): string {
  const type = /in body must be of type (\w+): "\w+"$/.exec(message)?.[1];
  if (type !== undefined) return `must be ${TYPES[type] ?? type}`;
  return message.replace(/^Invalid value: .* in body (?=(?:should|must) )/s, '');
}

const TYPES: { readonly [type: string]: string } = {
  integer: 'an integer',
  boolean: 'true or false',
  string: 'a string',
  object: 'a mapping',
  array: 'a list',
};

const PLAIN: readonly (readonly [RegExp, string])[] = [
  [
    /^(image|builderImage)$/,
    'must be an image with a registry and a tag or digest, such as registry.example/millwright:1.0',
  ],
  [/^clusterDns\.address$/, 'must be an IP address, such as 10.96.0.10, or empty'],
  [/^namespace$/, 'must be the name of a namespace: at most 63 lower-case letters, digits and dashes'],
  [
    /^resources\..*\.cpu$/,
    'must be a number of cores, such as 1 or "0.5", or thousandths of one, such as 100m',
  ],
  [
    /^resources\..*\.(memory|ephemeral-storage)$/,
    'must be a number of bytes with a unit such as 512Mi, 2Gi or 500M; m is not a unit of bytes',
  ],
];

const MAX_SHOWN = 100;

/** Which value is meant; some messages name only its type. */
function withGiven(problem: Problem, values: Json): Problem {
  const given = valueAtPath(values, problem.path);
  if (given === undefined) return problem;
  const text = JSON.stringify(given);
  if (problem.message.includes(`value: ${text}`)) return problem;
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  return { ...problem, message: `${problem.message} (given: ${shown})` };
}

/** `imagePullSecrets[0].name`; names of labels may contain dots. */
function valueAtPath(value: Json, path: string): Json | undefined {
  if (path === '') return value;
  const index = /^\[(\d+)\][.]?/.exec(path);
  if (index !== null && Array.isArray(value)) {
    const item = (value as readonly Json[])[Number(index[1])];
    return item === undefined ? undefined : valueAtPath(item, path.slice(index[0].length));
  }
  if (!isJsonObject(value)) return undefined;
  const fits = (key: string) => path === key || path.startsWith(`${key}.`) || path.startsWith(`${key}[`);
  const [key] = Object.keys(value)
    .filter(fits)
    .sort((a, b) => b.length - a.length);
  const next = key === undefined ? undefined : value[key];
  if (key === undefined || next === undefined) return undefined;
  return valueAtPath(next, path.slice(key.length).replace(/^[.]/, ''));
}

type Resources = InstallValues['resources']['operator'];

/** The cluster would refuse the pods. */
function requestsAboveLimits([component, { requests, limits }]: [string, Resources]): readonly Problem[] {
  return (['cpu', 'memory', 'ephemeral-storage'] as const).flatMap((name) => {
    const [wanted, most] = [requests?.[name], limits?.[name]];
    if (wanted === undefined || most === undefined) return [];
    const [low, high] = [parseQuantity(String(wanted)), parseQuantity(String(most))];
    if ('error' in low || 'error' in high || compareQuantities(low, high) <= 0) return [];
    const path = `resources.${component}.requests.${name}`;
    return [{ path, message: `must not be more than the limit ${most} (given: ${wanted})` }];
  });
}

/** Components would not start with them. */
function unusableAddresses(values: JsonObject): readonly Problem[] {
  const dns = stringAt(values, 'clusterDns', 'address');
  const sources = stringAt(values, 'server', 'allowSources');
  return [
    ...(dns === '' || parseAddress(dns) !== undefined
      ? []
      : [plainProblem({ path: 'clusterDns.address', message: '' })]),
    ...(sources === '' || sources.split(',').every((one) => parseNetwork(one) !== undefined)
      ? []
      : [{ path: 'server.allowSources', message: 'must be CIDRs separated by commas, such as 10.0.0.0/16' }]),
  ];
}

/** The manifests have objects of their own in some of these, with the same names. */
const SHARED = [
  'default',
  'kube-node-lease',
  'kube-public',
  'kube-system',
  'openshift-config',
  'openshift-config-managed',
];

function sharedNamespace({ namespace }: JsonObject): readonly Problem[] {
  if (!SHARED.includes(String(namespace))) return [];
  return [{ path: 'namespace', message: 'must be a namespace of its own, not one of the cluster' }];
}
