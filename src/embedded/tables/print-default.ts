/**
 * The default printer, for kinds such as Roles and CustomResourceDefinitions.
 */
import { stringAt } from '../../base/json-fields.ts';
import { AGE, name, type Printer, printer } from './printer.ts';

/** It prints the creation time instead of the age, and null rows for an empty list. */
export const defaultPrinter: Printer = {
  ...printer({}, [name, { column: { ...AGE, name: 'Created At', type: 'date' }, cell: createdAt }]),
  noRows: null,
};

/** Kubernetes writes the year one for an unset time. */
function createdAt(object: unknown): string {
  return stringAt(object, 'metadata', 'creationTimestamp') || '0001-01-01T00:00:00Z';
}
