/**
 * Conditions: what is true of an in the forms that grew over time.
 */
import {
  dateTime,
  type Infer,
  int64,
  list,
  named,
  required,
  type Schema,
  string,
  struct,
} from '../schema/index.ts';
import { always, keyed, nullableTime } from './fields.ts';

/** The condition that newer kinds share. The limits that CRDs put on it are not checked for built-in kinds. */
const condition = struct('meta.Condition', 'One thing that is true of the or is not, and why.', {
  type: required(string('What it is about, in CamelCase.')),
  status: required(named('meta.ConditionStatus', string('True, False or Unknown.'))),
  reason: required(string('Why, in one CamelCase word.')),
  message: required(string('Why, in a sentence; may be empty.')),
  lastTransitionTime: required(dateTime('When the status last changed.')),
  observedGeneration: int64('The generation of the object for which this was said.'),
});
export type Condition = Infer<typeof condition>;

export const conditions = (description: string): Schema<readonly Condition[]> =>
  keyed(description, condition, ['type']);

/** The same, where strategic merge patches replace the whole list. */
export const replacedConditions = (description: string): Schema<readonly Condition[]> =>
  list(description, condition, { list: { map: ['type'] } });

/** The common fields of the older conditions, of which each kind has a Go type of its own. */
export const conditionFields = (goType: string, statusType = 'core.ConditionStatus') => ({
  type: always(named(`${goType}Type`, string('What it is about, in CamelCase.'))),
  status: always(named(statusType, string('True, False or Unknown.'))),
  reason: string('Why, in one CamelCase word.'),
  message: string('Why, in a sentence.'),
  lastTransitionTime: nullableTime('When the status last changed.'),
});

export const legacyCondition = (goType: string, statusType?: string) =>
  struct(goType, 'One thing that is true of the or is not, and why.', conditionFields(goType, statusType));
