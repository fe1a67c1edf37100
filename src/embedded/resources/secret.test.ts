/** Recorded from kube-apiserver 1.33. */
import { describe, expect, it } from 'vitest';
import { created, updated } from '../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../base/json.ts';
import { secretStrategy as strategy } from './secret.ts';

const metadata = { name: 'a' };
const text = (key: string, value: string) => ({ stringData: { [key]: value } });
const missing = (...keys: readonly string[]) =>
  keys.map((key) => `data[${key}] FieldValueRequired: Required value`);
const redacted = (key: string, why: string) => [
  `data[${key}] FieldValueInvalid: Invalid value: "<secret contents redacted>": ${why}`,
];
const JSON_KEY = '.dockerconfigjson';

describe('the strategy of Secrets', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    [
      'service-account-token',
      {},
      ['metadata.annotations[kubernetes.io/service-account.name] FieldValueRequired: Required value'],
    ],
    ['dockercfg', {}, missing('.dockercfg')],
    ['dockerconfigjson', {}, missing(JSON_KEY)],
    [
      'dockerconfigjson',
      text(JSON_KEY, 'x'),
      redacted(JSON_KEY, "invalid character 'x' looking for beginning of value"),
    ],
    [
      'dockerconfigjson',
      text(JSON_KEY, '[]'),
      redacted(JSON_KEY, 'json: cannot unmarshal array into Go value of type map[string]interface {}'),
    ],
    ['dockerconfigjson', text(JSON_KEY, ''), redacted(JSON_KEY, 'unexpected end of JSON input')],
    ['dockerconfigjson', text(JSON_KEY, '{}'), []],
    ['basic-auth', {}, missing('username', 'password')],
    ['basic-auth', text('username', 'x'), []],
    ['ssh-auth', {}, missing('ssh-privatekey')],
    ['ssh-auth', text('ssh-privatekey', ''), missing('ssh-privatekey')],
    ['tls', {}, missing('tls.crt', 'tls.key')],
    ['tls', text('tls.crt', 'x'), missing('tls.key')],
    ['tls', { stringData: { 'tls.crt': '', 'tls.key': '' } }, []],
  ])('requires the keys of type kubernetes.io/%s: %j', (type, contents, causes) => {
    expect(created(strategy, { metadata, type: `kubernetes.io/${type}`, ...contents }).causes).toEqual(
      causes,
    );
  });

  it('merges stringData into data and defaults the type to Opaque', () => {
    const sent = {
      metadata,
      data: { old: 'b2xk', both: 'b2xk' },
      stringData: { both: 'new', more: '\u00fc' },
    };
    expect(created(strategy, sent).object).toMatchObject({
      data: { old: 'b2xk', both: 'bmV3', more: 'w7w=' },
      type: 'Opaque',
    });
    expect(created(strategy, sent).object).not.toHaveProperty('stringData');
    expect(created(strategy, { metadata }).object).not.toHaveProperty('data');
  });

  it('limits data to one MiB', () => {
    const secret = (bytes: number) => ({ metadata, data: { a: btoa('x'.repeat(bytes)) } });
    expect(created(strategy, secret(2 ** 20)).causes).toEqual([]);
    expect(created(strategy, secret(2 ** 20 + 1)).causes).toEqual([
      'data FieldValueTooLong: Too long: may not be more than 1048576 bytes',
    ]);
  });

  it('makes the type immutable, and the data if the secret is immutable', () => {
    const old = created(strategy, { metadata, data: { a: 'YQ==' }, immutable: true }).object;
    expect(updated(strategy, old, { ...old, type: 'other' }).causes).toEqual([
      'type FieldValueInvalid: Invalid value: "other": field is immutable',
    ]);
    expect(updated(strategy, old, { ...old, stringData: { q: 'x' } }).causes).toEqual([
      'data FieldValueForbidden: Forbidden: field is immutable when `immutable` is set',
    ]);
    expect(updated(strategy, old, { metadata, data: { a: 'YQ==' } }).causes).toEqual([
      'immutable FieldValueForbidden: Forbidden: field is immutable when `immutable` is set',
    ]);
  });
});
