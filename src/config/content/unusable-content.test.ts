import { expect, test } from 'vitest';
import { aConfig } from '../../../test/support/build.ts';
import { kernelArgumentProblems, unusableContent } from './unusable-content.ts';

const keys = (...sshAuthorizedKeys: readonly string[]) =>
  unusableContent(aConfig({ passwd: { users: [{ name: 'core', sshAuthorizedKeys }] } }));

test('an SSH key may end with a line break, as a block of YAML does', () => {
  expect(keys('ssh-ed25519 A x@y\n', 'ssh-ed25519 B\r\n', 'from="10.0.0.1"\tssh-rsa C')).toEqual([]);
});

test.each(['a\nb', 'a\n\n', '\na', 'a\rb', 'a\0b'])('an SSH key such as %j is refused', (key) => {
  expect(keys(key)).toHaveLength(1);
});

test('a private key by mistake is never repeated in the message', () => {
  const [problem] = keys(
    '-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0\n-----END OPENSSH PRIVATE KEY-----\n',
  );
  expect(JSON.stringify(problem)).not.toMatch(/c2VjcmV0|BEGIN/);
});

test('kernel arguments may hold spaces, quotes and any other printable character', () => {
  expect(kernelArgumentProblems(['a b', 'x="1 2"', 'ä=ö', 'console=ttyS0,115200n8'], 'x')).toEqual([]);
});
