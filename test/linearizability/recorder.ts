/** Calls of ConfigMaps over a socket, with what was asked and answered and when: the history of each name. */
import { performance } from 'node:perf_hooks';
import type { Answer as HttpAnswer, HttpClient } from '../contract/http-client.ts';
import type { Operation } from './linearizable.ts';
import type { Answer, Call, Data, Shown } from './object-model.ts';

export type Recorder = {
  /** Undefined where no answer came: it may have happened, or not. */
  readonly ask: (name: string, call: Call) => Promise<Answer | undefined>;
  readonly histories: () => ReadonlyMap<string, readonly Operation<Call, Answer>[]>;
};

export function createRecorder(client: () => HttpClient, namespace: string): Recorder {
  const histories = new Map<string, Operation<Call, Answer>[]>();
  return {
    async ask(name, call) {
      const history = histories.get(name) ?? [];
      histories.set(name, history);
      const calledAt = performance.now();
      try {
        const answer = answerOf(await send(client(), { namespace, name, call }));
        history.push({ call, calledAt, answered: { answer, at: performance.now() } });
        return answer;
      } catch {
        // The connection broke: the operation has no result in the history.
        history.push({ call, calledAt });
        return undefined;
      }
    },
    histories: () => histories,
  };
}

type Sent = { readonly namespace: string; readonly name: string; readonly call: Call };

function send({ request }: HttpClient, { namespace, name, call }: Sent): Promise<HttpAnswer> {
  const collection = `/api/v1/namespaces/${namespace}/configmaps`;
  const path = `${collection}/${name}`;
  const configMap = (data: Data, metadata: object = {}) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...metadata },
    data,
  });
  switch (call.kind) {
    case 'get':
      return request('GET', path);
    case 'create':
      return request('POST', collection, { body: configMap(call.data) });
    case 'update':
      return request('PUT', path, { body: configMap(call.data, { resourceVersion: String(call.version) }) });
    case 'exchange': {
      const at = `/data/${call.field}`;
      const body = [
        { op: 'test', path: at, value: call.from },
        { op: 'replace', path: at, value: call.to },
      ];
      return request('PATCH', path, { contentType: 'application/json-patch+json', body });
    }
    case 'apply': {
      const contentType = 'application/apply-patch+yaml';
      const body = configMap({ [call.field]: call.value });
      return request('PATCH', `${path}?fieldManager=manager-${call.field}&force=true`, { contentType, body });
    }
    case 'delete': {
      const { uid, version } = call;
      const resourceVersion = version === undefined ? undefined : String(version);
      return request('DELETE', path, { body: { preconditions: { uid, resourceVersion } } });
    }
  }
}

function answerOf({ status, json }: HttpAnswer): Answer {
  if (status >= 300) return { status, reason: String(json.reason) };
  return String(json.kind) === 'ConfigMap' ? { status, shown: shownOf(json) } : { status };
}

/** As much of an object as the model knows. */
export function shownOf(object: HttpAnswer['json']): Shown {
  const { uid, resourceVersion } = object.metadata ?? {};
  return { uid: String(uid), version: Number(resourceVersion), data: dataOf(object) };
}

function dataOf({ data = {} }: HttpAnswer['json']): Data {
  return Object.fromEntries(Object.entries(data).map(([field, value]) => [field, String(value)]));
}
