import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import { builtinResources, type Resource } from '../../resources/index.ts';
import { canFinalize, type DeleteOptions, planDeletion } from './deletion.ts';

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
    ['Background', ['x/y']],
  ] as const)('again, but %s, changes what becomes of those it owns', (propagation, finalizers) => {
    const live = {
      metadata: { name: 'a', finalizers: ['foregroundDeletion', 'x/y'], generation: 4, ...mark },
    };
    expect(plan('configmaps', live, { propagation })).toEqual({
      kind: 'marked',
      object: { metadata: { name: 'a', finalizers, generation: 4, ...mark } },
    });
  });

  it('again makes it go where only its dependents were waited for, and now are not', () => {
    const live = { metadata: { name: 'a', finalizers: ['foregroundDeletion'], ...mark } };
    expect(plan('configmaps', live, { propagation: 'Background' })).toEqual({ kind: 'gone', object: live });
  });

  it('gives a pod that is marked less time, counted from when it was marked, but never more', () => {
    const metadata = { name: 'a', generation: 2, deletionGracePeriodSeconds: 30 };
    const live = { metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:30Z' } };
    expect(plan('pods', live, { gracePeriodSeconds: 30 })).toEqual({ kind: 'unchanged' });
    expect(plan('pods', live, { propagation: 'Foreground' })).toEqual({ kind: 'unchanged' });
    expect(plan('pods', live, { gracePeriodSeconds: 5 })).toEqual({
      kind: 'marked',
      object: {
        metadata: { ...metadata, deletionGracePeriodSeconds: 5, deletionTimestamp: '2026-01-01T00:00:05Z' },
      },
    });
    expect(plan('pods', live, { gracePeriodSeconds: 0 })).toMatchObject({ kind: 'gone' });
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
    expect(canFinalize(configMaps, object)).toBe(isReady);
  });
});
