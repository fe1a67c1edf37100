/**
 * Conditions: what is true of an object, in the forms that grew over time.
 */
import { dateTime, type Infer, int64, list, object, required, type Schema, string } from '../schema/index.ts';
import { always, keyed, stamp } from './fields.ts';

/** The condition that newer kinds share. The limits that CRDs put on it are not checked for built-in kinds. */
const condition = object('One thing that is true of the object, or is not, and why.', {
  type: required(string('What it is about, in CamelCase.')),
  status: required(string('True, False or Unknown.')),
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

/** What the older conditions, each of one kind, have in common. */
export const conditionFields = {
  type: always(string('What it is about, in CamelCase.')),
  status: always(string('True, False or Unknown.')),
  reason: string('Why, in one CamelCase word.'),
  message: string('Why, in a sentence.'),
  lastTransitionTime: stamp('When the status last changed.'),
};

export const olderCondition = object(
  'One thing that is true of the object, or is not, and why.',
  conditionFields,
);
