/**
 * Validation of an object against its shape, as far as merging needs it: types, known fields, distinguishable items.
 * Messages are those of kube-apiserver.
 */
import { compareBytes, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { goType, literal } from '../../base/text/index.ts';
import { isJsonList, printed } from './json-values.ts';
import { fieldElement, indexElement, type Path, type PathElement, pathText } from './path-element.ts';
import { type ListShape, type MapShape, type ScalarShape, type Shape, shapeOfField } from './shape.ts';
import { dispatchKind, itemElement, kindOf } from './typed-value.ts';

type ValidationOptions = { readonly allowsDuplicates: boolean };

/** One message for all problems; undefined if the object is valid. */
export function typedProblem(shape: Shape, value: Json, options: ValidationOptions): string | undefined {
  // Fast path: nearly every object is valid, which can be found without paths.
  if (isValidObject(shape, value, options)) return undefined;
  const issues = validate(shape, value, { path: [], ...options });
  const lines = issues.map(({ path, message }) =>
    path.length === 0 ? message : `${location(path)}: ${message}`,
  );
  if (lines.length === 0) return undefined;
  return lines.length === 1 ? lines[0] : ['errors:', ...lines.map((line) => `  ${line}`)].join('\n');
}

/** Validates the parts one by one, because most of them are shared with the previous version of the object. */
function isValidObject(shape: Shape, value: Json, options: ValidationOptions): boolean {
  const { map } = shape;
  if (map === undefined || !isJsonObject(value)) return isValid(shape, value, options);
  for (const name of Object.keys(value)) {
    const part = value[name] ?? null;
    const partShape = shapeOfField(map, name);
    if (partShape === undefined) return false;
    // The metadata changes with every write.
    const isKept = name !== 'metadata' && options.allowsDuplicates && isJsonObject(part);
    if (isKept && validParts.get(part) === partShape) continue;
    if (!isValid(partShape, part, options)) return false;
    if (isKept) validParts.set(part, partShape);
  }
  return true;
}

/** Parts that are valid with duplicates allowed, with their shape. */
const validParts = new WeakMap<JsonObject, Shape>();

function isValid(shape: Shape, value: Json, options: ValidationOptions): boolean {
  const { map, scalar, list } = shape;
  const kind = kindOf(shape, value);
  // Like `dispatchKind`.
  if (map !== undefined && (kind === 'map' || kind === 'open')) return isValidMap(map, value, options);
  if (scalar !== undefined && (kind === 'scalar' || kind === 'open')) return isValidScalar(scalar, value);
  return list !== undefined && isValidList(list, value, options);
}

function isValidMap(map: MapShape, value: Json, options: ValidationOptions): boolean {
  if (value === null) return true;
  if (!isJsonObject(value)) return false;
  for (const name of Object.keys(value)) {
    const shape = map.isUniform ? map.others : shapeOfField(map, name);
    if (shape === undefined || !isValid(shape, value[name] ?? null, options)) return false;
  }
  return true;
}

function isValidList(list: ListShape, value: Json, options: ValidationOptions): boolean {
  if (value === null) return true;
  if (!isJsonList(value)) return false;
  const seen = list.isAtomic || options.allowsDuplicates ? undefined : new Set<string>();
  for (const item of value) {
    if (!list.isAtomic) {
      const element = itemElement(list, item);
      if ('failure' in element || seen?.has(element.id) === true) return false;
      seen?.add(element.id);
    }
    if (!isValid(list.items, item, options)) return false;
  }
  return true;
}

function isValidScalar(type: ScalarShape, value: Json): boolean {
  return scalarProblem(type, value) === undefined;
}

type Issue = { readonly path: Path; readonly message: string };
type Context = ValidationOptions & {
  /** The path of the value; one array that grows and shrinks during the traversal. */
  readonly path: PathElement[];
};

function location(path: Path): string {
  return pathText(path, 'whole');
}

function validate(shape: Shape, value: Json, context: Context): readonly Issue[] {
  const issues = dispatchKind<readonly Issue[]>(kindOf(shape, value), shape, {
    map: (map) => validateMap(map, value, context),
    scalar: (type) => issue(context, scalarProblem(type, value)),
    list: (list) => validateList(list, value, context),
  });
  return issues ?? issue(context, 'schema error: invalid atom: inlined');
}

function issue({ path }: Context, message: string | undefined): readonly Issue[] {
  return message === undefined ? [] : [{ path: [...path], message }];
}

function validateMap(map: MapShape, value: Json, context: Context): readonly Issue[] {
  if (value === null) return [];
  if (!isJsonObject(value)) return issue(context, `expected map, got &{${printed(value)}}`);
  const issues: Issue[] = [];
  // Sorted, so that the reported unknown field is deterministic.
  for (const name of Object.keys(value).sort(compareBytes)) {
    const shape = shapeOfField(map, name);
    context.path.push(fieldElement(name));
    const found =
      shape === undefined
        ? issue(context, 'field not declared in schema')
        : validate(shape, value[name] ?? null, context);
    context.path.pop();
    // One by one: a long list would exceed the number of call arguments.
    for (const one of found) issues.push(one);
    if (shape === undefined) return issues;
  }
  return issues;
}

function validateList(list: ListShape, value: Json, context: Context): readonly Issue[] {
  if (value === null) return [];
  if (!isJsonList(value)) return issue(context, `expected list, got &{${printed(value)}}`);
  const issues: Issue[] = [];
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    const element = list.isAtomic ? indexElement(index) : itemElement(list, item);
    if ('failure' in element) return [...issues, ...issue(context, `element ${index}: ${element.failure}`)];
    if (seen.has(element.id) && !context.allowsDuplicates) {
      issues.push(...issue(context, `duplicate entries for key ${location([element])}`));
    }
    seen.add(element.id);
    context.path.push(element);
    for (const one of validate(list.items, item, context)) issues.push(one);
    context.path.pop();
  }
  return issues;
}

function scalarProblem(type: ScalarShape, value: Json): string | undefined {
  if (value === null) return undefined;
  const isScalar = typeof value !== 'object';
  switch (type) {
    case 'numeric':
      return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${goType(value)}`;
    case 'string':
      return typeof value === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${literal(value)}}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &{${printed(value)}}`;
    case 'untyped':
      return isScalar ? undefined : `expected any scalar, got &{${printed(value)}}`;
  }
}
