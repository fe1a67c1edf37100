import { describe, expect, it } from 'vitest';
import { KubeError } from '../../kubernetes/client/index.ts';
import { applyError, applyResult } from './apply-result.ts';

const refused = (message: string, causes: KubeError['details']['causes'] = []) =>
  new KubeError({ code: 422, reason: 'Invalid', message, details: { causes }, retryAfterMs: undefined });

describe('applyError', () => {
  it('names the conflicting managers with their fields, and advice', () => {
    const cause = (who: string, field: string) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with "${who}"`,
      field,
    });
    const causes = [cause('kubectl', '.data.a'), cause('gitops', '.data.b'), cause('kubectl', '.data.c')];
    expect(applyError(refused('Apply failed with 3 conflicts: …', causes))).toEqual({
      path: 'data.a',
      message:
        'conflict with "kubectl": .data.a, .data.c; conflict with "gitops": .data.b (take over with --force-conflicts, or remove these fields)',
    });
  });

  it('does not quote values of a wrong type, which may be secrets', () => {
    const text = 'failed to create typed patch object (a/b; /v1, Kind=Secret): ';
    const value = '.stringData.pin: expected string, got &value.valueUnstructured{Value:1234}';
    expect(applyError(refused(`${text}${value}`))).toEqual({
      path: 'stringData.pin',
      message: `${text}.stringData.pin: expected string`,
    });
    expect(applyError(refused(`${text}errors:\n  ${value}\n  .b: field not declared in schema`))).toEqual({
      path: 'stringData.pin',
      message: `${text}errors:\n  .stringData.pin: expected string\n  .b: field not declared in schema`,
    });
  });

  it.each([
    ['no', [], ''],
    ['no', [{ field: 'spec.paused' }], 'spec.paused'],
    ['strict decoding error: unknown field "spec.pausd"', [], 'spec.pausd'],
  ])('finds the field of message %j with causes %j: %j', (message, causes, path) => {
    expect(applyError(refused(message, causes))).toEqual({ message, path });
  });
});

describe('applyResult', () => {
  const before = {
    metadata: { name: 'a', resourceVersion: '1', generation: 1 },
    spec: { a: 1 },
    status: { b: 1 },
  };

  it('is created if the object did not exist', () => expect(applyResult(undefined, before)).toBe('created'));

  it('is unchanged if only server-maintained metadata and status differ', () => {
    const metadata = { name: 'a', resourceVersion: '2', generation: 2, managedFields: [{}] };
    expect(applyResult(before, { ...before, metadata, status: {} })).toBe('unchanged');
  });

  it.each([
    [{ ...before, spec: { a: 2 } }],
    [{ ...before, metadata: { ...before.metadata, labels: {} } }],
    [{ metadata: before.metadata }],
  ])('is configured if the content differs: %j', (after) =>
    expect(applyResult(before, after)).toBe('configured'),
  );
});
