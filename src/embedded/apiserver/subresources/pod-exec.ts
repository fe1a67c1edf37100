/** `pods/exec` and `pods/attach`: rejected, as containers run no programs. */
import { stringAt } from '../../../base/json-fields.ts';
import { noProgramsText } from '../../resources/index.ts';
import { notFound, statusError } from '../../status/index.ts';
import type { Call } from '../call.ts';
import type { ServerContext } from '../server-context.ts';
import { readObject } from '../store/records.ts';

export function rejectExec({ store }: ServerContext, { resource: pods, info, query }: Call): never {
  const live = readObject(store, pods, info.namespace, info.name);
  if (live === undefined) throw notFound(pods, info.name);
  const why = noProgramsText(stringAt(live.object, 'spec', 'nodeName'), query.all('command'));
  throw statusError({
    code: 501,
    message: `pods/${info.subresource} is not supported by this server: ${why}`,
  });
}
