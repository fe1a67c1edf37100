/**
 * The admission plug-ins: namespace lifecycle, RBAC escalation, built-in admission of kinds, and
 * ValidatingAdmissionPolicies.
 */

import type { Env } from '../../base/env.ts';
import { assert } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { type KindName, RBAC_GROUP } from '../../kubernetes/types/index.ts';
import { admit } from '../admission/index.ts';
import { authorize, escalationProblem, type PolicyWrite, type RuleSource } from '../rbac/index.ts';
import { builtinAdmissionPlugins, groupResourceOf, type Resource } from '../resources/index.ts';
import { badRequest, forbidden, notFound, unknownError } from '../status/index.ts';
import type { AdmissionChain, WriteAttributes } from './admission.ts';
import type { Catalog } from './catalog.ts';
import { allObjects, readObject } from './store/records.ts';
import type { Store } from './store/store.ts';
import { StoreCache } from './store/store-cache.ts';
import { checkLifecycle } from './verbs/namespace-lifecycle.ts';

type AdmissionOptions = {
  readonly store: Store;
  readonly env: Pick<Env, 'random'>;
  readonly catalog: Catalog;
  readonly rules: RuleSource;
};

type RunningAdmissionChain = AdmissionChain & { readonly stop: () => void };

export function openAdmissionChain(options: AdmissionOptions): RunningAdmissionChain {
  const { store, catalog, rules } = options;
  const cacheOf = (plural: string): StoreCache => {
    const resource = catalog.find('admissionregistration.k8s.io', 'v1', plural);
    assert(resource !== undefined, `${plural} are served`);
    return new StoreCache(store, resource);
  };
  const policies = cacheOf('validatingadmissionpolicies');
  const bindings = cacheOf('validatingadmissionpolicybindings');
  return {
    admitDeletion: (attributes) => checkLifecycle(attributes, store, catalog),
    admitMutating(attributes) {
      checkLifecycle(attributes, store, catalog);
      checkEscalation(attributes, rules);
      return admitBuiltin(attributes, options);
    },
    admitValidating(attributes) {
      const { resource, namespace, name, operation, subresource, user, isDryRun, object, oldObject } =
        attributes;
      const admission = admit(
        {
          operation,
          resource,
          subresource,
          namespace: isNamespace(resource) ? name : namespace,
          name,
          user,
          isDryRun,
          ...(object === undefined ? {} : { object }),
          ...(oldObject === undefined ? {} : { oldObject }),
          ...(operation === 'CONNECT' ? {} : { options: optionsOf(operation, isDryRun) }),
        },
        {
          policies: policies.all(),
          bindings: bindings.all(),
          namespaceNamed: (wanted) =>
            objectNamed(store, catalog, 'namespaces', { namespace: '', name: wanted }),
          paramsOf: (kind) => paramsOf(store, catalog, kind),
          authorize: (question) => authorize(question, rules),
          equivalents: (one) => equivalentsOf(catalog, one),
        },
      );
      attributes.warnings.push(...admission.warnings);
      if (admission.denial !== undefined) throw admission.denial;
    },
    stop() {
      policies.stop();
      bindings.stop();
    },
  };
}

const OPTIONS = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const;

function optionsOf(operation: keyof typeof OPTIONS, isDryRun: boolean): JsonObject {
  const dryRun: JsonObject = isDryRun ? { dryRun: ['All'] } : {};
  return { apiVersion: 'meta.k8s.io/v1', kind: OPTIONS[operation], ...dryRun };
}

const ROLE_KINDS = ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'] as const;

function checkEscalation(attributes: WriteAttributes, rules: RuleSource): void {
  const { resource, operation, user, namespace, name, object, oldObject } = attributes;
  const plural = ROLE_KINDS.find((one) => one === resource.plural);
  if (resource.group !== RBAC_GROUP || plural === undefined) return;
  const write: PolicyWrite = {
    user,
    resource: plural,
    namespace,
    requestName: operation === 'CREATE' ? '' : name,
    object,
    ...(oldObject === undefined ? {} : { old: oldObject }),
  };
  const problem = escalationProblem(write, rules);
  switch (problem?.kind) {
    case undefined:
      return;
    case 'forbidden':
      throw forbidden(resource, name, problem.message);
    case 'notFound':
      throw notFound(resource, problem.name);
    case 'badRequest':
      throw badRequest(problem.message);
    case 'unknownError':
      throw unknownError(problem.message);
  }
}

/** Admission that depends on other objects of the cluster. */
function admitBuiltin(attributes: WriteAttributes, { env, store, catalog }: AdmissionOptions): JsonObject {
  const { resource, operation, object, name, subresource } = attributes;
  const admission =
    resource.origin === 'builtin' ? builtinAdmissionPlugins.get(groupResourceOf(resource)) : undefined;
  if (admission === undefined || subresource !== '') return object;
  const admitted = admission(object, {
    operation: operation === 'CREATE' ? 'create' : 'update',
    random: () => env.random.next(),
    findServiceAccount: (namespace, account) =>
      objectNamed(store, catalog, 'serviceaccounts', { namespace, name: account }),
  });
  if (admitted.kind === 'rejected') throw forbidden(resource, name, admitted.message);
  return admitted.object;
}

type ObjectName = { readonly namespace: string; readonly name: string };

function objectNamed(
  store: Store,
  catalog: Catalog,
  plural: string,
  { namespace, name }: ObjectName,
): JsonObject | undefined {
  const resource = catalog.find('', 'v1', plural);
  return resource === undefined ? undefined : readObject(store, resource, namespace, name)?.object;
}

function paramsOf(store: Store, catalog: Catalog, { group, version, kind }: KindName) {
  const resource = catalog
    .all()
    .find((one) => one.kind === kind && one.group === group && one.version === version);
  if (resource === undefined) return undefined;
  return {
    scope: resource.scope,
    get: ({ namespace, name }: ObjectName) => readObject(store, resource, namespace, name)?.object,
    list: (namespace: string) => allObjects(store, resource, namespace),
  };
}

/** The other versions of a custom resource serve the same objects. */
function equivalentsOf(catalog: Catalog, resource: Pick<Resource, 'group' | 'plural' | 'version'>) {
  const { group, plural, version } = resource;
  const all = catalog.all();
  const known = equivalents.get(all) ?? new Map<string, Equivalents>();
  equivalents.set(all, known);
  const key = `${group}/${version}/${plural}`;
  const found = known.get(key) ?? equivalentsAmong(all, resource);
  known.set(key, found);
  return found;
}

type Equivalents = ReturnType<typeof equivalentsAmong>;

/**
 * Cached by the list of resources, which is the same array until something changes: every policy needs this at every
 * request.
 */
const equivalents = new WeakMap<readonly Resource[], Map<string, Equivalents>>();

function equivalentsAmong(
  all: readonly Resource[],
  { group, plural, version }: Pick<Resource, 'group' | 'plural' | 'version'>,
) {
  return all
    .filter((one) => one.group === group && one.plural === plural && one.version !== version)
    .map((one) => ({
      ...one,
      convert: (object: JsonObject) => ({ ...object, apiVersion: `${one.group}/${one.version}` }),
    }));
}

function isNamespace({ group, plural }: Resource): boolean {
  return group === '' && plural === 'namespaces';
}
