/** The parameter objects of a policy, selected by a binding. */

import { compareBytes, isObject, type JsonObject, own } from '../../base/json.ts';
import { type Fields, objectAt, stringAt } from '../../base/json-fields.ts';
import { type LabelSelector, labelsOf, matchesSelector, nameOf } from '../../kubernetes/meta/index.ts';
import type { KindName } from '../../kubernetes/types/index.ts';
import type { ParamSource } from './admission.ts';

/** One evaluation each; `undefined` is one without parameters. */
type Params =
  | { readonly kind: 'params'; readonly params: readonly (JsonObject | undefined)[] }
  | { readonly kind: 'failed'; readonly message: string };

const NO_PARAMS: Params = { kind: 'params', params: [undefined] };

/** The `paramKind` of the policy. */
export function paramKindOf(policySpec: Fields): KindName | undefined {
  const paramKind = objectAt(policySpec, 'paramKind');
  if (paramKind === undefined) return undefined;
  const [first = '', second] = stringAt(paramKind, 'apiVersion').split('/');
  const kind = stringAt(paramKind, 'kind');
  return second === undefined ? { group: '', version: first, kind } : { group: first, version: second, kind };
}

/** `namespace`: that of the request. */
export function collectParams(
  source: ParamSource | undefined,
  bindingSpec: Fields,
  namespace: string,
): Params {
  const ref = objectAt(bindingSpec, 'paramRef');
  if (source === undefined || ref === undefined) return NO_PARAMS;
  const named = stringAt(ref, 'namespace');
  if (source.scope === 'Cluster' && named !== '') {
    return failed('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  if (source.scope === 'Namespaced' && named === '' && namespace === '') {
    return failed('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  }
  const place = source.scope === 'Cluster' ? '' : named || namespace;
  const params = find(source, ref, place);
  if (params === undefined) return failed('one of name or selector must be provided');
  if (params.length === 0 && stringAt(ref, 'parameterNotFoundAction') === 'Deny') {
    return failed('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  return { kind: 'params', params };
}

function find(source: ParamSource, ref: Fields, namespace: string): readonly JsonObject[] | undefined {
  const name = stringAt(ref, 'name');
  if (name !== '') {
    const found = source.get({ namespace, name });
    return found === undefined ? [] : [found];
  }
  const selector = own(ref, 'selector');
  if (!isObject(selector)) return undefined;
  return [...source.list(namespace)]
    .filter((object) => matchesSelector(selector as LabelSelector, labelsOf(object)))
    .sort((a, b) => compareBytes(nameOf(a), nameOf(b)));
}

function failed(message: string): Params {
  return { kind: 'failed', message };
}
