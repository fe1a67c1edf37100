import { describe, expect, it } from 'vitest';
import { chooseContainer, logQuery, podSelector } from './log-request.ts';

const spec = { containers: [{ name: 'one' }, { name: 'two' }], initContainers: [{ name: 'first' }] };

describe('chooseContainer', () => {
  it('is undefined for a pod without containers', () => {
    for (const pod of [{}, { spec: 3 }, { spec: { containers: [3, {}] } }]) {
      expect(chooseContainer(pod, undefined)).toBeUndefined();
    }
  });

  it('uses the named container', () => {
    expect(chooseContainer({ spec }, 'any')).toEqual({ container: 'any', note: undefined });
  });

  it('uses the default of the annotation if the pod has that container', () => {
    const pod = (name: string) => ({
      metadata: { annotations: { 'kubectl.kubernetes.io/default-container': name } },
      spec,
    });
    expect(chooseContainer(pod('two'), undefined)).toEqual({ container: 'two', note: undefined });
    expect(chooseContainer(pod('three'), undefined)?.container).toBe('one');
  });

  it('otherwise uses the first and reports the others', () => {
    expect(chooseContainer({ spec }, undefined)).toEqual({
      container: 'one',
      note: 'Defaulted container "one" out of: one, two, first (init)',
    });
    expect(chooseContainer({ spec: { containers: [{ name: 'one' }] } }, undefined)?.note).toBeUndefined();
  });
});

it.each([
  [{}, undefined],
  [{ spec: { selector: { matchLabels: {} } } }, undefined],
  [{ spec: { selector: { app: 'web' } } }, undefined],
  [{ spec: { selector: { matchLabels: { app: 'web', tier: 'front' } } } }, 'app=web,tier=front'],
])('podSelector of %j is %s', (owner, selector) => expect(podSelector(owner)).toBe(selector));

it('logQuery omits options that are not set', () => {
  const nothing = { follow: false, previous: false, timestamps: false, tailLines: -1, sinceMs: undefined };
  expect(Object.values(logQuery(nothing)).filter((value) => value !== undefined)).toEqual([]);
  expect(logQuery({ follow: true, previous: true, timestamps: true, tailLines: 0, sinceMs: 1 })).toEqual({
    follow: 'true',
    previous: 'true',
    timestamps: 'true',
    tailLines: 0,
    sinceSeconds: 1,
  });
});
