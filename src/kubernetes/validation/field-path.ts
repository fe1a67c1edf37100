/**
 * Field paths of definitions (`.spec.size`, `.labels['a.b']`), resolved in a schema.
 */
import { isObject } from '../../base/json.ts';
import type { StructuralSchema } from '../schema/index.ts';

type FieldPath =
  | {
      readonly kind: 'found';
      /** The path in error messages: `spec.size`, `labels[a.b]`. */
      readonly path: string;
      /** Its steps one by one. */
      readonly steps: readonly string[];
      readonly schema: StructuralSchema;
    }
  | { readonly kind: 'bad'; readonly error: string };

type FieldPathOptions = { readonly allowsBrackets?: boolean };

/** Names follow a dot, or are quoted in brackets. */
export function findField(
  schema: StructuralSchema,
  text: string,
  { allowsBrackets = true }: FieldPathOptions = {},
): FieldPath {
  const tokens = text.match(TOKEN) ?? [];
  const steps: string[] = [];
  let path = '';
  let at = schema;
  for (let index = 0; index < tokens.length; ) {
    const step = readStep(tokens, index, allowsBrackets);
    if ('error' in step) return { kind: 'bad', error: step.error };
    const next = enter(at, path, step.name);
    if (next === undefined) return { kind: 'bad', error: 'does not refer to a valid field' };
    if (step.syntaxError !== undefined) return { kind: 'bad', error: step.syntaxError };
    ({ path, schema: at } = next);
    steps.push(step.name);
    index += step.length;
  }
  return { kind: 'found', path, steps, schema: at };
}

/** A delimiter, a quoted string, or everything up to the next delimiter. */
const TOKEN = /[.[\]]|'(?:[^'\\]|\\[\s\S])*'?|[^.[\]']+[^.[\]]*/g;

/** `syntaxError`: an error after the name, which is reported only if there is such a field. */
type Step =
  | { readonly name: string; readonly length: number; readonly syntaxError?: string }
  | { readonly error: string };

function readStep(tokens: readonly string[], index: number, allowsBrackets: boolean): Step {
  const [first = '', second, third] = tokens.slice(index, index + 3);
  if (first !== '.' && first !== '[') return { error: `expected [ or . but got: ${first}` };
  if (first === '[' && !allowsBrackets) return { error: 'array notation is not allowed' };
  if (second === undefined) return { error: 'unexpected end of JSON path' };
  if (first === '.') return { name: second, length: 2 };
  if (second.length < 2 || !second.startsWith("'") || !second.endsWith("'")) {
    return { error: `expected single quoted string but got ${second}` };
  }
  const name = second.slice(1, -1).replace(/\\(.)/g, '$1');
  if (third === undefined) return { name, length: 3, syntaxError: 'unexpected end of JSON path' };
  return third === ']'
    ? { name, length: 3 }
    : { name, length: 3, syntaxError: `expected ] but got ${third}` };
}

function enter(
  schema: StructuralSchema,
  path: string,
  name: string,
): { readonly path: string; readonly schema: StructuralSchema } | undefined {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return property && { path: path === '' ? name : `${path}.${name}`, schema: property };
  }
  if (additionalProperties === undefined) return undefined;
  return { path: `${path}[${name}]`, schema: isObject(additionalProperties) ? additionalProperties : {} };
}
