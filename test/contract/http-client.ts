/** A plain HTTP client: no retries, and responses unchanged. */

import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { Credentials } from '../kubernetes/kubeconfig.ts';
import { type Loose, looseFrom } from './loose.ts';
import { openWatch, type Watch } from './watch.ts';

export type Answer = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The texts of the `Warning` headers, without the code and the quotes around them. */
  readonly warnings: readonly string[];
  readonly body: string;
  /** The body as JSON; an empty object where it is none. */
  readonly json: Loose;
};

export type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type AskOptions = {
  /** Text and bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  /** The user; default: the administrator. */
  readonly user?: Credentials;
  readonly headers?: Readonly<Record<string, string>>;
};

export type HttpClient = {
  readonly request: (method: Method, path: string, options?: AskOptions) => Promise<Answer>;
  /** Rejects unless the status is 200: a watch that fails is an ordinary request. */
  readonly watch: (path: string, options?: AskOptions) => Promise<Watch>;
  readonly close: () => void;
};

export type ServerAddress = { readonly url: string; readonly ca: string; readonly admin: Credentials };

/** A longer response means that the server hangs. */
const ANSWER_TIMEOUT_MS = 120_000;

export function connect({ url, ca, admin }: ServerAddress): HttpClient {
  const agents = new Map<Credentials, Agent>();
  const agentOf = (user: Credentials): Agent => {
    const agent = agents.get(user) ?? new Agent({ ca, keepAlive: true, ...certificateOf(user) });
    agents.set(user, agent);
    return agent;
  };
  const open = (method: Method, path: string, options: AskOptions): Promise<IncomingMessage> => {
    const { user = admin, body } = options;
    const bytes = body === undefined ? undefined : bytesOf(body);
    const headers = headersOf(user, options);
    // Without a content length, the body of a DELETE would be lost.
    if (bytes !== undefined) headers['content-length'] = String(bytes.length);
    const sent: RequestOptions = { method, agent: agentOf(user), headers };
    return new Promise((resolve, reject) => {
      const request = httpsRequest(`${url}${path}`, sent, resolve);
      request.setTimeout(ANSWER_TIMEOUT_MS, () => {
        request.destroy(new Error(`${method} ${path}: silence for ${ANSWER_TIMEOUT_MS} ms`));
      });
      request.once('error', reject);
      request.end(bytes);
    });
  };
  return {
    request: async (method, path, options = {}) => answerOf(await open(method, path, options)),
    async watch(path, options = {}) {
      const response = await open('GET', path, options);
      if (response.statusCode === 200) return openWatch(response);
      const { status, body } = await answerOf(response);
      throw new Error(`watching ${path}: ${status} ${body}`);
    },
    close() {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

function certificateOf(user: Credentials): { readonly cert?: string; readonly key?: string } {
  return 'cert' in user ? { cert: user.cert, key: user.key } : {};
}

function headersOf(user: Credentials, options: AskOptions): Record<string, string> {
  const { body, contentType = 'application/json', accept = 'application/json', headers } = options;
  return {
    accept,
    ...(body === undefined ? {} : { 'content-type': contentType }),
    ...('token' in user ? { authorization: `Bearer ${user.token}` } : {}),
    ...headers,
  };
}

function bytesOf(body: unknown): Buffer {
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

async function answerOf(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  // A response that was given no encoding yields bytes.
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  const { statusCode: status = 0, headers } = response;
  return { status, headers, warnings: warningsOf(response), body, json: looseFrom(body) };
}

/** Each is `299 - "text"`, with quotes and backslashes in the text escaped. */
function warningsOf(response: IncomingMessage): readonly string[] {
  return (response.headersDistinct.warning ?? []).map((value) =>
    value.replace(/^299 - "(.*)"$/s, '$1').replace(/\\(.)/g, '$1'),
  );
}
