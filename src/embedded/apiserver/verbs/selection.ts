/** The objects that label and field selectors select. */
import type { JsonObject } from '../../../base/json.ts';
import {
  type FieldSelector,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
} from '../../../kubernetes/selectors/index.ts';
import type { Resource } from '../../resources/index.ts';
import { badRequest } from '../../status/index.ts';
import { fieldSelectorProblem, matchesFields, nameInFieldSelector } from '../field-selector.ts';
import { keyOf } from '../store/records.ts';
import type { Entry } from '../store/store.ts';
import { metadataOf } from '../store/stored-object.ts';
import type { ListOptions } from './query-options.ts';

export type Selection = {
  readonly isAll: boolean;
  /** The name that the field selector requires, if any. */
  readonly name: string | undefined;
  /** Whether `matches` must be asked; otherwise `mayMatch` is the answer. */
  readonly needsObject: boolean;
  readonly matches: (object: JsonObject) => boolean;
  /** False only if the key or the stored bytes show, without parsing, that the object cannot match. */
  readonly mayMatch: (entry: Pick<Entry, 'key' | 'value'>) => boolean;
};

export function selectionOf(
  resource: Resource,
  { labelSelector, fieldSelector }: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>,
): Selection {
  const labels = parseLabelSelector(labelSelector);
  if (labels.kind === 'invalid') throw badRequest(labels.problems[0]?.message ?? '');
  const fields = parseFieldSelector(fieldSelector);
  if (fields.kind === 'invalid') throw badRequest(fields.problems[0]?.message ?? '');
  const problem = fieldSelectorProblem(resource, fields.value);
  if (problem !== undefined) throw badRequest(problem);
  const name = nameInFieldSelector(fields.value);
  const terms = labels.value.length + fields.value.length;
  return {
    isAll: terms === 0,
    name,
    needsObject: terms > (name === undefined ? 0 : 1),
    matches: (object) =>
      matchesLabels(labels.value, metadataOf(object).labels) && matchesFields(resource, fields.value, object),
    mayMatch: preFilter(resource, fields.value, name),
  };
}

/** The key of the only object that can match, if the selection requires a name. */
export function selectedKey(resource: Resource, namespace: string, { name }: Selection): string | undefined {
  const isOne = name !== undefined && (resource.scope === 'Cluster' || namespace !== '');
  return isOne ? keyOf(resource, namespace, name) : undefined;
}

/**
 * Every daemon lists and watches a few objects by their names, and the pods of a node are few of many; other lists are
 * parsed in full.
 */
function preFilter(
  { origin, group, plural }: Resource,
  fields: FieldSelector,
  name: string | undefined,
): Selection['mayMatch'] {
  if (name !== undefined) return ({ key }) => key.slice(key.lastIndexOf('/') + 1) === name;
  const isPods = origin === 'builtin' && group === '' && plural === 'pods';
  const term = fields.find(({ field, operator }) => field === 'spec.nodeName' && operator === '=');
  // Such names need no escapes in JSON.
  if (!isPods || term === undefined || !/^[a-z0-9.-]+$/.test(term.value)) return () => true;
  const wanted = `"nodeName":"${term.value}"`;
  return ({ value }) => decoder.decode(value).includes(wanted);
}

const decoder = new TextDecoder();
