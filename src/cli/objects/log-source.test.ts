import { describe, expect, it } from 'vitest';
import { chooseContainer, logQuery, podSelector } from './log-source.ts';

const spec = { containers: [{ name: 'one' }, { name: 'two' }], initContainers: [{ name: 'first' }] };

describe('the container is', () => {
  it('none where there is none', () => {
    for (const pod of [{}, { spec: 3 }, { spec: { containers: [3, {}] } }]) {
      expect(chooseContainer(pod, undefined)).toBeUndefined();
    }
  });

  it('the one that is named, which the server looks for', () => {
    expect(chooseContainer({ spec }, 'any')).toEqual({ container: 'any', note: undefined });
  });

  it('the one that the pod says is the main one, where it has that', () => {
    const pod = (name: string) => ({
      metadata: { annotations: { 'kubectl.kubernetes.io/default-container': name } },
      spec,
    });
    expect(chooseContainer(pod('two'), undefined)).toEqual({ container: 'two', note: undefined });
    expect(chooseContainer(pod('three'), undefined)?.container).toBe('one');
  });

  it('else the first, and the others are told', () => {
    expect(chooseContainer({ spec }, undefined)).toEqual({
      ...{ container: 'one', note: 'Defaulted container "one" out of: one, two, first (init)' },
    });
    expect(chooseContainer({ spec: { containers: [{ name: 'one' }] } }, undefined)?.note).toBeUndefined();
  });
});

it.each([
  [{}, undefined],
  [{ spec: { selector: { matchLabels: {} } } }, undefined],
  [{ spec: { selector: { app: 'web' } } }, undefined],
  [{ spec: { selector: { matchLabels: { app: 'web', tier: 'front' } } } }, 'app=web,tier=front'],
])('the pods of %j have the labels %s', (owner, selector) => expect(podSelector(owner)).toBe(selector));

it('what is not wished for is not asked for', () => {
  const nothing = { follow: false, previous: false, timestamps: false, tailLines: -1, sinceMs: undefined };
  expect(Object.values(logQuery(nothing)).filter((value) => value !== undefined)).toEqual([]);
  expect(logQuery({ follow: true, previous: true, timestamps: true, tailLines: 0, sinceMs: 1 })).toEqual({
    ...{ follow: 'true', previous: 'true', timestamps: 'true', tailLines: 0, sinceSeconds: 1 },
  });
});
