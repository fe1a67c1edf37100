/**
 * The rule of a discriminated union: a member field is required for its discriminator value and forbidden for all
 * others.
 */
import type { ValidationRule } from '../kubernetes/schema/index.ts';

type UnionMember = {
  /** The member field. */
  readonly field: string;
  /** The discriminator. */
  readonly by: string;
  readonly value: string;
  /** For the one union with another message upstream. */
  readonly message?: string;
};

export function unionMember({ field, by, value, message }: UnionMember): ValidationRule {
  return {
    rule: `has(self.${field}) == (self.${by} == '${value}')`,
    message: message ?? `${field} is required when ${by} is ${value}, and forbidden otherwise`,
  };
}
