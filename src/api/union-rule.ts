/**
 * The rule of a union: a field that belongs to one value of a discriminator must be there with that value and
 * with no other.
 */
import type { ValidationRule } from '../kubernetes/schema/index.ts';

type UnionMember = {
  /** The field that comes and goes. */
  readonly field: string;
  /** The required field beside it that decides. */
  readonly by: string;
  readonly value: string;
  /** For the one union whose known text is another. */
  readonly message?: string;
};

export function unionMember({ field, by, value, message }: UnionMember): ValidationRule {
  return {
    rule: `has(self.${field}) == (self.${by} == '${value}')`,
    message: message ?? `${field} is required when ${by} is ${value}, and forbidden otherwise`,
  };
}
