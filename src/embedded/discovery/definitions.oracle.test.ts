import { describe, expect, it } from 'vitest';
import { findPublished, type PublishedSchema } from '../../../test/support/published.ts';
import { isObject } from '../../base/json.ts';
import { bodies, builtins } from '../../kubernetes/types/index.ts';
import { bodyDefinitions } from './kind-definitions.ts';
import { type OpenApiSchema, referredNames } from './openapi-schema.ts';

const found = await findPublished();
const isMissing = 'unavailable' in found;
const because = isMissing ? ` (skipped: ${found.unavailable})` : '';

/** The fields of a shape, each with what it refers to, itself or by its items. */
function referencesOf(schema: OpenApiSchema | PublishedSchema | undefined): {
  readonly [field: string]: unknown;
} {
  const { properties } = schema ?? {};
  if (!isObject(properties)) return {};
  return Object.fromEntries(
    Object.keys(properties)
      .sort()
      .map((field) => [field, [...referredNames(properties[field])]]),
  );
}

describe.skipIf(isMissing)(`the published documents${because}`, () => {
  it.each([...builtins, ...bodies])('have the same names for the types in $group $kind', async (kind) => {
    if ('unavailable' in found) return;
    const { definitions } = await found.kindOf(kind);
    for (const [name, definition] of bodyDefinitions(kind)) {
      expect([name, referencesOf(definition)]).toEqual([name, referencesOf(definitions[name])]);
    }
  });
});
