/**
 * The fields that a field selector (`kubectl get pods --field-selector spec.nodeName=worker-0`) supports, and their
 * values.
 */
import { isObject, own } from '../../base/json.ts';

export type SelectableField = {
  /** The name in a selector. */
  readonly name: string;
  /** The paths of the value. The first one that has a value counts. */
  readonly places: readonly Place[];
  /** The value of an object that has none. */
  readonly absent: '' | '0' | 'false';
};

/** Field names and list indexes, from the root of the object. */
type Place = readonly (string | number)[];

/** The string that a selector is compared with. */
export function selectableValue({ places, absent }: SelectableField, object: unknown): string {
  for (const place of places) {
    const text = textOf(valueAt(object, place));
    if (text !== '') return text;
  }
  return absent;
}

/** A field whose path is its name, unless other paths are given. */
export function selectable(
  name: string,
  { places, absent = '' }: Partial<Omit<SelectableField, 'name'>> = {},
): SelectableField {
  return { name, places: places ?? [name.split('.')], absent };
}

export const nameField = selectable('metadata.name');
/** The selectable fields of every kind without its own, also of kinds without a namespace. */
export const metadataFields: readonly SelectableField[] = [nameField, selectable('metadata.namespace')];

function valueAt(object: unknown, place: Place): unknown {
  return place.reduce<unknown>((value, step) => {
    if (typeof step === 'number') return Array.isArray(value) ? value[step] : undefined;
    return isObject(value) ? own(value, step) : undefined;
  }, object);
}

function textOf(value: unknown): string {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return String(value);
    default:
      return '';
  }
}
