import { describe, expect, it } from 'vitest';
import { KubeError } from '../../kubernetes/client/index.ts';
import { applyRefusal, applyVerdict } from './apply-verdict.ts';

const refused = (message: string, causes: KubeError['details']['causes'] = []) =>
  new KubeError({ code: 422, reason: 'Invalid', message, details: { causes }, retryAfterMs: undefined });

describe('a refusal', () => {
  it('over owners names them with their fields, and what to do', () => {
    const cause = (who: string, field: string) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with "${who}"`,
      field,
    });
    const causes = [cause('kubectl', '.data.a'), cause('gitops', '.data.b'), cause('kubectl', '.data.c')];
    expect(applyRefusal(refused('Apply failed with 3 conflicts: …', causes))).toEqual({
      path: 'data.a',
      message:
        'conflict with "kubectl": .data.a, .data.c; conflict with "gitops": .data.b (take over with --force-conflicts, or leave these fields out)',
    });
  });

  it('quotes no value of a wrong type, which may be a secret', () => {
    const text = 'failed to create typed patch object (a/b; /v1, Kind=Secret): ';
    const value = '.stringData.pin: expected string, got &value.valueUnstructured{Value:1234}';
    expect(applyRefusal(refused(`${text}${value}`))).toEqual({
      ...{ path: 'stringData.pin', message: `${text}.stringData.pin: expected string` },
    });
    expect(applyRefusal(refused(`${text}errors:\n  ${value}\n  .b: field not declared in schema`))).toEqual({
      path: 'stringData.pin',
      message: `${text}errors:\n  .stringData.pin: expected string\n  .b: field not declared in schema`,
    });
  });

  it.each([
    ['no', [], ''],
    ['no', [{ field: 'spec.paused' }], 'spec.paused'],
    ['strict decoding error: unknown field "spec.pausd"', [], 'spec.pausd'],
  ])('%j %j is about the field %j', (message, causes, path) => {
    expect(applyRefusal(refused(message, causes))).toEqual({ message, path });
  });
});

describe('an object that was applied', () => {
  const before = {
    metadata: { name: 'a', resourceVersion: '1', generation: 1 },
    spec: { a: 1 },
    status: { b: 1 },
  };

  it('is created where there was none', () => expect(applyVerdict(undefined, before)).toBe('created'));

  it('is unchanged where only its book-keeping and status have moved', () => {
    const metadata = { name: 'a', resourceVersion: '2', generation: 2, managedFields: [{}] };
    expect(applyVerdict(before, { ...before, metadata, status: {} })).toBe('unchanged');
  });

  it.each([
    [{ ...before, spec: { a: 2 } }],
    [{ ...before, metadata: { ...before.metadata, labels: {} } }],
    [{ metadata: before.metadata }],
  ])('is configured where it is another: %j', (after) =>
    expect(applyVerdict(before, after)).toBe('configured'),
  );
});
