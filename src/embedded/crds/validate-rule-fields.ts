/**
 * Validation of the fields of a CEL rule, without compiling it.
 */
import type { Problem } from '../../base/errors.ts';
import { findField } from '../../kubernetes/validation/index.ts';
import { invalidText, required, unsupportedText } from '../resources/index.ts';
import { type RuleProps, type SchemaProps, structural } from './crd.ts';
import { conversionFailure } from './validate-structural.ts';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

export function ruleFieldProblems(schema: SchemaProps, path: string): readonly Problem[] {
  return (schema['x-kubernetes-validations'] ?? []).flatMap((rule, index) => {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    return [
      ...messageProblems(rule, at),
      ...(rule.messageExpression !== undefined && rule.messageExpression.trim() === ''
        ? [required(`${at}.messageExpression`, 'messageExpression must be non-empty if specified')]
        : []),
      ...(rule.reason === undefined || REASONS.includes(rule.reason)
        ? []
        : [unsupportedText(`${at}.reason`, rule.reason, REASONS)]),
      ...fieldPathProblems(schema, rule.fieldPath ?? '', `${at}.fieldPath`),
    ];
  });
}

/** The first problem only. */
function messageProblems({ rule, message = '' }: RuleProps, at: string): readonly Problem[] {
  if (rule.trim() === '') return [required(`${at}.rule`, 'rule is not specified')];
  if (message !== '' && message.trim() === '') {
    return [invalidText(`${at}.message`, message, 'message must be non-empty if specified')];
  }
  if (hasLineBreaks(message.trim())) {
    return [invalidText(`${at}.message`, message, 'message must not contain line breaks')];
  }
  if (hasLineBreaks(rule.trim()) && message.trim() === '') {
    return [required(`${at}.message`, 'message must be specified if rule contains line breaks')];
  }
  return [];
}

function fieldPathProblems(schema: SchemaProps, fieldPath: string, at: string): readonly Problem[] {
  if (fieldPath === '') return [];
  const problems: Problem[] = [];
  const report = (detail: string) => problems.push(invalidText(at, fieldPath, detail));
  if (fieldPath.trim() === '') report('fieldPath must be non-empty if specified');
  if (hasLineBreaks(fieldPath)) report('fieldPath must not contain line breaks');
  const canBeFound = conversionFailure(schema) === undefined;
  if (canBeFound && findField(structural(schema), fieldPath).kind === 'bad') {
    report('fieldPath must be a valid path');
  }
  return problems;
}

function hasLineBreaks(text: string): boolean {
  return /[\n\r]/.test(text);
}
