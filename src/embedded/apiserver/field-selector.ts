/** Field selectors: the fields that a resource supports, and matching. */

import { quoted } from '../../base/text/index.ts';
import type { FieldSelector } from '../../kubernetes/selectors/index.ts';
import { selectableValue } from '../../kubernetes/types/index.ts';
import type { Resource } from '../resources/index.ts';

type Selectable = Pick<Resource, 'origin' | 'group' | 'kind' | 'selectableFields'>;

/** A field that the resource does not have is empty in all objects. */
export function matchesFields(
  { selectableFields }: Pick<Selectable, 'selectableFields'>,
  selector: FieldSelector,
  object: unknown,
): boolean {
  return selector.every(({ field, operator, value }) => {
    const known = selectableFields.find(({ name }) => name === field);
    const found = known === undefined ? '' : selectableValue(known, object);
    return (found === value) === (operator === '=');
  });
}

/** The message for the first unsupported field. */
export function fieldSelectorProblem(resource: Selectable, selector: FieldSelector): string | undefined {
  const unknown = selector.find(({ field }) => !resource.selectableFields.some(({ name }) => name === field));
  return unknown && refusalOf(resource, unknown.field);
}

/** The name that the selector requires, if any; it counts like a name in the path. */
export function nameInFieldSelector(selector: FieldSelector): string | undefined {
  return selector.find(({ field, operator }) => field === 'metadata.name' && operator === '=')?.value;
}

/** Kinds with further fields have a message of their own. */
function refusalOf({ origin, group, kind, selectableFields }: Selectable, field: string): string {
  if (group === 'batch' && kind === 'Job') return `field label ${quoted(field)} not supported for Job`;
  const allowsNoMore = selectableFields.every(({ name }) => EVERYWHERE.includes(name));
  if (origin === 'custom' || !allowsNoMore) return `field label not supported: ${field}`;
  return `${quoted(field)} is not a known field selector: only ${EVERYWHERE.map(quoted).join(', ')}`;
}

const EVERYWHERE = ['metadata.name', 'metadata.namespace'];
