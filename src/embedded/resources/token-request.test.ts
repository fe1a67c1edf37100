/** Recorded from kube-apiserver 1.33. */
import { describe, expect, it } from 'vitest';
import { causeText } from '../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../base/json.ts';
import {
  boundObjectOf,
  boundUidConflict,
  tokenRequestProblems,
  tokenRequestWithDefaults,
} from './token-request.ts';

const account = { namespace: 'space', name: 'robot', audiences: ['https://kubernetes.default.svc'] };
const bound = (boundObjectRef: JsonObject): JsonObject => ({ spec: { boundObjectRef } });

describe('a TokenRequest', () => {
  it.each<[JsonObject, readonly string[]]>([
    [{}, []],
    [{ spec: { expirationSeconds: 600 } }, []],
    [
      { spec: { expirationSeconds: 5 } },
      [
        'spec.expirationSeconds FieldValueInvalid: Invalid value: 5: may not specify a duration less than 10 minutes',
      ],
    ],
    [
      { spec: { expirationSeconds: 2 ** 33 } },
      [
        'spec.expirationSeconds FieldValueInvalid: Invalid value: 8589934592: may not specify a duration larger than 2^32 seconds',
      ],
    ],
    [
      { metadata: { name: 'other' } },
      [
        'metadata.name FieldValueInvalid: Invalid value: "other": must match the service account name if specified',
      ],
    ],
    [{ metadata: { name: 'robot' } }, []],
  ])('is rejected with %j', (request, causes) => {
    expect(tokenRequestProblems(request, account).map(causeText)).toEqual(causes);
  });

  it('gets defaults', () => {
    expect(tokenRequestWithDefaults({}, account)).toEqual({
      metadata: { name: 'robot', namespace: 'space' },
      spec: { audiences: ['https://kubernetes.default.svc'], expirationSeconds: 3600, boundObjectRef: null },
    });
    const spec = { audiences: ['a', ''], expirationSeconds: 700 };
    expect(tokenRequestWithDefaults({ spec }, account)).toMatchObject({ spec });
  });

  it('can be bound to a Pod, a Secret or a Node only', () => {
    expect(boundObjectOf({})).toBeUndefined();
    expect(boundObjectOf(bound({ kind: 'Foo', apiVersion: 'v1', name: 'x' }))).toMatchObject({
      status: { code: 400 },
      message: 'cannot bind token to object of type /v1, Kind=Foo',
    });
    expect(boundObjectOf(bound({ kind: 'Pod', apiVersion: 'apps/v1', name: 'x' }))).toMatchObject({
      message: 'cannot bind token to object of type apps/v1, Kind=Pod',
    });
    expect(boundObjectOf(bound({ kind: 'Pod', apiVersion: 'v1' }))).toMatchObject({
      status: { code: 400 },
      message: 'Name parameter required.',
    });
  });

  it('is rejected if the UID of the bound object differs', () => {
    const reference = boundObjectOf(bound({ kind: 'Pod', apiVersion: 'v1', name: 'p', uid: 'u' }));
    if (reference?.kind !== 'bound object') throw new Error('there is something to bind to');
    expect(reference).toMatchObject({ resource: 'pods', name: 'p' });
    expect(boundUidConflict(reference, { metadata: { uid: 'u' } })).toBeUndefined();
    expect(boundUidConflict(reference, { metadata: { uid: 'v' } })).toMatchObject({
      status: { code: 409 },
      message:
        'Operation cannot be fulfilled on Pod "p": the UID in the bound object reference (u) does not match the UID in record. The object might have been deleted and then recreated',
    });
  });
});
