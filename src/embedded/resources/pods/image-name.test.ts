import { describe, expect, it } from 'vitest';
import { imageTag } from './image-name.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

describe('imageTag', () => {
  it.each([
    ['nginx', 'latest'],
    ['nginx:latest', 'latest'],
    ['nginx:1.2', '1.2'],
    ['a/b', 'latest'],
    ['host:5000/x', 'latest'],
    ['host:5000/x:1', '1'],
    ['UPPER/x', 'latest'],
    [`x@${DIGEST}`, undefined],
    [`x:latest@${DIGEST}`, 'latest'],
    ['x:', undefined],
    ['x y', undefined],
    ['UPPER', undefined],
    ['a//b', undefined],
    ['-.com/x', undefined],
    ['x:1@sha256:zz', undefined],
    ['', undefined],
    [`${'a-'.repeat(500)}/x`, undefined],
    ['a'.repeat(2000), undefined],
  ])('of %s', (image, tag) => {
    expect(imageTag(image)).toBe(tag);
  });
});
