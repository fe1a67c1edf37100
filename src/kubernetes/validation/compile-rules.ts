/**
 * The compiled rules of a schema, in a tree that mirrors the schema and omits the parts without rules.
 */

import { isObject } from '../../base/json.ts';
import {
  asResource,
  type CelType,
  compileCel,
  optionalOf,
  type Program,
  typeOfSchema,
} from '../cel/index.ts';
import type { StructuralSchema, ValidationRule } from '../schema/index.ts';
import { findField } from './field-path.ts';

export type RuleNode = {
  /** The schema of the values that the rules apply to. */
  readonly schema: StructuralSchema;
  /** Compiled on first use; `untyped` where the schema is not specific enough for rules to run. */
  readonly rules: () => readonly CompiledRule[] | 'untyped';
  readonly allOf: readonly RuleNode[];
  readonly items: RuleNode | undefined;
  readonly properties: ReadonlyMap<string, RuleNode>;
  /** For the entries of a map. */
  readonly values: RuleNode | undefined;
};

export type CompiledRule =
  | {
      readonly kind: 'working';
      readonly rule: ValidationRule;
      readonly program: Program;
      readonly usesOldSelf: boolean;
      readonly message: Program | undefined;
      /** Relative to the value, without a leading dot. */
      readonly fieldPath: string;
    }
  | { readonly kind: 'broken'; readonly rule: ValidationRule; readonly error: string };

const trees = new WeakMap<StructuralSchema, { readonly node: RuleNode | undefined }>();

/** `undefined` if there are no rules anywhere in the schema. */
export function compileRules(schema: StructuralSchema): RuleNode | undefined {
  const known = trees.get(schema);
  if (known !== undefined) return known.node;
  const node = buildNode(schema, schema);
  trees.set(schema, { node });
  return node;
}

/** `rules` may be a branch of an `allOf`, which has rules but no types. */
function buildNode(rules: StructuralSchema, schema: StructuralSchema): RuleNode | undefined {
  const validations = rules['x-kubernetes-validations'] ?? [];
  const allOf = (rules.allOf ?? []).flatMap((branch) => buildNode(branch, schema) ?? []);
  const items = rules.items && schema.items && childNode(rules.items, schema.items);
  const properties = buildProperties(rules, schema);
  const values =
    isObject(rules.additionalProperties) && isObject(schema.additionalProperties)
      ? childNode(rules.additionalProperties, schema.additionalProperties)
      : undefined;
  const isEmpty =
    validations.length === 0 && allOf.length === 0 && properties.size === 0 && !items && !values;
  if (isEmpty) return undefined;
  let compiled: readonly CompiledRule[] | 'untyped' | undefined;
  const compileOnce = (): readonly CompiledRule[] | 'untyped' => {
    compiled ??= compileAll(validations, schema);
    return compiled;
  };
  return { schema, rules: compileOnce, allOf, items, properties, values };
}

function buildProperties(rules: StructuralSchema, schema: StructuralSchema): ReadonlyMap<string, RuleNode> {
  const nodes = new Map<string, RuleNode>();
  for (const [name, property] of Object.entries(rules.properties ?? {})) {
    const shape =
      schema.properties !== undefined && Object.hasOwn(schema.properties, name)
        ? schema.properties[name]
        : undefined;
    // The server does not run rules on values without a CEL type.
    if (shape === undefined || typeOfSchema(asResource(shape)) === undefined) continue;
    const node = childNode(property, shape);
    if (node !== undefined) nodes.set(name, node);
  }
  return nodes;
}

function childNode(rules: StructuralSchema, schema: StructuralSchema): RuleNode | undefined {
  return rules === schema ? compileRules(asResource(schema)) : buildNode(rules, asResource(schema));
}

function compileAll(
  rules: readonly ValidationRule[],
  schema: StructuralSchema,
): readonly CompiledRule[] | 'untyped' {
  if (rules.length === 0) return [];
  const type = typeOfSchema(schema);
  if (type === undefined) return 'untyped';
  return rules.filter(({ rule }) => rule.trim() !== '').map((rule) => compileRule(rule, schema, type));
}

function compileRule(rule: ValidationRule, schema: StructuralSchema, type: CelType): CompiledRule {
  const variables = [
    { name: 'self', type },
    { name: 'oldSelf', type: rule.optionalOldSelf ? optionalOf(type) : type },
  ];
  const program = compileCel(rule.rule, variables);
  if (program.kind === 'failure') {
    return { kind: 'broken', rule, error: `compilation failed: ${program.message}` };
  }
  if (program.type.kind !== 'bool') {
    return { kind: 'broken', rule, error: 'cel expression must evaluate to a bool' };
  }
  const message = rule.messageExpression ? compileCel(rule.messageExpression, variables) : undefined;
  return {
    kind: 'working',
    rule,
    program,
    usesOldSelf: program.references.has('oldSelf'),
    message: message?.kind === 'program' && message.type.kind === 'string' ? message : undefined,
    fieldPath: rule.fieldPath === undefined ? '' : relativePath(rule.fieldPath, schema),
  };
}

/** Relative to the value, without a leading dot; empty if the schema has no such field. */
function relativePath(text: string, schema: StructuralSchema): string {
  const found = findField(schema, text);
  return found.kind === 'found' ? found.path : '';
}
