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
import { metadataOf } from '../store/stored-object.ts';
import type { ListOptions } from './query-options.ts';

export type Selection = {
  readonly isAll: boolean;
  /** The name that the field selector requires, if any. */
  readonly name: string | undefined;
  readonly matches: (object: JsonObject) => boolean;
  /** False only if the stored bytes show, without parsing, that the object cannot match. */
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
    mayMatch: preFilter(resource, fields.value),
  };
}

/** Lists of the pods of a node are frequent and select few of many; other lists are parsed in full. */
function preFilter({ origin, group, plural }: Resource, fields: FieldSelector): Selection['mayMatch'] {
  const isPods = origin === 'builtin' && group === '' && plural === 'pods';
  const term = fields.find(({ field, operator }) => field === 'spec.nodeName' && operator === '=');
  // Such names need no escapes in JSON.
  if (!isPods || term === undefined || !/^[a-z0-9.-]+$/.test(term.value)) return () => true;
  const wanted = `"nodeName":"${term.value}"`;
  return (value) => decoder.decode(value).includes(wanted);
}

const decoder = new TextDecoder();
