/**
 * Validation of every field of every subschema.
 */
import type { Problem } from '../../base/errors.ts';
import { forbidden, unsupportedText } from '../resources/index.ts';
import { additionalSchemaOf, itemsOf, type SchemaProps } from './crd.ts';
import type { RuleCosts } from './rule-costs.ts';
import { extensionProblems } from './validate-extensions.ts';
import { ruleFieldProblems } from './validate-rule-fields.ts';
import { type RuleScope, ruleProblems } from './validate-rules.ts';

/** Rules are validated only if nothing else is wrong in their subschema. */
type FieldProblems = { readonly fields: readonly Problem[]; readonly rules: readonly Problem[] };

type FieldOptions = {
  readonly path: string;
  /** Undefined if the schema is invalid, so that rules cannot be validated. */
  readonly costs: RuleCosts | undefined;
  readonly isCostWaived: boolean;
};

export function fieldProblems(
  schema: SchemaProps,
  { path, costs, isCostWaived }: FieldOptions,
): FieldProblems {
  const rules = costs && { costs, isCostWaived, cardinality: 1, isRoot: true, uncorrelatable: undefined };
  const validator = new SchemaValidator();
  validator.visit(schema, { path, isRoot: true, isInsideMeta: false, noDefaults: undefined, rules });
  return validator;
}

type Location = {
  readonly path: string;
  readonly isRoot: boolean;
  /** Within `apiVersion`, `kind` or `metadata`. */
  readonly isInsideMeta: boolean;
  /** Why defaults are forbidden here. */
  readonly noDefaults: string | undefined;
  readonly rules: RuleScope | undefined;
};

class SchemaValidator {
  readonly fields: Problem[] = [];
  readonly rules: Problem[] = [];

  visit(schema: SchemaProps, location: Location): void {
    const before = this.fields.length;
    for (const problem of ownProblems(schema, location)) this.fields.push(problem);
    this.#visitAdditional(schema, location);
    this.#visitProperties(schema, location);
    this.#visitLogic(schema, location);
    this.#visitItems(schema, location);
    for (const problem of extensionProblems(schema, location.path)) this.fields.push(problem);
    for (const problem of ruleFieldProblems(schema, location.path)) this.fields.push(problem);
    if (location.rules === undefined || this.fields.length > before) return;
    for (const problem of ruleProblems(schema, location.path, location.rules)) this.rules.push(problem);
  }

  #visitAdditional(schema: SchemaProps, location: Location): void {
    const { additionalProperties } = schema;
    const path = `${location.path}.additionalProperties`;
    if (
      schema.properties !== undefined &&
      additionalProperties !== undefined &&
      additionalProperties !== true
    ) {
      this.fields.push(forbidden(path, 'additionalProperties and properties are mutual exclusive'));
    }
    const child = additionalSchemaOf(schema);
    if (child === undefined) return;
    const reason = 'inside additionalProperties applying to object metadata';
    const noDefaults = location.isInsideMeta ? reason : location.noDefaults;
    this.visit(child, { ...below(schema, location), path, noDefaults });
  }

  #visitProperties(schema: SchemaProps, location: Location): void {
    const isResource = location.isRoot || schema['x-kubernetes-embedded-resource'] === true;
    const child = below(schema, location);
    const mapType = schema['x-kubernetes-map-type'];
    const isCorrelatable = mapType === undefined || mapType === 'granular' || mapType === 'atomic';
    const rules = isCorrelatable ? child.rules : uncorrelated(child.rules, location.path);
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const isMeta = isResource && META_FIELDS.has(name);
      this.visit(property, {
        ...child,
        rules,
        path: `${location.path}.properties[${name}]`,
        isInsideMeta: location.isInsideMeta || isMeta,
        noDefaults: isMeta && location.isRoot ? `in top-level ${name}` : location.noDefaults,
      });
    }
  }

  /** Rules are forbidden inside of logic. */
  #visitLogic(schema: SchemaProps, location: Location): void {
    const { not, allOf = [], oneOf = [], anyOf = [], definitions = {} } = schema;
    const inside = { ...location, isRoot: false, rules: undefined };
    const visitAll = (name: string, branches: readonly SchemaProps[]): void => {
      for (const [index, branch] of branches.entries()) {
        this.visit(branch, { ...inside, path: `${location.path}.${name}[${index}]` });
      }
    };
    if (not !== undefined) this.visit(not, { ...inside, path: `${location.path}.not` });
    visitAll('allOf', allOf);
    visitAll('oneOf', oneOf);
    visitAll('anyOf', anyOf);
    for (const [name, definition] of Object.entries(definitions)) {
      this.visit(definition, { ...inside, path: `${location.path}.definitions[${name}]` });
    }
  }

  /** Items can be correlated with the old object only by key. */
  #visitItems(schema: SchemaProps, location: Location): void {
    const child = below(schema, location);
    const isKeyed = schema['x-kubernetes-list-type'] === 'map';
    const rules = isKeyed ? child.rules : uncorrelated(child.rules, location.path);
    const items = itemsOf(schema);
    const path = `${location.path}.items`;
    if (items !== undefined) this.visit(items, { ...child, rules, path });
    const several = Array.isArray(schema.items) ? (schema.items as readonly SchemaProps[]) : [];
    for (const [index, item] of several.entries()) {
      this.visit(item, { ...child, rules, path: `${path}[${index}]` });
    }
  }
}

const META_FIELDS: ReadonlySet<string> = new Set(['metadata', 'kind', 'apiVersion']);

function below(schema: SchemaProps, location: Location): Location {
  const { rules } = location;
  if (rules === undefined) return { ...location, isRoot: false };
  const maxCount = maxElements(schema);
  const cardinality =
    maxCount === undefined || rules.cardinality === undefined ? undefined : rules.cardinality * maxCount;
  return { ...location, isRoot: false, rules: { ...rules, isRoot: false, cardinality } };
}

/** The maximum number of values in a list or map; undefined without a limit. */
function maxElements(schema: SchemaProps): number | undefined {
  const isMap = schema.type === 'object' && schema.additionalProperties !== undefined;
  if (!isMap && schema.type !== 'array') return 1;
  const limit = isMap ? schema.maxProperties : schema.maxItems;
  return limit === undefined ? undefined : Math.max(0, limit);
}

function uncorrelated(rules: RuleScope | undefined, path: string): RuleScope | undefined {
  return rules && { ...rules, uncorrelatable: rules.uncorrelatable ?? path };
}

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

const NOT_SUPPORTED = [
  'id',
  'additionalItems',
  'patternProperties',
  'definitions',
  'dependencies',
  '$ref',
] as const;

function ownProblems(schema: SchemaProps, location: Location): readonly Problem[] {
  const { path, noDefaults } = location;
  const { type = '' } = schema;
  const problems: Problem[] = [];
  if (type !== '' && !TYPES.includes(type)) problems.push(unsupportedText(`${path}.type`, type, TYPES));
  if (schema.default !== undefined && noDefaults !== undefined) {
    problems.push(forbidden(`${path}.default`, `must not be set ${noDefaults}`));
  }
  for (const name of NOT_SUPPORTED) {
    if (schema[name] !== undefined) problems.push(forbidden(`${path}.${name}`, `${name} is not supported`));
  }
  if (type === 'null') {
    const detail = 'type cannot be set to null, use nullable as an alternative';
    problems.push(forbidden(`${path}.type`, detail));
  }
  if (Array.isArray(schema.items)) {
    problems.push(forbidden(`${path}.items`, 'items must be a schema object and not an array'));
  }
  if (location.isInsideMeta && schema['x-kubernetes-embedded-resource']) {
    const at = `${path}.x-kubernetes-embedded-resource`;
    problems.push(forbidden(at, 'must not be used inside of resource meta'));
  }
  if (schema.uniqueItems) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    problems.push(forbidden(`${path}.uniqueItems`, detail));
  }
  return problems;
}
