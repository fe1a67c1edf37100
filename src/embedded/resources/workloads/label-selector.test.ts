import { describe, expect, it } from 'vitest';
import { changedSelectorProblems, matchesTemplate, noMatchProblem } from './label-selector.ts';

const template = { metadata: { labels: { b: 'c', app: 'a' } } };

describe('the selector of a workload', () => {
  it('matches the template by labels and expressions', () => {
    expect(matchesTemplate({ matchLabels: { app: 'a' } }, template)).toBe(true);
    expect(matchesTemplate({ matchExpressions: [{ key: 'b', operator: 'Exists' }] }, template)).toBe(true);
    expect(matchesTemplate({ matchLabels: { app: 'x' } }, template)).toBe(false);
    expect(matchesTemplate({ matchLabels: { app: 'a' } }, undefined)).toBe(false);
  });

  it('matches nothing if absent', () => {
    expect(matchesTemplate(undefined, template)).toBe(false);
  });

  it('reports the labels of the template that do not match, sorted', () => {
    const message = (labels: string) =>
      `Invalid value: map[string]string${labels}: \`selector\` does not match template \`labels\``;
    expect(noMatchProblem(template, 'spec.template')).toEqual({
      path: 'spec.template.metadata.labels',
      message: message('{"app":"a", "b":"c"}'),
      reason: 'FieldValueInvalid',
    });
    expect(noMatchProblem(undefined, 'spec.template').message).toBe(message('(nil)'));
  });

  it('is immutable', () => {
    const old = { selector: { matchLabels: { app: 'a' } } };
    const changed = { selector: { matchExpressions: [{ key: 'b', operator: 'In', values: ['x'] }] } };
    expect(changedSelectorProblems(old, { selector: { matchLabels: { app: 'a' } } })).toEqual([]);
    expect(changedSelectorProblems(changed, old).map(({ message }) => message)).toEqual([
      'Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement{v1.LabelSelectorRequirement{Key:"b", Operator:"In", Values:[]string{"x"}}}}: field is immutable',
    ]);
    expect(changedSelectorProblems({}, old).map(({ message }) => message)).toEqual([
      'Invalid value: "null": field is immutable',
    ]);
  });
});
