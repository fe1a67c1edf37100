import { describe, expect, it } from 'vitest';
import { dedupOwnerReferences, ownerProblems } from './owner-references.ts';

const owner = { apiVersion: 'v1', kind: 'K', name: 'n', uid: 'u' };
const owned = (...ownerReferences: readonly object[]) =>
  ({ metadata: { name: 'a', ownerReferences } }) as never;

describe('owner references', () => {
  it('are deduplicated with a warning', () => {
    const { object, warnings } = dedupOwnerReferences(owned(owner, { ...owner, uid: 'v' }, { ...owner }));
    expect(object).toEqual(owned(owner, { ...owner, uid: 'v' }));
    expect(warnings).toEqual([
      '.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u',
    ]);
  });

  it('are kept if they differ in anything', () => {
    const object = owned(owner, { ...owner, controller: true });
    expect(dedupOwnerReferences(object)).toEqual({ object, warnings: [] });
  });

  it('produce a bounded number of problems however many controllers there are', () => {
    const many = Array.from({ length: 2000 }, (_, index) => ({
      ...owner,
      uid: `u${index}`,
      controller: true,
    }));
    expect(ownerProblems(owned(...many)).length).toBeLessThan(10);
  });
});
