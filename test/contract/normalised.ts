/** Objects with everything replaced that differs from one run to the next, so that they can be compared whole. */
import type { Loose } from './loose.ts';

export type Plain = { readonly [key: string]: unknown };

/** Uids, versions and times become `<uid>`, `<version>` and `<time>`. */
export function normalised(value: Loose | undefined): unknown {
  return normalise(value);
}

/** As {@link normalised}, without the managed fields: most cases are not about them. */
export function essence(object: Loose | undefined): unknown {
  return normalise(object, (key) => key === 'managedFields');
}

function normalise(value: unknown, isLeftOut: (key: string) => boolean = () => false, key?: string): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => normalise(item, isLeftOut));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
      .filter(([name]) => !isLeftOut(name))
      .map(([name, part]) => [name, normalise(part, isLeftOut, name)]);
    return Object.fromEntries(entries);
  }
  return typeof value === 'string' ? normaliseText(value, key) : value;
}

function normaliseText(text: string, key: string | undefined): string {
  if (TIME.test(text)) return '<time>';
  if (UID.test(text)) return '<uid>';
  return key === 'resourceVersion' && /^\d+$/.test(text) ? '<version>' : text;
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;
const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
