import { describe, expect, it } from 'vitest';
import { credentialsFor, parseAuthFile } from './auth-file.ts';

const auth = (user: string, password: string) => ({ auth: btoa(`${user}:${password}`) });

function parsed(value: unknown) {
  const outcome = parseAuthFile(typeof value === 'string' ? value : JSON.stringify(value));
  if (outcome.kind === 'invalid') throw new Error(JSON.stringify(outcome.problems));
  return outcome;
}

describe('parseAuthFile', () => {
  it.each([
    ['no JSON', ''],
    ['[]', ''],
    ['{"auths": []}', 'auths'],
  ])('rejects %s', (text, path) => {
    const outcome = parseAuthFile(text);
    expect(outcome.kind === 'invalid' && outcome.problems[0]?.path).toBe(path);
  });

  it('warns of invalid entries, by key and without the value', () => {
    const { value, warnings } = parsed({
      auths: {
        'a.io': { auth: 'c2VjcmV0' },
        'b.io': { auth: '!' },
        'c.io': 'secret',
        'd.io': {},
        'e.io': auth('u', 'p'),
      },
    });
    expect(warnings.map(({ path, message }) => `${path} ${message}`)).toEqual([
      'auths["a.io"] auth is not a user and a password',
      'auths["b.io"] auth is not base64',
      'auths["c.io"] is not an object',
    ]);
    expect([...value.entries.keys()]).toEqual(['e.io']);
    expect(JSON.stringify(warnings)).not.toContain('secret');
  });

  it('ignores names of inherited properties', () => {
    const { value } = parsed('{"auths": {"__proto__": {"auth": "dTpw"}, "constructor": {"auth": "dTpw"}}}');
    expect(credentialsFor(value, 'toString/a')).toBeUndefined();
    expect(credentialsFor(value, 'constructor/a')).toEqual({ username: 'u', password: 'p' });
  });
});

describe('credentialsFor', () => {
  const { value: file } = parsed({
    auths: {
      'quay.io': auth('host', '1'),
      'quay.io/team': auth('team', 'a:b'),
      'quay.io/team/os': auth('os', '3\0\0'),
      'https://index.docker.io/v1/': auth('docker', '4'),
      'https://old.io/v2/': auth('old', '5'),
      'http://new.io': auth('legacy', '6'),
      'new.io': auth('exact', '7'),
      'localhost:5000': auth('local', '8'),
    },
  });

  it.each([
    ['quay.io/other/app', 'host', '1'],
    ['quay.io/team/app', 'team', 'a:b'],
    ['quay.io/team/os', 'os', '3'],
    ['quay.io/team/os/deeper', 'os', '3'],
    ['quay.io/teamwork', 'host', '1'],
    ['docker.io/library/ubi9', 'docker', '4'],
    ['old.io/a', 'old', '5'],
    ['new.io/a', 'exact', '7'],
    ['localhost:5000/a', 'local', '8'],
  ])('finds the most specific entry for %s', (repository, username, password) => {
    expect(credentialsFor(file, repository)).toEqual({ username, password });
  });

  it.each(['localhost/a', 'quay.io.evil.com/a', 'evil.com/quay.io/team', 'uay.io/a'])(
    'has none for %s',
    (repository) => {
      expect(credentialsFor(file, repository)).toBeUndefined();
    },
  );
});
