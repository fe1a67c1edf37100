/** `/healthz`, `/livez` and `/readyz`: the server answers, so it is well. */
import { plainText } from './answer.ts';
import type { Request, Response } from './http.ts';
import type { Query } from './query-options.ts';

const PATHS = ['healthz', 'livez', 'readyz'];
/** The one check that there is, under the name that clients know. */
const CHECK = 'ping';

export function healthAnswer(request: Request, query: Query): Response | undefined {
  const [, root = '', check, ...rest] = request.path.split('/');
  if (!PATHS.includes(root) || rest.length > 0) return undefined;
  if (check !== undefined) return check === CHECK ? plainText(200, 'ok', request) : undefined;
  if (!query.has('verbose')) return plainText(200, 'ok', request);
  return plainText(200, `[+]${CHECK} ok\n${root} check passed\n`, request);
}
