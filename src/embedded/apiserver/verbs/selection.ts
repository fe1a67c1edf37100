/**
 * Which objects of a collection are meant: by labels, by fields, or all.
 */
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
import { metadataOf } from '../store/stored-object.ts';
import type { ListOptions } from './query-options.ts';

export type Selection = {
  readonly isAll: boolean;
  /** The one name that can match, where the selector says so. */
  readonly name: string | undefined;
  readonly matches: (object: JsonObject) => boolean;
  /** False only where the bytes of the store show, without being parsed, that the object cannot match. */
  readonly mayMatch: (value: Uint8Array) => boolean;
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
  return {
    isAll: labels.value.length === 0 && fields.value.length === 0,
    name: nameInFieldSelector(fields.value),
    matches: (object) =>
      matchesLabels(labels.value, metadataOf(object).labels) && matchesFields(resource, fields.value, object),
    mayMatch: glance(resource, fields.value),
  };
}

/**
 * The pods of one node are asked for again and again, by whoever drains it, describes it or runs it, and are few of very
 * many. All others are parsed whole.
 */
function glance({ origin, group, plural }: Resource, fields: FieldSelector): Selection['mayMatch'] {
  const isPods = origin === 'builtin' && group === '' && plural === 'pods';
  const term = fields.find(({ field, operator }) => field === 'spec.nodeName' && operator === '=');
  // A plain name stands in JSON as it is.
  if (!isPods || term === undefined || !/^[a-z0-9.-]+$/.test(term.value)) return () => true;
  const wanted = `"nodeName":"${term.value}"`;
  return (value) => decoder.decode(value).includes(wanted);
}

const decoder = new TextDecoder();
