/** The name of an object, of whatever may be none. */
import { isObject, own } from '../../base/json.ts';

export function nameOf(object: unknown): string | undefined {
  const metadata = isObject(object) ? own(object, 'metadata') : undefined;
  const name = isObject(metadata) ? own(metadata, 'name') : undefined;
  return typeof name === 'string' ? name : undefined;
}
