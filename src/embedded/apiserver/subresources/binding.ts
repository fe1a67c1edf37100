/** `pods/binding` and `bindings`: assigns a pod to a node. */
import { binding, type Status } from '../../../kubernetes/types/index.ts';
import { bindPod as boundPod } from '../../resources/index.ts';
import { conflict, notFound, STALE } from '../../status/index.ts';
import type { Call } from '../call.ts';
import type { Response } from '../http/http.ts';
import { statusResponse } from '../response.ts';
import { nowText, type ServerContext } from '../server-context.ts';
import { keyOf, readObject } from '../store/records.ts';
import { metadataOf } from '../store/stored-object.ts';
import { otherUidText } from '../verbs/guaranteed-update.ts';
import { withinSizeLimit } from '../verbs/size-limit.ts';
import { bodyResource, readSubresourceBody } from './body-resource.ts';

const bindings = bodyResource(binding, 'bindings');
const MAX_ATTEMPTS = 100;

export const CREATED: Status = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  code: 201,
};

export async function bindPod(server: ServerContext, call: Call): Promise<Response> {
  const { info, request, warnings } = call;
  const pods = call.resource;
  const { sent, options } = readSubresourceBody(call, bindings);
  const name = info.name === '' ? metadataOf(sent).name : info.name;
  const { uid = '' } = metadataOf(sent);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const live = readObject(server.store, pods, info.namespace, name);
    if (live === undefined) throw notFound(pods, name);
    const liveUid = metadataOf(live.object).uid ?? '';
    if (uid !== '' && uid !== liveUid) {
      const place = { namespace: info.namespace, name };
      throw conflict(pods, name, otherUidText(pods, place, { uid, liveUid }));
    }
    const result = boundPod(live.object, sent, nowText(server));
    if (result.kind === 'error') throw result;
    if (options.isDryRun) return statusResponse(CREATED, { request, warnings });
    const { value } = withinSizeLimit(server, pods, result.pod);
    const key = keyOf(pods, info.namespace, name);
    const put = await server.store.commit([{ kind: 'put', key, expect: live.revision, value }]);
    if (put.kind === 'committed') return statusResponse(CREATED, { request, warnings });
  }
  throw conflict(pods, name, STALE);
}
