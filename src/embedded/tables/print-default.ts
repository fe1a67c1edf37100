/**
 * How kinds are printed that have no printer of their own, such as roles and definitions of custom resources.
 */
import { stringAt } from '../../base/json-fields.ts';
import { AGE, name, type Printer, printer } from './printer.ts';

/** They show the moment in place of an age, and no rows at all in place of an empty list. */
export const defaultPrinter: Printer = {
  ...printer({}, [name, { column: { ...AGE, name: 'Created At', type: 'date' }, cell: createdAt }]),
  noRows: null,
};

/** The year one is how Kubernetes writes that a time is not set. */
function createdAt(object: unknown): string {
  return stringAt(object, 'metadata', 'creationTimestamp') || '0001-01-01T00:00:00Z';
}
