/** JSON of a response, without any assumption about its shape. */

/** Reading what is not there gives undefined. */
export interface Loose {
  readonly [key: string]: Loose | undefined;
}

/** An empty object where the text is no JSON. */
export function looseFrom(text: string): Loose {
  try {
    // The one place where an answer gets its type, which promises nothing.
    return JSON.parse(text) as Loose;
  } catch {
    return {};
  }
}

export function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error(`expected a text, got ${JSON.stringify(value)}`);
  return value;
}

export function listOf(value: Loose | undefined): readonly Loose[] {
  // An array is of this type in the one sense that matters: its parts can be looked at.
  if (Array.isArray(value)) return value as readonly Loose[];
  throw new Error(`expected a list, got ${JSON.stringify(value)}`);
}

/** The names of the items of a list, in its order. */
export function namesOf(list: Loose): readonly string[] {
  return listOf(list.items).map((item) => textOf(item.metadata?.name));
}

export function versionOf(object: Loose): string {
  return textOf(object.metadata?.resourceVersion);
}
