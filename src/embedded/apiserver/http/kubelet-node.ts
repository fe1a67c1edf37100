/**
 * Nodes reached over HTTPS, as a real server reaches kubelets. The certificate of a node is not checked, since nothing
 * says who signs those; the server shows its own, so that a node can check whom it answers.
 */
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Failure } from '../../../base/errors.ts';
import type { PemPair } from '../pki/pki.ts';
import type { Kubelet, NodeProxyRequest } from '../subresources/kubelet.ts';
import type { Response } from './http.ts';
import { incomingText, outgoingHeaders } from './outgoing-headers.ts';

/** A node that says nothing for so long is taken for dead; once it has begun to answer it may be silent for longer. */
const ANSWER_TIMEOUT_MS = 30_000;

export function createKubelet(certificate: PemPair): Kubelet {
  return {
    async containerLog({ namespace, pod, container, ...request }) {
      const path = `/${['containerLogs', namespace, pod, container].map(encodeURIComponent).join('/')}`;
      const nothing = { method: 'GET', headers: {}, body: new Uint8Array() };
      const response = await ask(certificate, { ...nothing, ...request, path });
      return {
        status: response.statusCode ?? 500,
        contentType: response.headers['content-type'] ?? 'text/plain',
        body: response,
      };
    },
    async proxy(request) {
      const response = await ask(certificate, request);
      return { status: response.statusCode ?? 500, headers: headersOf(response), body: response };
    },
  };
}

function ask({ certPem, keyPem }: PemPair, request: NodeProxyRequest): Promise<IncomingMessage> {
  const { host, port, method, path, query, headers, body, signal } = request;
  return new Promise((resolve, reject) => {
    const sent = httpsRequest({
      ...{ host, port, method, path: escaped(`${path}${query === '' ? '' : `?${query}`}`) },
      // The length is told, or a body of a DELETE would be lost.
      headers: { ...sentHeaders(headers), ...(body.length === 0 ? {} : { 'content-length': body.length }) },
      ...{ cert: certPem, key: keyPem, rejectUnauthorized: false },
      ...(signal === undefined ? {} : { signal }),
    });
    sent.setTimeout(ANSWER_TIMEOUT_MS, () => sent.destroy(new Error('it does not answer')));
    // Also what comes after the answer has begun is heard, though by then the body tells it.
    sent.on('error', (error) => reject(unreachable(request, error)));
    sent.once('response', (response) => {
      sent.setTimeout(0);
      resolve(response);
    });
    sent.end(body);
  });
}

function sentHeaders(headers: NodeProxyRequest['headers']): Record<string, string> {
  const turns = outgoingHeaders(Object.entries(headers), []);
  return Object.fromEntries(turns.flatMap((name, at) => (at % 2 === 0 ? [[name, turns[at + 1] ?? '']] : [])));
}

/** What a client wrote into its query as it is goes as an address may have it. */
function escaped(path: string): string {
  return path.replace(/[^\x21-\x7e]+/g, encodeURIComponent);
}

/** As they came: a name may come more than once. */
function headersOf({ rawHeaders }: IncomingMessage): Response['headers'] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    pairs.push([(rawHeaders[at] ?? '').toLowerCase(), incomingText(rawHeaders[at + 1] ?? '')]);
  }
  return pairs;
}

function unreachable({ node, host, port }: NodeProxyRequest, cause: Error): Failure {
  const message = `node ${node} at ${host}:${port}: ${cause.message}`;
  return new Failure('transient', 'NodeUnreachable', message, cause);
}
