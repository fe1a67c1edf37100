/** The default field manager of a request: the program in its user agent. */
import { byteLength } from '../../base/json.ts';
import { isPrint } from '../../base/text/index.ts';

const MAX_MANAGER_BYTES = 128;

/** `kubectl/v1.33.1 (linux/amd64)` → `kubectl`. */
export function managerName(fieldManager: string, userAgent: string): string {
  if (fieldManager !== '') return fieldManager;
  let name = '';
  for (const character of userAgent.split('/', 1)[0] ?? '') {
    if (!isPrint(character)) continue;
    if (byteLength(name + character) > MAX_MANAGER_BYTES) break;
    name += character;
  }
  return name;
}
