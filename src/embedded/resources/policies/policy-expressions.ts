/**
 * Validation of the expressions of a policy and of their names, messages and reasons.
 */

import type { Problem } from '../../../base/errors.ts';
import { byteLength, type JsonObject } from '../../../base/json.ts';
import { objectsAt, optionalStringAt, stringAt } from '../../../base/json-fields.ts';
import { quoted } from '../../../base/text/index.ts';
import { checkQualifiedName } from '../../../kubernetes/meta/index.ts';
import type { Compiled, CompiledPolicy } from '../../admission/index.ts';
import { duplicateIndexes } from '../duplicate-indexes.ts';
import { duplicate, invalid, invalidText, required, tooMany, unsupportedText } from '../field-problems.ts';

type Spec = JsonObject | undefined;

export function matchConditionProblems(spec: Spec, compiled: CompiledPolicy): readonly Problem[] {
  const path = 'spec.matchConditions';
  const conditions = objectsAt(spec, 'matchConditions');
  const names = conditions.map((condition) => stringAt(condition, 'name'));
  const duplicates = duplicateIndexes(names);
  return [
    ...(conditions.length > MAX_CONDITIONS ? [tooMany(path, conditions.length, MAX_CONDITIONS)] : []),
    ...conditions.flatMap((condition, index) => {
      const at = `${path}[${index}]`;
      const name = names[index] ?? '';
      const isDuplicate = name !== '' && duplicates.has(index);
      return [
        ...expressionProblems(`${at}.expression`, {
          text: stringAt(condition, 'expression').trim(),
          compiled: compiled.matchConditions[index]?.compiled,
        }),
        ...(name === ''
          ? [required(`${at}.name`)]
          : checkQualifiedName(name).map((detail) => invalidText(`${at}.name`, name, detail))),
        ...(isDuplicate ? [duplicate(`${at}.name`, quoted(name))] : []),
      ];
    }),
  ];
}

export function variableProblems(spec: Spec, compiled: CompiledPolicy): readonly Problem[] {
  return objectsAt(spec, 'variables').flatMap((variable, index) => {
    const at = `spec.variables[${index}]`;
    const name = stringAt(variable, 'name');
    const problems: Problem[] = [];
    if (name.trim() === '') problems.push(required(`${at}.name`, 'name is not specified'));
    else if (!isIdentifier(name)) {
      problems.push(invalidText(`${at}.name`, name, 'name is not a valid CEL identifier'));
    }
    const given = { text: stringAt(variable, 'expression'), compiled: compiled.variables[index]?.compiled };
    return [...problems, ...expressionProblems(`${at}.expression`, given, 'expression is not specified')];
  });
}

export function validationProblems(spec: Spec, compiled: CompiledPolicy): readonly Problem[] {
  return objectsAt(spec, 'validations').flatMap((validation, index) => {
    const at = `spec.validations[${index}]`;
    const known = compiled.validations[index];
    const given = { text: stringAt(validation, 'expression'), compiled: known?.compiled };
    const message = stringAt(validation, 'messageExpression');
    const reason = optionalStringAt(validation, 'reason');
    return [
      ...expressionProblems(`${at}.expression`, given, 'expression is not specified'),
      ...(message !== '' && message.trim() === ''
        ? [invalidText(`${at}.messageExpression`, message, 'must be non-empty if specified')]
        : failureProblems(`${at}.messageExpression`, message, known?.messageCompiled)),
      ...messageProblems(stringAt(validation, 'message'), `${at}.message`),
      ...(reason === undefined || REASONS.includes(reason)
        ? []
        : [unsupportedText(`${at}.reason`, reason, REASONS)]),
    ];
  });
}

/** Messages are non-empty and have one line. */
function messageProblems(message: string, path: string): readonly Problem[] {
  const text = message.trim();
  if (message !== '' && text === '') {
    return [invalidText(path, message, 'message must be non-empty if specified')];
  }
  return /[\n\r]/.test(text) ? [invalidText(path, message, 'message must not contain line breaks')] : [];
}

export function auditAnnotationProblems(object: JsonObject, compiled: CompiledPolicy): readonly Problem[] {
  const path = 'spec.auditAnnotations';
  const policy = stringAt(object, 'metadata', 'name');
  const annotations = objectsAt(object, 'spec', 'auditAnnotations');
  const keys = annotations.map((annotation) => stringAt(annotation, 'key'));
  const duplicates = duplicateIndexes(keys);
  return [
    ...(annotations.length > MAX_ANNOTATIONS
      ? [
          invalid(
            path,
            formatAnnotations(annotations),
            `must not have more than ${MAX_ANNOTATIONS} auditAnnotations`,
          ),
        ]
      : []),
    ...annotations.flatMap((annotation, index) => {
      const at = `${path}[${index}]`;
      const key = keys[index] ?? '';
      const known = compiled.auditAnnotations[index]?.compiled;
      return [
        ...keyProblems(policy, key, `${at}.key`),
        ...valueProblems(stringAt(annotation, 'valueExpression'), `${at}.valueExpression`, known),
        ...(duplicates.has(index) ? [duplicate(`${at}.key`, quoted(key))] : []),
      ];
    }),
  ];
}

/** Audit annotation keys are prefixed with the name of the policy. */
function keyProblems(policy: string, key: string, path: string): readonly Problem[] {
  if (policy === '') return [invalidText(path, key, 'requires metadata.name be non-empty')];
  const name = `${policy}/${key}`;
  return checkQualifiedName(name).map((detail) => invalidText(path, name, detail));
}

function valueProblems(text: string, path: string, compiled: Compiled | undefined): readonly Problem[] {
  if (byteLength(text.trim()) > MAX_VALUE_BYTES) {
    return [required(path, `must not exceed ${MAX_VALUE_BYTES} bytes in length`)];
  }
  return expressionProblems(path, { text, compiled }, 'valueExpression is not specified');
}

type Given = { readonly text: string; readonly compiled: Compiled | undefined };

function expressionProblems(path: string, { text, compiled }: Given, missing = ''): readonly Problem[] {
  if (text.trim() === '') return [required(path, missing)];
  return failureProblems(path, text, compiled);
}

function failureProblems(path: string, text: string, compiled: Compiled | undefined): readonly Problem[] {
  return compiled?.kind === 'failure' ? [invalidText(path, text, compiled.message)] : [];
}

function formatAnnotations(annotations: readonly JsonObject[]): string {
  const type = 'admissionregistration.AuditAnnotation';
  const items = annotations.map((item) => {
    const [key, value] = [stringAt(item, 'key'), stringAt(item, 'valueExpression')].map(quoted);
    return `${type}{Key:${key}, ValueExpression:${value}}`;
  });
  return `[]${type}{${items.join(', ')}}`;
}

function isIdentifier(name: string): boolean {
  return /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !RESERVED.has(name);
}

const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const MAX_CONDITIONS = 64;
const MAX_ANNOTATIONS = 20;
const MAX_VALUE_BYTES = 5 * 1024;
