/** The result of a patch. */
import type { Problem } from '../../base/errors.ts';
import type { StatusError } from '../status/index.ts';

export type Patched<T> = Success<T> | StatusError;

export type Success<T> = { readonly kind: 'ok'; readonly value: T; readonly warnings: readonly Problem[] };

export function patched<T>(value: T, warnings: readonly Problem[] = []): Success<T> {
  return { kind: 'ok', value, warnings };
}
