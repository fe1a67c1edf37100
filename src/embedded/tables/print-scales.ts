/**
 * Printers of Scale.
 */

import { numberAt } from '../../base/json-fields.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import { AGE, age, creationAge, integer, NAME, name, printer } from './printer.ts';

const desired = integer('Desired', (scale) => numberAt(scale, 'spec', 'replicas'));
const available = integer('Available', (scale) => numberAt(scale, 'status', 'replicas'));

/** For built-in kinds, whose name column lacks the format `name`. */
export const scalePrinter = printer(
  {
    Desired: ['replicas is the desired number of instances for the scaled object.'],
    Available: ['replicas is the actual number of observed instances of the scaled object.'],
  },
  [{ column: { ...NAME, format: '' }, cell: nameOf }, desired, available, age],
);

export const customScalePrinter = printer(
  { Desired: ['Number of desired replicas'], Available: ['Number of actual replicas'] },
  [name, desired, available, { column: { ...AGE, type: 'date' }, cell: creationAge }],
);
