import { describe, expect, it } from 'vitest';
import { parseFieldSelector } from '../../kubernetes/selectors/field-selector.ts';
import {
  builtins,
  configMap,
  event,
  job,
  namespace,
  node,
  pod,
  secret,
} from '../../kubernetes/types/index.ts';
import { fieldSelectorProblem, matchesFields, nameInFieldSelector } from './field-selector.ts';

function parsed(text: string) {
  const outcome = parseFieldSelector(text);
  if (outcome.kind === 'invalid') throw new Error(outcome.problems[0]?.message);
  return outcome.value;
}

const origin = 'builtin';

describe('fieldSelectorProblem', () => {
  // The errors of kube-apiserver 1.33.
  it.each([
    [pod, 'spec.none=x', 'field label not supported: spec.none'],
    [node, 'metadata.namespace=x', 'field label not supported: metadata.namespace'],
    [namespace, 'spec.x=x', 'field label not supported: spec.x'],
    [secret, '=x', 'field label not supported: '],
    [event, 'zz!=1,aa=2', 'field label not supported: aa'],
    [job, 'spec.x=x', 'field label "spec.x" not supported for Job'],
    [
      configMap,
      'data.k=x',
      '"data.k" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
  ])('reports the message of $0.kind: $1', (kind, text, message) => {
    expect(fieldSelectorProblem({ ...kind, origin }, parsed(text))).toBe(message);
  });

  it('reports another message for custom resources', () => {
    const custom = { ...configMap, origin: 'custom' } as const;
    expect(fieldSelectorProblem(custom, parsed('spec.color=x'))).toBe(
      'field label not supported: spec.color',
    );
  });

  it.each(builtins)('accepts the fields of $kind', (kind) => {
    const text = kind.selectableFields.map(({ name }) => `${name}=x`).join(',');
    expect(fieldSelectorProblem({ ...kind, origin }, parsed(text))).toBeUndefined();
  });
});

describe('matchesFields', () => {
  const object = {
    metadata: { name: 'a', namespace: 'b' },
    spec: { nodeName: 'n1', hostNetwork: true },
    status: { phase: 'Running', podIPs: [{ ip: '10.0.0.1' }] },
  };

  it.each([
    ['', true],
    ['metadata.name=a', true],
    ['metadata.name=b', false],
    ['metadata.name=a,metadata.namespace=b', true],
    ['metadata.name=a,metadata.namespace!=b', false],
    ['spec.nodeName=n1,status.phase!=Succeeded', true],
    ['spec.host=n1', true],
    ['spec.hostNetwork=true', true],
    ['status.podIP=10.0.0.1', true],
    ['status.nominatedNodeName=', true],
    ['status.nominatedNodeName!=', false],
    ['spec.none=', true],
    ['spec.none=x', false],
  ])('matches %j: %s', (text, fits) => {
    expect(matchesFields(pod, parsed(text), object)).toBe(fits);
  });

  it.each([
    ['nothing', undefined],
    ['a list', []],
    ['a text', 'metadata'],
  ])('does not match if the selector is %s', (_, other) => {
    expect(matchesFields(pod, parsed('metadata.name=a'), other)).toBe(false);
  });
});

describe('nameInFieldSelector', () => {
  it.each([
    ['', undefined],
    ['metadata.name!=a', undefined],
    ['metadata.namespace=a', undefined],
    ['metadata.name=a', 'a'],
    ['metadata.name==a', 'a'],
    ['metadata.name=', ''],
    ['spec.nodeName=n,metadata.name=a', 'a'],
    ['metadata.name=b,metadata.name=a', 'a'],
  ])('of %j is %j', (text, name) => {
    expect(nameInFieldSelector(parsed(text))).toBe(name);
  });
});
