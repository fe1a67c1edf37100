/** `pods/binding`, and `bindings`: a scheduler puts a pod on a node. */
import { binding, type Status } from '../../../kubernetes/types/index.ts';
import { bindPod as boundPod } from '../../resources/index.ts';
import { conflict, notFound, STALE } from '../../status/index.ts';
import { type Call, nowText, type World } from '../call.ts';
import type { Response } from '../http/http.ts';
import { answerStatus } from '../response.ts';
import { keyOf, readObject } from '../store/records.ts';
import { metadataOf } from '../store/stored-object.ts';
import { otherUidText } from '../verbs/guaranteed-update.ts';
import { fitObject } from '../verbs/size-limit.ts';
import { bodyResource, readDoorBody } from './body-resource.ts';

const bindings = bodyResource(binding, 'bindings');
const MAX_ATTEMPTS = 100;

export const CREATED: Status = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  code: 201,
};

export async function bindPod(world: World, call: Call): Promise<Response> {
  const { info, request, warnings } = call;
  const pods = call.resource;
  const { sent, options } = readDoorBody(call, bindings);
  const name = info.name === '' ? metadataOf(sent).name : info.name;
  const { uid = '' } = metadataOf(sent);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const live = readObject(world.store, pods, info.namespace, name);
    if (live === undefined) throw notFound(pods, name);
    const liveUid = metadataOf(live.object).uid ?? '';
    if (uid !== '' && uid !== liveUid) {
      const place = { namespace: info.namespace, name };
      throw conflict(pods, name, otherUidText(pods, place, { uid, liveUid }));
    }
    const result = boundPod(live.object, sent, nowText(world));
    if (result.kind === 'error') throw result;
    if (options.isDryRun) return answerStatus(CREATED, { request, warnings });
    const { value } = fitObject(world, pods, result.pod);
    const key = keyOf(pods, info.namespace, name);
    const put = await world.store.commit([{ kind: 'put', key, expect: live.revision, value }]);
    if (put.kind === 'committed') return answerStatus(CREATED, { request, warnings });
  }
  throw conflict(pods, name, STALE);
}
