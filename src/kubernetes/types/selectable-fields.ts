/**
 * What a field selector (`kubectl get pods --field-selector spec.nodeName=worker-0`) may name, and the value
 * that it is compared with.
 */
import { isObject, own } from '../../base/json.ts';

export type SelectableField = {
  /** As it is written in a selector. */
  readonly name: string;
  /** Where the value stands. The first place that holds something counts. */
  readonly places: readonly Place[];
  /** The value of an object that holds it nowhere. */
  readonly absent: '' | '0' | 'false';
};

/** Names of fields and positions in lists, from the root of the object. */
type Place = readonly (string | number)[];

/** The text that a selector compares. */
export function selectableValue({ places, absent }: SelectableField, object: unknown): string {
  for (const place of places) {
    const text = textOf(valueAt(object, place));
    if (text !== '') return text;
  }
  return absent;
}

/** A field that stands where its name says, unless told otherwise. */
export function selectable(
  name: string,
  { places, absent = '' }: Partial<Omit<SelectableField, 'name'>> = {},
): SelectableField {
  return { name, places: places ?? [name.split('.')], absent };
}

export const nameField = selectable('metadata.name');
/** Those of every kind that does not say otherwise, also where objects have no namespace. */
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
