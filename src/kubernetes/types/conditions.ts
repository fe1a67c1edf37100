/**
 * Conditions, in their newer and older forms.
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

/** The condition of newer kinds. The limits on it in CRDs are not checked for built-in kinds. */
const condition = struct('meta.Condition', 'One aspect of the state of the object.', {
  type: required(string('The type of the condition, in CamelCase.')),
  status: required(named('meta.ConditionStatus', string('True, False or Unknown.'))),
  reason: required(string('The reason in one CamelCase word.')),
  message: required(string('The reason for people; may be empty.')),
  lastTransitionTime: required(dateTime('When the status last changed.')),
  observedGeneration: int64('The observed generation of the object.'),
});
export type Condition = Infer<typeof condition>;

export const conditions = (description: string): Schema<readonly Condition[]> =>
  keyed(description, condition, ['type']);

/** The same, where strategic merge patches replace the whole list. */
export const replacedConditions = (description: string): Schema<readonly Condition[]> =>
  list(description, condition, { list: { map: ['type'] } });

/** The common fields of the older conditions, of which each kind has a Go type of its own. */
export const conditionFields = (goType: string, statusType = 'core.ConditionStatus') => ({
  type: always(named(`${goType}Type`, string('The type of the condition, in CamelCase.'))),
  status: always(named(statusType, string('True, False or Unknown.'))),
  reason: string('The reason in one CamelCase word.'),
  message: string('The reason for people.'),
  lastTransitionTime: nullableTime('When the status last changed.'),
});

export const legacyCondition = (goType: string, statusType?: string) =>
  struct(goType, 'One aspect of the state of the object.', conditionFields(goType, statusType));
