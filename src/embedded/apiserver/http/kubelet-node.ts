/**
 * The client of kubelets over HTTPS. The certificate of a node is not verified, since its issuer is unknown; the
 * server presents its own client certificate.
 */
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Failure } from '../../../base/errors.ts';
import type { PemPair } from '../../../certificates/index.ts';
import type { Kubelet, NodeProxyRequest } from '../subresources/kubelet.ts';
import type { Response } from './http.ts';
import { incomingText, outgoingHeaders } from './outgoing-headers.ts';

/** Timeout until the response begins; after that a node may be silent for longer. */
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
      host,
      port,
      method,
      path: escaped(`${path}${query === '' ? '' : `?${query}`}`),
      // Without a content length, the body of a DELETE would be lost.
      headers: { ...sentHeaders(headers), ...(body.length === 0 ? {} : { 'content-length': body.length }) },
      cert: certPem,
      key: keyPem,
      rejectUnauthorized: false,
      ...(signal === undefined ? {} : { signal }),
    });
    sent.setTimeout(ANSWER_TIMEOUT_MS, () => sent.destroy(new Error('it does not answer')));
    // Errors after the response has begun also appear in the body.
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

/** Escapes characters that a URL must not contain. */
function escaped(path: string): string {
  return path.replace(/[^\x21-\x7e]+/g, encodeURIComponent);
}

/** In order, with repetitions. */
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
