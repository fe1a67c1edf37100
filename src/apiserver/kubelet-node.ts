/**
 * Nodes reached over HTTPS, as a real server reaches kubelets. The certificate of a node is not checked, since nothing
 * says who signs those; the server shows its own, so that a node can check whom it answers.
 */
import { request as httpsRequest } from 'node:https';
import { Failure } from '../errors.ts';
import type { ContainerLog, ContainerLogRequest, Kubelet } from './kubelet.ts';
import type { PemPair } from './pki.ts';

/** A node that says nothing for so long is taken for dead; a log that is followed may be silent for longer. */
const ANSWER_TIMEOUT_MS = 30_000;

export function createKubelet({ certPem, keyPem }: PemPair): Kubelet {
  return {
    containerLog: (request) =>
      new Promise((resolve, reject) => {
        const { host, port, namespace, pod, container, query, signal } = request;
        const path = ['containerLogs', namespace, pod, container].map(encodeURIComponent).join('/');
        const sent = httpsRequest({
          host,
          port,
          path: `/${path}${query === '' ? '' : `?${query}`}`,
          cert: certPem,
          key: keyPem,
          rejectUnauthorized: false,
          ...(signal === undefined ? {} : { signal }),
        });
        sent.setTimeout(ANSWER_TIMEOUT_MS, () => sent.destroy(new Error('it does not answer')));
        sent.once('error', (error) => reject(unreachable(request, error)));
        sent.once('response', (response) => {
          sent.setTimeout(0);
          const log: ContainerLog = {
            status: response.statusCode ?? 500,
            contentType: response.headers['content-type'] ?? 'text/plain',
            body: response,
          };
          resolve(log);
        });
        sent.end();
      }),
  };
}

function unreachable({ node, host, port }: ContainerLogRequest, cause: Error): Failure {
  const message = `node ${node} at ${host}:${port}: ${cause.message}`;
  return new Failure('transient', 'NodeUnreachable', message, cause);
}
