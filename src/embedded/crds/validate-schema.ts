/**
 * Whether the schema of a version may be served: structural, with defaults that fit it, and with rules that compile
 * and do not cost too much.
 */
import type { Problem } from '../../base/errors.ts';
import { type SchemaProps, structural } from './crd.ts';
import { forbidden, invalidText, invalidValue } from './field-problems.ts';
import { goSchema, setFieldsOf } from './go-values.ts';
import { RuleCosts } from './rule-costs.ts';
import { defaultProblems } from './validate-defaults.ts';
import { fieldProblems } from './validate-fields.ts';
import { conversionFailure, structuralProblems } from './validate-structural.ts';

type SchemaOptions = {
  /** Where the schema stands, with `openAPIV3Schema` at the end. */
  readonly path: string;
  /** Whether status is written through a door of its own, for which its schema is taken out of the whole. */
  readonly hasStatusDoor: boolean;
  /** A schema that has not changed is not held to the price of single rules again. */
  readonly isUnchanged: boolean;
};

export function schemaProblems(schema: SchemaProps, options: SchemaOptions): readonly Problem[] {
  const { path, hasStatusDoor, isUnchanged } = options;
  const problems: Problem[] = [];
  if (hasStatusDoor) problems.push(...rootProblems(schema, path));
  if (schema.nullable) problems.push(forbidden(`${path}.nullable`, 'nullable cannot be true at the root'));
  const failure = conversionFailure(schema);
  const unstructured = failure === undefined ? unstructuredProblems(schema, path) : [];
  for (const problem of unstructured) problems.push(problem);
  const costs = failure === undefined && unstructured.length === 0 ? new RuleCosts() : undefined;
  const found = fieldProblems(schema, { path, costs, isCostForgiven: isUnchanged });
  // One by one: a call takes only so many arguments, and a schema may hold more problems.
  for (const problem of [...found.fields, ...found.rules]) problems.push(problem);
  if (problems.length === 0 && failure !== undefined) problems.push(invalidText(path, '', failure));
  return costs === undefined ? problems : [...problems, ...costs.problems(path)];
}

/** Defaults are only looked at where the schema they have to fit is in order. */
function unstructuredProblems(schema: SchemaProps, path: string): readonly Problem[] {
  const problems = structuralProblems(schema, path);
  return problems.length > 0 ? problems : defaultProblems(structural(schema), path);
}

/** What may stand at the root without getting lost when the schema of the status is taken out. */
const ALLOWED_AT_ROOT = [
  ...['Description', 'Type', 'Format', 'Title', 'Maximum', 'ExclusiveMaximum', 'Minimum', 'ExclusiveMinimum'],
  ...['MaxLength', 'MinLength', 'Pattern', 'MaxItems', 'MinItems', 'UniqueItems', 'MultipleOf', 'Required'],
  ...['Items', 'Properties', 'ExternalDocs', 'Example', 'XPreserveUnknownFields', 'XValidations'],
];

/** The first field that is wrong is the only one that is named. */
function rootProblems(schema: SchemaProps, path: string): readonly Problem[] {
  for (const field of setFieldsOf(schema)) {
    if (field === 'Type' && schema.type !== 'object') {
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [invalidText(`${path}.type`, schema.type ?? '', detail)];
    }
    if (!ALLOWED_AT_ROOT.includes(field)) {
      const detail = `only [${ALLOWED_AT_ROOT.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
      return [invalidValue(path, goSchema(schema), detail)];
    }
  }
  return [];
}
