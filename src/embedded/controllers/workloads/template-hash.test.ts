import { describe, expect, it } from 'vitest';
import { aTemplate } from '../../../../test/support/build-workloads.ts';
import { templateHash } from './template-hash.ts';

describe('the hash of a template', () => {
  it('is the same whatever the order of fields', () => {
    const { metadata = {}, spec } = aTemplate();
    expect(templateHash({ spec, metadata })).toBe(templateHash({ metadata, spec }));
  });

  it('is another for another template, and after a collision', () => {
    const hashes = [
      templateHash(aTemplate('a')),
      templateHash(aTemplate('b')),
      templateHash(aTemplate('a'), 1),
    ];
    expect(new Set(hashes).size).toBe(3);
  });

  it('is valid in names and labels', () => {
    expect(templateHash(aTemplate())).toMatch(/^[a-z0-9]{10}$/);
  });
});
