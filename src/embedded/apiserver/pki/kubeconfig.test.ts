import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { isOurKubeconfig, type Kubeconfig, updatedKubeconfig } from './kubeconfig.ts';

const kubeconfig: Kubeconfig = { server: 'https://new', authority: 'CA', certificate: 'CERT', key: 'KEY' };
const older = { ...kubeconfig, server: 'https://old', key: 'OLD' };
const updated = (file: object): Record<string, unknown> =>
  parse(updatedKubeconfig(stringify(file), kubeconfig) ?? 'null');
const made = (): Record<string, unknown> => parse(updatedKubeconfig(undefined, older) ?? '');

const cluster = { server: 'https://new', 'certificate-authority-data': btoa('CA') };
const user = { 'client-certificate-data': btoa('CERT'), 'client-key-data': btoa('KEY') };

describe('updatedKubeconfig', () => {
  it.each<[string, object]>([
    [
      'a namespace',
      {
        contexts: [
          {
            name: 'millwright',
            context: { cluster: 'millwright', user: 'millwright-admin', namespace: 'mine' },
          },
        ],
      },
    ],
    [
      'another name for the context',
      {
        contexts: [{ name: 'dev', context: { cluster: 'millwright', user: 'millwright-admin' } }],
        'current-context': 'dev',
      },
    ],
    [
      'another user in the context',
      { contexts: [{ name: 'millwright', context: { cluster: 'millwright', user: 'alice' } }] },
    ],
    [
      'the current context',
      {
        contexts: [
          { name: 'millwright', context: { cluster: 'millwright', user: 'millwright-admin' } },
          { name: 'prod', context: { cluster: 'prod', user: 'me' } },
        ],
        'current-context': 'prod',
      },
    ],
    ['unknown fields', { preferences: { colors: true }, extensions: [{ name: 'x', extension: {} }] }],
  ])('keeps a change of the user: %s', (_, change) => {
    const file = { ...made(), ...change };
    const { clusters, users, ...rest } = updated(file);
    const { clusters: _clusters, users: _users, ...restBefore } = file as Record<string, unknown>;
    expect(rest).toEqual(restBefore);
    expect(clusters).toEqual([{ name: 'millwright', cluster }]);
    expect(users).toEqual([{ name: 'millwright-admin', user }]);
  });

  it('keeps other clusters, other users, and further fields of our entries', () => {
    const prod = { name: 'prod', cluster: { server: 'https://prod' } };
    const alice = { name: 'alice', user: { token: 't' } };
    const file = {
      ...made(),
      clusters: [
        prod,
        {
          name: 'millwright',
          cluster: { server: 'x', 'insecure-skip-tls-verify': true, 'proxy-url': 'http://p' },
        },
      ],
      users: [alice],
    };
    expect(updated(file)).toMatchObject({
      clusters: [prod, { name: 'millwright', cluster: { ...cluster, 'proxy-url': 'http://p' } }],
      users: [alice, { name: 'millwright-admin', user }],
    });
    expect(JSON.stringify(updated(file))).not.toContain('insecure');
  });

  it('keeps the text of an up-to-date file', () => {
    const text = `# mine\n${updatedKubeconfig(undefined, kubeconfig)}`;
    expect(updatedKubeconfig(text, kubeconfig)).toBe(text);
  });
});

it('updatedKubeconfig restores missing entries', () => {
  expect(updated({ clusters: [{ name: 'millwright' }] })).toEqual({
    clusters: [{ name: 'millwright', cluster }],
    contexts: [{ name: 'millwright', context: { cluster: 'millwright', user: 'millwright-admin' } }],
    'current-context': 'millwright',
    users: [{ name: 'millwright-admin', user }],
  });
});

it.each([
  ['', true],
  [' \n', true],
  ['clusters: [{name: millwright}]', true],
  ['clusters: [{name: other}]', false],
  ['clusters: {name: millwright}', false],
  ['[]', false],
  ['{', false],
])('isOurKubeconfig of %j: %s', (text, isOurs) => {
  expect(isOurKubeconfig(text)).toBe(isOurs);
  expect(updatedKubeconfig(text, kubeconfig) !== undefined).toBe(isOurs);
});
