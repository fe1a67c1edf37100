import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { builtinResources, type Resource } from '../resources/index.ts';
import { type DeleteOptions, isReadyToGo, planDeletion } from './deletion.ts';

const resourceNamed = (plural: string): Resource => {
  const found = builtinResources.find((one) => one.plural === plural);
  if (found === undefined) throw new Error(plural);
  return found;
};
const options: DeleteOptions = {
  gracePeriodSeconds: undefined,
  propagation: undefined,
  uid: undefined,
  resourceVersion: undefined,
  isDryRun: false,
};
const plan = (plural: string, live: JsonObject, more: Partial<DeleteOptions> = {}) =>
  planDeletion({
    resource: resourceNamed(plural),
    live,
    options: { ...options, ...more },
    now: '2026-01-01T00:00:00Z',
    later: (seconds) => `+${seconds}`,
  });
const mark = { deletionTimestamp: '+0', deletionGracePeriodSeconds: 0 };

describe('deleting an object', () => {
  it('makes it go at once where nothing holds it', () => {
    expect(plan('configmaps', { metadata: { name: 'a' } })).toMatchObject({ kind: 'gone' });
  });

  it('marks it where a finalizer holds it, and moves its generation', () => {
    const live = { metadata: { name: 'a', finalizers: ['x/y'], generation: 3 } };
    expect(plan('configmaps', live)).toEqual({
      kind: 'marked',
      object: { metadata: { name: 'a', finalizers: ['x/y'], generation: 4, ...mark } },
    });
  });

  it('leaves one that is marked as it is', () => {
    const live = { metadata: { name: 'a', finalizers: ['x/y'], ...mark } };
    expect(plan('configmaps', live)).toEqual({ kind: 'unchanged' });
  });

  it.each([
    ['Orphan', ['x/y', 'orphan']],
    ['Foreground', ['x/y', 'foregroundDeletion']],
    ['Background', ['x/y']],
  ] as const)('%s says what becomes of those it owns', (propagation, finalizers) => {
    const live = { metadata: { name: 'a', finalizers: ['x/y'] } };
    expect(plan('configmaps', live, { propagation })).toMatchObject({ object: { metadata: { finalizers } } });
  });

  it('leaves the pods of a Job unless told otherwise', () => {
    const live = { metadata: { name: 'a' } };
    expect(plan('jobs', live)).toMatchObject({
      kind: 'marked',
      object: { metadata: { finalizers: ['orphan'] } },
    });
    expect(plan('jobs', live, { propagation: 'Background' })).toMatchObject({ kind: 'gone' });
  });

  it('lets a namespace wait for its contents', () => {
    const live = {
      metadata: { name: 'a' },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    };
    expect(plan('namespaces', live)).toEqual({
      kind: 'marked',
      object: {
        metadata: { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z' },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Terminating' },
      },
    });
    expect(plan('namespaces', { ...live, spec: {} })).toMatchObject({ kind: 'gone' });
  });
});

describe('an object that is being deleted', () => {
  const configMaps = resourceNamed('configmaps');
  it.each([
    [{ metadata: { name: 'a' } }, false],
    [{ metadata: { name: 'a', ...mark } }, true],
    [{ metadata: { name: 'a', ...mark, finalizers: ['x/y'] } }, false],
    [{ metadata: { name: 'a', ...mark, deletionGracePeriodSeconds: 30 } }, false],
  ])('goes when nothing holds it any more: %j', (object, isReady) => {
    expect(isReadyToGo(configMaps, object)).toBe(isReady);
  });
});
