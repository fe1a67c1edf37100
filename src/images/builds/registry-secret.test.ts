import { describe, expect, test } from 'vitest';
import type { Secret } from '../../kubernetes/types/index.ts';
import { authFileOf } from './registry-secret.ts';

const encoded = (value: unknown) => btoa(typeof value === 'string' ? value : JSON.stringify(value));
const secret = (type: string | undefined, data: { readonly [key: string]: string }) =>
  ({
    metadata: { name: 'push', namespace: 'openshift-machine-config-operator' },
    ...(type === undefined ? {} : { type }),
    data,
  }) as unknown as Secret;
const WRAPPED = 'kubernetes.io/dockerconfigjson';
const BARE = 'kubernetes.io/dockercfg';
const entry = { username: 'u', password: 'p', email: 'e', auth: 'dTpw' };

const problemOf = (value: Secret) => {
  const outcome = authFileOf(value);
  return outcome.kind === 'invalid' ? outcome.problems[0]?.message : undefined;
};
const fileOf = (value: Secret) => {
  const outcome = authFileOf(value);
  return outcome.kind === 'ok' ? JSON.parse(outcome.value) : outcome.problems;
};

const warningsOf = (value: Secret) => {
  const outcome = authFileOf(value);
  return outcome.kind === 'ok' ? outcome.warnings.map(({ message }) => message) : [];
};

describe('authFileOf', () => {
  test('accepts either form under either type', () => {
    const auths = { 'quay.io': entry };
    expect(fileOf(secret(WRAPPED, { '.dockerconfigjson': encoded({ auths }) }))).toEqual({ auths });
    expect(fileOf(secret(WRAPPED, { '.dockerconfigjson': encoded(auths) }))).toEqual({ auths });
    expect(fileOf(secret(BARE, { '.dockercfg': encoded(auths) }))).toEqual({ auths });
    expect(fileOf(secret(BARE, { '.dockercfg': encoded({ auths }) }))).toEqual({ auths });
  });

  test('drops credential helpers and keeps an empty file', () => {
    const document = { auths: {}, credHelpers: { 'quay.io': 'x' }, credsStore: 'y' };
    expect(fileOf(secret(WRAPPED, { '.dockerconfigjson': encoded(document) }))).toEqual({ auths: {} });
    expect(fileOf(secret(WRAPPED, { '.dockerconfigjson': encoded({}) }))).toEqual({ auths: {} });
  });

  test('accepts the line breaks that the command base64 prints, and an empty auth', () => {
    const auths = { 'quay.io': { auth: 'dTpw\nYQ==\n' }, 'other.example': { auth: '' } };
    const file = secret(WRAPPED, { '.dockerconfigjson': encoded({ auths }) });
    expect(fileOf(file)).toEqual({ auths });
    expect(warningsOf(file)).toEqual([]);
  });

  test('warns of each auth that is not base64, by its registry, and keeps the other entries', () => {
    const auths = { a: { auth: '!!!notbase64' }, b: { auth: 'dTpwYQ' }, c: entry };
    const file = secret(WRAPPED, { '.dockerconfigjson': encoded({ auths }) });
    expect(fileOf(file)).toEqual({ auths });
    const prefix = "secret 'push/openshift-machine-config-operator' key '.dockerconfigjson' has a field";
    expect(warningsOf(file)).toEqual([
      `${prefix} "auth" for "a" that is not base64`,
      `${prefix} "auth" for "b" that is not base64`,
    ]);
  });

  // biome-ignore format: a table, one row per line
  test.each([
    [WRAPPED, {}, "has no data"],
    [undefined, { '.dockercfg': 'e30=' }, 'type field not set'],
    ['Opaque', { a: 'e30=' }, "invalid secret key type Opaque, expected 'kubernetes.io/dockercfg' or 'kubernetes.io/dockerconfigjson'"],
    [WRAPPED, { '.dockercfg': 'e30=' }, "type is 'kubernetes.io/dockerconfigjson' but required key '.dockerconfigjson' is missing"],
    [BARE, { '.dockercfg': '' }, "type is 'kubernetes.io/dockercfg' but required key '.dockercfg' has an empty value"],
    [BARE, { '.dockercfg': 'e30=', '.dockerconfigjson': 'e30=' }, "type is 'kubernetes.io/dockercfg' but also contains unexpected key '.dockerconfigjson'"],
  ] as const)('refuses a Secret of type %s with %j', (type, data, expected) => {
    expect(problemOf(secret(type, data))).toBe(`secret 'push/openshift-machine-config-operator' ${expected}`);
  });

  test.each([
    ['null', 'is not a JSON object'],
    ['[]', 'is not a JSON object'],
    ['{"auths": 1}', 'has auths that are no object'],
    ['{"auths": {}, "HttpHeaders": {}}', 'has the unknown field "HttpHeaders"'],
    ['{"auths": {"a": 1}}', 'has an entry for "a" that is no object'],
    ['{"auths": {"a": {"token": "x"}}}', 'has the unknown field "token" in the entry for "a"'],
    ['{"auths": {"a": {"auth": 1}}}', 'has a field "auth" for "a" that is no text'],
  ])('refuses the contents %s', (text, expected) => {
    expect(problemOf(secret(WRAPPED, { '.dockerconfigjson': encoded(text) }))).toBe(
      `could not canonicalize secret 'push/openshift-machine-config-operator': key '.dockerconfigjson' ${expected}`,
    );
  });

  test('never repeats a credential in a problem', () => {
    const text = JSON.stringify({ auths: { a: { auth: 'hunter2', extra: 'hunter2' } } });
    expect(problemOf(secret(WRAPPED, { '.dockerconfigjson': encoded(text) }))).not.toContain('hunter2');
    const wrong = JSON.stringify({ auths: { a: { auth: 'hunter2' } } });
    const warnings = warningsOf(secret(WRAPPED, { '.dockerconfigjson': encoded(wrong) }));
    expect(warnings).toHaveLength(1);
    expect(warnings.join()).not.toContain('hunter2');
  });
});
