/**
 * Which objects of a collection are meant: by labels, by fields, or all.
 */
import type { JsonObject } from '../json.ts';
import type { Resource } from '../resources/index.ts';
import {
  fieldSelectorProblem,
  matchesFields,
  matchesLabels,
  nameInFieldSelector,
  parseFieldSelector,
  parseLabelSelector,
} from '../selectors/index.ts';
import type { ListOptions } from './query-options.ts';
import { badRequest } from './refusal.ts';
import { metadataOf } from './stored-object.ts';

export type Selection = {
  readonly isAll: boolean;
  /** The one name that can match, where the selector says so. */
  readonly name: string | undefined;
  readonly matches: (object: JsonObject) => boolean;
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
  };
}
