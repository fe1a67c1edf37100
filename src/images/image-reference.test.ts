import { describe, expect, it } from 'vitest';
import { parseImageReference, referenceText, tagOrDigest } from './image-reference.ts';

const HEX = 'a'.repeat(64);
const DIGEST = `sha256:${HEX}`;

describe('parseImageReference', () => {
  it.each([
    ['', 'it is empty'],
    ['a b', 'the repository is invalid'],
    ['quay.io/Team/os', 'repository name must be lowercase'],
    ['Team', 'repository name must be lowercase'],
    ['quay.io/', 'the repository is invalid'],
    ['quay.io/a//b', 'the repository is invalid'],
    ['quay.io/a/../b', 'the repository is invalid'],
    ['quay.io/a/./b', 'the repository is invalid'],
    ['quay.io/-a', 'the repository is invalid'],
    ['quay.io/a_', 'the repository is invalid'],
    ['quay.io/a___b', 'the repository is invalid'],
    ['quay.io/a:', 'the tag is invalid'],
    ['quay.io/a:.x', 'the tag is invalid'],
    ['quay.io/a:x y', 'the tag is invalid'],
    [`quay.io/a:${'x'.repeat(129)}`, 'the tag is invalid'],
    ['quay.io/a@', 'the digest is invalid'],
    ['quay.io/a@sha256:abc', 'the digest is invalid'],
    [`quay.io/a@${DIGEST}@${DIGEST}`, 'the digest is invalid'],
    [`quay.io/a@md5:${'a'.repeat(32)}`, 'the digest is invalid'],
    ['docker://quay.io/a', 'the host is invalid'],
    ['-a.b/c', 'the host is invalid'],
    ['a.b:port/c', 'the host is invalid'],
    ['[::1/c', 'the host is invalid'],
    ['user@quay.io/a', 'the digest is invalid'],
    [HEX, 'cannot specify 64-byte hexadecimal strings'],
    [`quay.io/${'a/'.repeat(130)}a`, 'repository name must not be more than 255 characters'],
    ['x'.repeat(2_000), 'it is too long'],
    ['quay.io/a\nb', 'the repository is invalid'],
    ['quay.io/__proto__', 'the repository is invalid'],
  ])('rejects %j', (text, why) => {
    const outcome = parseImageReference(text);
    expect(outcome.kind === 'invalid' && outcome.problems[0]?.message).toContain(
      `invalid reference format: ${why}`,
    );
  });

  it.each([
    ['ubi9', 'docker.io/library/ubi9:latest'],
    ['team/os', 'docker.io/team/os:latest'],
    ['docker.io/ubi9', 'docker.io/library/ubi9:latest'],
    ['index.docker.io/ubi9:1', 'docker.io/library/ubi9:1'],
    ['quay.io/os', 'quay.io/os:latest'],
    ['localhost/os', 'localhost/os:latest'],
    ['localhost:5000/os:v1', 'localhost:5000/os:v1'],
    ['registry:5000/os', 'registry:5000/os:latest'],
    ['Registry/os', 'Registry/os:latest'],
    ['[::1]:5000/a/b:v1', '[::1]:5000/a/b:v1'],
    ['[fd00::2]/a', '[fd00::2]/a:latest'],
    [`quay.io/a@${DIGEST}`, `quay.io/a@${DIGEST}`],
    [`quay.io/a:v1@${DIGEST}`, `quay.io/a:v1@${DIGEST}`],
    [`quay.io/a@sha512:${'b'.repeat(128)}`, `quay.io/a@sha512:${'b'.repeat(128)}`],
    ['quay.io/a.b_c__d--e/f', 'quay.io/a.b_c__d--e/f:latest'],
    ['ubi9:5000', 'docker.io/library/ubi9:5000'],
    [`quay.io/${HEX}`, `quay.io/${HEX}:latest`],
    [`a/${HEX}`, `docker.io/a/${HEX}:latest`],
  ])('reads %s as %s', (text, expected) => {
    const outcome = parseImageReference(text);
    expect(outcome.kind === 'ok' ? referenceText(outcome.value) : outcome.problems).toBe(expected);
  });

  it('uses the digest where there are both a tag and a digest', () => {
    expect(tagOrDigest({ host: 'quay.io', repository: 'a', tag: 'v1', digest: DIGEST })).toBe(DIGEST);
  });
});
