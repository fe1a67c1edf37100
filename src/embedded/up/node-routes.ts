/**
 * What can be asked of a node of the embedded cluster beside what kubelets answer: what people do with
 * `oc debug node/NAME -- chroot /host …` elsewhere. The way is `/api/v1/nodes/NAME/proxy/PATH`.
 *
 *     GET  /healthz                     ok
 *     GET  /os/status                   rpm-ostree status
 *     GET  /files/list?path=P           ls -l P, as JSON
 *     GET  /files/content?path=P        cat P
 *     POST /files/touch?path=P          touch P
 *     POST /images/pull?image=I         crictl pull I: a line of JSON for each step, the last one with the result
 *     POST /reboot                      systemctl reboot
 *
 * A refusal is a Status, as the API server's are. Anything else is not known here and answered as a kubelet does.
 */

import { Failure } from '../../base/errors.ts';
import type { Host } from '../../node/host/index.ts';
import type { NodeProxyRequest, NodeProxyResponse } from '../apiserver/index.ts';
import type { SandboxMachine } from '../sandbox/index.ts';
import { listFiles, noSuchFile, touchFile } from './node-files.ts';
import type { NodePull } from './node-images.ts';
import { pullLines } from './node-pull-lines.ts';

type NodeRoutesOptions = {
  readonly machineOf: (name: string) => SandboxMachine | undefined;
  readonly pull: NodePull;
};

/** What the details of its refusals are about. */
const SANDBOX_KIND = 'sandboxes';

type NodeRoutesRequest = Pick<NodeProxyRequest, 'node' | 'method' | 'path' | 'query'>;

export type NodeRoutes = (request: NodeRoutesRequest) => Promise<NodeProxyResponse>;

export function createNodeRoutes(options: NodeRoutesOptions): NodeRoutes {
  return async ({ node, method, path, query }) => {
    const found = ROUTES.get(path);
    if (found === undefined) return text(404, '404 page not found\n');
    const [allowed, answer] = found;
    if (method !== allowed && !(method === 'HEAD' && allowed === 'GET')) {
      const message = `${path} is asked with ${allowed}, not with ${method}`;
      return refused(node, { code: 405, reason: 'MethodNotAllowed', message });
    }
    const machine = options.machineOf(node);
    if (machine?.isUp !== true) return down(node);
    try {
      const { host } = machine;
      return await answer({ node, host, query: new URLSearchParams(query), pull: options.pull });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // What was asked of it is void, whatever it ended with.
      if (!machine.isUp) return down(node);
      return refused(node, { ...meaningOf(error), message: error.message });
    }
  };
}

type Asked = {
  readonly node: string;
  readonly host: Host;
  readonly query: URLSearchParams;
  readonly pull: NodePull;
};

type Answer = (asked: Asked) => Promise<NodeProxyResponse>;

const ROUTES: ReadonlyMap<string, readonly [method: 'GET' | 'POST', answer: Answer]> = new Map([
  ['/healthz', ['GET', async () => text(200, 'ok')]],
  ['/os/status', ['GET', async ({ host }) => text(200, await host.os.status())]],
  ['/files/list', ['GET', async ({ host, query }) => json(200, await listFiles(host, pathOf(query)))]],
  ['/files/content', ['GET', fileContent]],
  ['/files/touch', ['POST', async ({ host, query }) => json(200, await touchFile(host, pathOf(query)))]],
  ['/images/pull', ['POST', pullImage]],
  ['/reboot', ['POST', reboot]],
]);

async function fileContent({ host, query }: Asked): Promise<NodeProxyResponse> {
  const path = pathOf(query);
  const bytes = await host.files.read(path);
  if (bytes === undefined) throw noSuchFile(`open ${path}`);
  return answered(200, 'application/octet-stream', bytes);
}

async function pullImage({ host, query, pull }: Asked): Promise<NodeProxyResponse> {
  const image = query.get('image') ?? '';
  if (image === '') throw new Failure('usage', 'BadRequest', 'name an image: ?image=NAME');
  return {
    status: 200,
    headers: [['content-type', 'application/x-ndjson']],
    body: pullLines((progress) => pull(host, image, progress)),
  };
}

async function reboot({ node, host }: Asked): Promise<NodeProxyResponse> {
  await host.reboot('somebody asked for a reboot of the node');
  return json(202, { node, bootId: await host.bootId() });
}

function pathOf(query: URLSearchParams): string {
  const path = query.get('path') ?? '';
  if (path.startsWith('/') && !path.includes('\0')) return path;
  throw new Failure('usage', 'BadRequest', 'name an absolute path: ?path=/etc/hostname');
}

type Meaning = { readonly code: number; readonly reason: string };

const MEANINGS: ReadonlyMap<string, Meaning> = new Map([
  ['NotFound', { code: 404, reason: 'NotFound' }],
  ['PermissionDenied', { code: 403, reason: 'Forbidden' }],
  ['ReadOnly', { code: 403, reason: 'Forbidden' }],
  ['FileTooLarge', { code: 413, reason: 'RequestEntityTooLarge' }],
]);

function meaningOf({ kind, reason }: Failure): Meaning {
  const other =
    kind === 'transient' ? { code: 503, reason: 'ServiceUnavailable' } : { code: 400, reason: 'BadRequest' };
  return MEANINGS.get(reason) ?? other;
}

function down(node: string): NodeProxyResponse {
  const message = `node ${node} is down: it reboots, or somebody switched it off; try again once it is up`;
  return refused(node, { code: 503, reason: 'ServiceUnavailable', message });
}

/** The details tell it from a refusal of the server, and from what a kubelet says that knows nothing of this. */
function refused(node: string, why: Meaning & { readonly message: string }): NodeProxyResponse {
  const details = { name: node, kind: SANDBOX_KIND };
  return json(why.code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', ...why, details });
}

function json(status: number, value: object): NodeProxyResponse {
  return answered(status, 'application/json', utf8.encode(`${JSON.stringify(value)}\n`));
}

function text(status: number, body: string): NodeProxyResponse {
  return answered(status, 'text/plain; charset=utf-8', utf8.encode(body));
}

function answered(status: number, contentType: string, bytes: Uint8Array): NodeProxyResponse {
  const headers = [
    ['content-type', contentType],
    ['content-length', String(bytes.length)],
  ] as const;
  return { status, headers, body: once(bytes) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const utf8 = new TextEncoder();
