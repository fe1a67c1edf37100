import { describe, expect, it } from 'vitest';
import { findPublished } from '../../../test/support/published.ts';
import { isObject } from '../../base/json.ts';
import { metaDefinitions } from './meta-definitions.ts';

const found = await findPublished();
const isMissing = 'unavailable' in found;
const because = isMissing ? ` (skipped: ${found.unavailable})` : '';

/** Without descriptions, and without the kinds of a definition: the server lists all its groups there. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(
    ([key, inside]) =>
      !(key === 'description' && typeof inside === 'string') && key !== 'x-kubernetes-group-version-kind',
  );
  const entries = kept.map(([key, inside]): [string, unknown] => [
    key,
    key === 'required' && Array.isArray(inside) ? inside.toSorted() : bare(inside),
  ]);
  // Where nothing but the reference is left, the published documents have it alone.
  const { allOf, ...rest } = Object.fromEntries(entries);
  return Array.isArray(allOf) && Object.keys(rest).length === 0 ? allOf[0] : Object.fromEntries(entries);
}

describe.skipIf(isMissing)(`the published document of the core group${because}`, () => {
  const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

  it.each([
    'APIResource',
    'APIResourceList',
    'DeleteOptions',
    'ListMeta',
    'ManagedFieldsEntry',
    'ObjectMeta',
    'OwnerReference',
    'Patch',
    'Preconditions',
    'StatusCause',
    'StatusDetails',
    'WatchEvent',
  ])('describes %s as we do', async (shape) => {
    if ('unavailable' in found) return;
    const { definitions } = await found.definition(`${meta}.${shape}`);
    expect(bare(metaDefinitions().get(`${meta}.${shape}`))).toEqual(bare(definitions[`${meta}.${shape}`]));
  });
});
