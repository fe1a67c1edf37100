import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import { createBuiltinResources, type Resource } from '../../resources/index.ts';
import { canFinalize, type DeleteOptions, planDeletion } from './deletion.ts';

const resourceNamed = (plural: string): Resource => {
  const found = createBuiltinResources().find((one) => one.plural === plural);
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

describe('planDeletion', () => {
  it('removes an object without finalizers at once', () => {
    expect(plan('configmaps', { metadata: { name: 'a' } })).toMatchObject({ kind: 'gone' });
  });

  it('marks an object with finalizers and increments its generation', () => {
    const live = { metadata: { name: 'a', finalizers: ['x/y'], generation: 3 } };
    expect(plan('configmaps', live)).toEqual({
      kind: 'marked',
      object: { metadata: { name: 'a', finalizers: ['x/y'], generation: 4, ...mark } },
    });
  });

  it('leaves a terminating object unchanged', () => {
    const live = { metadata: { name: 'a', finalizers: ['x/y'], ...mark } };
    expect(plan('configmaps', live)).toEqual({ kind: 'unchanged' });
  });

  it.each([
    ['Orphan', ['x/y', 'orphan']],
    ['Background', ['x/y']],
  ] as const)(
    'changes the propagation finalizers of a terminating object to those of %s',
    (propagation, finalizers) => {
      const live = {
        metadata: { name: 'a', finalizers: ['foregroundDeletion', 'x/y'], generation: 4, ...mark },
      };
      expect(plan('configmaps', live, { propagation })).toEqual({
        kind: 'marked',
        object: { metadata: { name: 'a', finalizers, generation: 4, ...mark } },
      });
    },
  );

  it('removes an object whose propagation policy changes from foreground', () => {
    const live = { metadata: { name: 'a', finalizers: ['foregroundDeletion'], ...mark } };
    expect(plan('configmaps', live, { propagation: 'Background' })).toEqual({ kind: 'gone', object: live });
  });

  it('shortens the grace period of a terminating pod, but never extends it', () => {
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
  ] as const)('sets the propagation finalizer of %s', (propagation, finalizers) => {
    const live = { metadata: { name: 'a', finalizers: ['x/y'] } };
    expect(plan('configmaps', live, { propagation })).toMatchObject({ object: { metadata: { finalizers } } });
  });

  it('orphans the pods of a Job by default', () => {
    const live = { metadata: { name: 'a' } };
    expect(plan('jobs', live)).toMatchObject({
      kind: 'marked',
      object: { metadata: { finalizers: ['orphan'] } },
    });
    expect(plan('jobs', live, { propagation: 'Background' })).toMatchObject({ kind: 'gone' });
  });

  it('keeps a namespace until its contents are deleted', () => {
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

describe('canFinalize', () => {
  const configMaps = resourceNamed('configmaps');
  it.each([
    [{ metadata: { name: 'a' } }, false],
    [{ metadata: { name: 'a', ...mark } }, true],
    [{ metadata: { name: 'a', ...mark, finalizers: ['x/y'] } }, false],
    [{ metadata: { name: 'a', ...mark, deletionGracePeriodSeconds: 30 } }, false],
  ])('is true without finalizers and grace period after a deletion: %j', (object, isReady) => {
    expect(canFinalize(configMaps, object)).toBe(isReady);
  });
});
