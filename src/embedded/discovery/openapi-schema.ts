/** Schemas of OpenAPI documents, and references between them. */

/** A schema in a document. */
export type OpenApiSchema = { readonly [key: string]: unknown };

/** Schemas by their full names, such as `io.k8s.api.core.v1.Pod`. */
export type Definitions = ReadonlyMap<string, OpenApiSchema>;

export function referenceTo(name: string): { readonly $ref: string } {
  return { $ref: `${SCHEMAS}${name}` };
}

/**
 * A reference with further keywords. OpenAPI ignores keywords next to a `$ref`, so the reference is wrapped.
 */
export function describedReference(
  description: string,
  name: string,
  more: { readonly default?: unknown } = {},
): OpenApiSchema {
  return { description, ...more, allOf: [referenceTo(name)] };
}

/** The names of the definitions that a part of a document refers to. */
export function referredNames(part: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      if (key === '$ref' && typeof child === 'string') names.add(child.slice(SCHEMAS.length));
      else visit(child);
    }
  };
  visit(part);
  return names;
}

const SCHEMAS = '#/components/schemas/';
