import { expect, test } from 'vitest';
import { digestedReference, isCurrentImage, parsePushReference, pushReferenceOf } from './push-reference.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

test.each([
  ['quay.io/example/os:latest'],
  ['registry.example:5000/os:v1'],
  ['image-registry.openshift-image-registry.svc:5000/ns/os:latest'],
])('%s can be pushed to', (text) => {
  const outcome = parsePushReference(text);
  expect(outcome.kind).toBe('ok');
  if (outcome.kind === 'invalid') return;
  const repository = text.slice(0, text.lastIndexOf(':'));
  expect(pushReferenceOf(outcome.value, 'infra-1')).toBe(`${repository}:infra-1`);
  expect(digestedReference(outcome.value, 'sha256:ab')).toBe(`${repository}@sha256:ab`);
});

test.each([
  ['quay.io/Example/os:latest', 'must be lowercase'],
  ['docker.io/os:latest', 'repository name must be canonical: write docker.io/library/os:latest'],
  ['quay.io/a/b/os:latest', 'at most one namespace is allowed'],
  [
    `quay.io/a/os@${DIGEST}`,
    'a digest is not allowed, as it is not known before the image is built: write quay.io/a/os:latest',
  ],
  [
    `quay.io/a/os:v1@${DIGEST}`,
    'a digest is not allowed, as it is not known before the image is built: write quay.io/a/os:v1',
  ],
  ['', 'it is empty'],
])('%j cannot be pushed to', (text, expected) => {
  const outcome = parsePushReference(text);
  expect(outcome.kind === 'invalid' && outcome.problems[0]?.message).toContain(expected);
});

test.each([
  [`quay.io/example/os@${DIGEST}`, true],
  [`registry.example:5000/os@${DIGEST}`, true],
  [`quay.io/a/b/os@${DIGEST}`, false],
  [`docker.io/os@${DIGEST}`, false],
  [`localhost/os@${DIGEST}`, false],
  [`quay.io/example/os:tag@${DIGEST}`, false],
  ['quay.io/example/os:tag', false],
  ['', false],
])('that the API accepts %j as the current image is %s', (text, expected) => {
  expect(isCurrentImage(text)).toBe(expected);
});
