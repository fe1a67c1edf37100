/** Recorded from kube-apiserver 1.33. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import { type LogQuery, logTargetOf } from './pod-log.ts';

const pod = (names: readonly string[], spec: JsonObject = {}): JsonObject => ({
  metadata: { name: 'a' },
  spec: { nodeName: 'n', containers: names.map((name) => ({ name })), ...spec },
});

describe('logTargetOf', () => {
  it('requires the name of the container if there are several', () => {
    const initContainers = [{ name: 'init' }];
    expect(logTargetOf(pod(['one', 'two'], { initContainers }), {})).toMatchObject({
      status: { code: 400 },
      message: 'a container name must be specified for pod a, choose one of: [init one two]',
    });
    expect(logTargetOf(pod(['one']), { container: 'three' })).toMatchObject({
      status: { code: 400 },
      message: 'container three is not valid for pod a',
    });
    expect(logTargetOf(pod(['one'], { initContainers }), { container: 'init' })).toEqual({
      kind: 'container',
      name: 'init',
    });
    expect(logTargetOf(pod(['one']), {})).toEqual({ kind: 'container', name: 'one' });
  });

  it('finds no log if the pod is not scheduled', () => {
    expect(logTargetOf(pod(['one'], { nodeName: '' }), {})).toEqual({ kind: 'nowhere' });
  });

  it.each<[LogQuery, string]>([
    [{ tailLines: -1 }, 'tailLines FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0'],
    [{ limitBytes: 0 }, 'limitBytes FieldValueInvalid: Invalid value: 0: must be greater than 0'],
    [{ sinceSeconds: 0 }, 'sinceSeconds FieldValueInvalid: Invalid value: 0: must be greater than 0'],
    [
      { sinceSeconds: 1, sinceTime: '2020-01-01T00:00:00Z' },
      '[] FieldValueForbidden: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
    ],
    [{ stream: 'Stdout' }, 'stream FieldValueForbidden: Forbidden: may not be specified'],
  ])('rejects %j', (query, cause) => {
    const target = logTargetOf(pod(['one']), query);
    const causes = target.kind === 'error' ? target.status.details?.causes : undefined;
    expect(causes?.map(({ field, reason, message }) => `${field} ${reason}: ${message}`)).toEqual([cause]);
  });
});
