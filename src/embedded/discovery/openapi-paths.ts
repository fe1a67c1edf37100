/**
 * The paths of a resource, each with its operations.
 *
 * Subresources that stream (exec, attach, port forwarding, proxies) are left out: they have no body and no response that
 * a document could describe.
 */
import { apiVersionOf } from '../../kubernetes/meta/index.ts';
import { findBody, type KindName, type Subresource } from '../../kubernetes/types/index.ts';
import { listName, schemaName } from './kind-definitions.ts';
import { type Operation, operationOf, type Subject } from './openapi-operations.ts';
import { type Parameter, pathParameter } from './openapi-parameters.ts';
import type { ServedResource } from './served-resource.ts';

type PathItem = { readonly [key: string]: unknown };
/** Pairs of a path and its operations. */
export type Paths = readonly (readonly [path: string, item: PathItem])[];

export function pathsOf(resource: ServedResource): Paths {
  const { group, version, plural, scope, verbs } = resource;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const isNamespaced = scope === 'Namespaced';
  const collection = isNamespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const subject = subjectOf(resource);
  const subresources = resource.subresources.filter(({ takes }) => isDescribed(resource, takes));
  const candidates: readonly Candidate[] = [
    [collection, itemOf(subject, pick(verbs, COLLECTION_METHODS))],
    [`${collection}/{name}`, itemOf(subject, pick(verbs, OBJECT_METHODS), 'name')],
    ...subresources.map((subresource) =>
      subresourcePath({ resource, subresource, path: `${collection}/{name}/${subresource.name}` }),
    ),
  ];
  const overAll: Candidate = [
    `${root}/${plural}`,
    itemOf({ ...subject, isOverAll: true }, pick(verbs, [['get', 'list']])),
  ];
  return (isNamespaced ? [...candidates, overAll] : candidates).flatMap(([path, item]) =>
    item === undefined ? [] : [[path, item]],
  );
}

/** A path without operations is left out. */
type Candidate = readonly [path: string, item: PathItem | undefined];

type Verb = Parameters<typeof operationOf>[0];
type Methods = readonly (readonly [method: string, verb: Verb])[];

const COLLECTION_METHODS: Methods = [
  ['get', 'list'],
  ['post', 'create'],
  ['delete', 'deletecollection'],
];
const OBJECT_METHODS: Methods = [
  ['get', 'get'],
  ['put', 'update'],
  ['delete', 'delete'],
  ['patch', 'patch'],
];
const SUBRESOURCE_METHODS: Methods = [
  ['get', 'get'],
  ['put', 'update'],
  ['post', 'create'],
  ['patch', 'patch'],
];

function pick(verbs: ServedResource['verbs'], methods: Methods): Methods {
  return methods.filter(([, verb]) => verbs.includes(verb));
}

function isDescribed(resource: ServedResource, takes: KindName): boolean {
  return isSame(resource, takes) || findBody(apiVersionOf(takes), takes.kind) !== undefined;
}

function isSame(a: KindName, b: KindName): boolean {
  return a.kind === b.kind && a.group === b.group && a.version === b.version;
}

type SubresourcePath = {
  readonly resource: ServedResource;
  readonly subresource: Subresource;
  readonly path: string;
};

function subresourcePath({ resource, subresource, path }: SubresourcePath): Candidate {
  const { takes, verbs, name } = subresource;
  const isOwn = isSame(resource, takes);
  const subject: Subject = {
    ...subjectOf(resource),
    takes,
    subresource: name,
    schema: schemaName(isOwn ? resource : { ...takes, origin: 'builtin' }),
  };
  return [path, itemOf(subject, pick(verbs, SUBRESOURCE_METHODS), 'name')];
}

function subjectOf(resource: ServedResource): Subject {
  const { origin, group, version, kind, scope } = resource;
  const list = listName(resource);
  return {
    origin,
    group,
    version,
    kind,
    isNamespaced: scope === 'Namespaced',
    takes: { group, version, kind },
    schema: schemaName(resource),
    ...(list === undefined ? {} : { listSchema: list }),
  };
}

function itemOf(subject: Subject, methods: Methods, last?: 'name'): PathItem | undefined {
  if (methods.length === 0) return undefined;
  const ofPath: readonly Parameter[] = [
    ...(last === undefined ? [] : [pathParameter('name', `name of the ${subject.takes.kind}`)]),
    ...(subject.isNamespaced && subject.isOverAll !== true
      ? [pathParameter('namespace', 'object name and auth scope, such as for teams and projects')]
      : []),
  ];
  const operations = methods.map(([method, verb]) => [method, operationOf(verb, subject)] as const);
  const common = commonParameters(operations.map(([, operation]) => operation));
  const parameters = [...ofPath, ...common].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return {
    ...Object.fromEntries(operations.map(([method, operation]) => [method, without(operation, common)])),
    parameters,
  };
}

/** Parameters of all operations of a path are listed once, on the path. */
function commonParameters(operations: readonly Operation[]): readonly Parameter[] {
  const [first, ...others] = operations;
  return (first?.parameters ?? []).filter(({ name }) =>
    others.every(({ parameters }) => parameters.some((parameter) => parameter.name === name)),
  );
}

function without({ parameters, ...operation }: Operation, common: readonly Parameter[]): PathItem {
  const rest = parameters.filter(({ name }) => !common.some((parameter) => parameter.name === name));
  return rest.length === 0 ? operation : { ...operation, parameters: rest };
}
