/**
 * Collects the problems and warnings of validation.
 */
import type { Problem } from '../../base/errors.ts';

export type Report = { readonly problems: Problem[]; readonly warnings: Problem[] };

export function fail(report: Report, path: string, message: string | undefined): void {
  if (message !== undefined) report.problems.push({ path, message, reason: 'FieldValueInvalid' });
}

export function warn(report: Report, path: string, message: string | undefined): void {
  if (message !== undefined) report.warnings.push({ path, message });
}
