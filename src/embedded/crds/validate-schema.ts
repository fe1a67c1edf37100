/**
 * Validation of the schema of a version: structural, with valid defaults, and with rules that compile within the cost
 * limits.
 */
import type { Problem } from '../../base/errors.ts';
import { forbidden, invalid, invalidText } from '../resources/index.ts';
import { type SchemaProps, structural } from './crd.ts';
import { goSchema, setFieldsOf } from './go-values.ts';
import { RuleCosts } from './rule-costs.ts';
import { defaultProblems } from './validate-defaults.ts';
import { fieldProblems } from './validate-fields.ts';
import { conversionFailure, structuralProblems } from './validate-structural.ts';

type SchemaOptions = {
  /** The path of the schema, ending in `openAPIV3Schema`. */
  readonly path: string;
  /** Whether there is a status subresource, for which the schema of the status is extracted. */
  readonly hasStatusSubresource: boolean;
  /** The cost limit of single rules is not applied to an unchanged schema. */
  readonly isUnchanged: boolean;
};

export function schemaProblems(schema: SchemaProps, options: SchemaOptions): readonly Problem[] {
  const { path, hasStatusSubresource, isUnchanged } = options;
  const problems: Problem[] = [];
  if (hasStatusSubresource) problems.push(...rootProblems(schema, path));
  if (schema.nullable) problems.push(forbidden(`${path}.nullable`, 'nullable cannot be true at the root'));
  const failure = conversionFailure(schema);
  const unstructured = failure === undefined ? unstructuredProblems(schema, path) : [];
  for (const problem of unstructured) problems.push(problem);
  const costs = failure === undefined && unstructured.length === 0 ? new RuleCosts() : undefined;
  const found = fieldProblems(schema, { path, costs, isCostWaived: isUnchanged });
  // One by one: a schema may have more problems than a call can have arguments.
  for (const problem of [...found.fields, ...found.rules]) problems.push(problem);
  if (problems.length === 0 && failure !== undefined) problems.push(invalidText(path, '', failure));
  return costs === undefined ? problems : [...problems, ...costs.problems(path)];
}

/** Defaults are validated only if the schema is valid. */
function unstructuredProblems(schema: SchemaProps, path: string): readonly Problem[] {
  const problems = structuralProblems(schema, path);
  return problems.length > 0 ? problems : defaultProblems(structural(schema), path);
}

/** Fields at the root that the extracted schema of the status does not lose. */
const ALLOWED_AT_ROOT = [
  'Description',
  'Type',
  'Format',
  'Title',
  'Maximum',
  'ExclusiveMaximum',
  'Minimum',
  'ExclusiveMinimum',
  'MaxLength',
  'MinLength',
  'Pattern',
  'MaxItems',
  'MinItems',
  'UniqueItems',
  'MultipleOf',
  'Required',
  'Items',
  'Properties',
  'ExternalDocs',
  'Example',
  'XPreserveUnknownFields',
  'XValidations',
];

/** Only the first invalid field is reported. */
function rootProblems(schema: SchemaProps, path: string): readonly Problem[] {
  for (const field of setFieldsOf(schema)) {
    if (field === 'Type' && schema.type !== 'object') {
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [invalidText(`${path}.type`, schema.type ?? '', detail)];
    }
    if (!ALLOWED_AT_ROOT.includes(field)) {
      const detail = `only [${ALLOWED_AT_ROOT.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
      return [invalid(path, goSchema(schema), detail)];
    }
  }
  return [];
}
