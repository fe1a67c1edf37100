/**
 * Routes of a sandbox node beyond those of a kubelet, at `/api/v1/nodes/NAME/proxy/PATH`: the equivalent of
 * `oc debug node/NAME -- chroot /host …`.
 *
 *     GET  /healthz                     ok
 *     GET  /os/status[?charset=utf-8]   rpm-ostree status, in a UTF-8 locale or not
 *     POST /os/pivot?image=I            stage an OS image: JSON lines, the last one with the result
 *     GET  /files/list?path=P           ls -l P, as JSON
 *     GET  /files/content?path=P        cat P
 *     POST /files/touch?path=P          touch P
 *     POST /images/pull?image=I         crictl pull I: JSON lines, the last one with the result
 *     POST /reboot                      systemctl reboot
 *     POST /machines/add?pool=P[&name=N]   adds a machine to the cluster, whichever node is asked: JSON lines
 *     POST /machines/remove?name=N[&force=true]   drains and removes a machine: JSON lines
 *
 * Errors are Status objects like those of the API server. Unknown paths are answered like a kubelet does.
 */

import { Failure } from '../../base/errors.ts';
import type { Host } from '../../node/host/index.ts';
import { pivot } from '../../processes/pivot.ts';
import type { NodeProxyRequest, NodeProxyResponse } from '../apiserver/index.ts';
import type { SandboxMachine } from '../sandbox/index.ts';
import type { Fleet } from './joining/fleet.ts';
import { listFiles, noSuchFile, touchFile } from './node-files.ts';
import type { NodePull, PullProgress } from './node-images.ts';
import { pullLines } from './node-pull-lines.ts';

type NodeRoutesOptions = {
  readonly machineOf: (name: string) => SandboxMachine | undefined;
  readonly pull: NodePull;
  /** Absent where machines cannot be added. */
  readonly fleet?: Pick<Fleet, 'add' | 'remove'>;
};

/** The `details.kind` of errors. */
const SANDBOX_KIND = 'sandboxes';

type NodeRoutesRequest = Pick<NodeProxyRequest, 'node' | 'method' | 'path' | 'query' | 'signal'>;

export type NodeRoutes = (request: NodeRoutesRequest) => Promise<NodeProxyResponse>;

export function createNodeRoutes(options: NodeRoutesOptions): NodeRoutes {
  return async ({ node, method, path, query, signal }) => {
    const found = ROUTES.get(path);
    if (found === undefined) return text(404, '404 page not found\n');
    const [allowed, handler] = found;
    if (method !== allowed && !(method === 'HEAD' && allowed === 'GET')) {
      const message = `${path} supports ${allowed}, not ${method}`;
      return errorStatus(node, { code: 405, reason: 'MethodNotAllowed', message });
    }
    const machine = options.machineOf(node);
    if (machine?.isUp !== true) return down(node);
    try {
      const { host } = machine;
      return await handler({ ...options, node, machine, host, query: new URLSearchParams(query), signal });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // The machine went down during the request.
      if (!machine.isUp) return down(node);
      return errorStatus(node, { ...statusReasonOf(error), message: error.message });
    }
  };
}

type RouteContext = Pick<NodeRoutesOptions, 'fleet' | 'pull'> & {
  readonly node: string;
  readonly machine: SandboxMachine;
  readonly host: Host;
  readonly query: URLSearchParams;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal | undefined;
};

type RouteHandler = (context: RouteContext) => Promise<NodeProxyResponse>;

const ROUTES: ReadonlyMap<string, readonly [method: 'GET' | 'POST', handler: RouteHandler]> = new Map([
  ['/healthz', ['GET', async () => text(200, 'ok')]],
  ['/os/status', ['GET', osStatus]],
  ['/os/pivot', ['POST', pivotToImage]],
  ['/files/list', ['GET', async ({ host, query }) => json(200, await listFiles(host, pathOf(query)))]],
  ['/files/content', ['GET', fileContent]],
  ['/files/touch', ['POST', async ({ host, query }) => json(200, await touchFile(host, pathOf(query)))]],
  ['/images/pull', ['POST', pullImage]],
  ['/reboot', ['POST', reboot]],
  ['/machines/add', ['POST', addMachine]],
  ['/machines/remove', ['POST', removeMachine]],
]);

async function osStatus({ host, query }: RouteContext): Promise<NodeProxyResponse> {
  return text(200, await host.os.status({ isUtf8: query.get('charset') === 'utf-8' }));
}

async function pivotToImage({ machine, query }: RouteContext): Promise<NodeProxyResponse> {
  const image = imageOf(query);
  return lines(async ({ report }) => {
    await pivot(machine.hostWithLog(report), image, report);
    return { image };
  });
}

async function fileContent({ host, query }: RouteContext): Promise<NodeProxyResponse> {
  const path = pathOf(query);
  const bytes = await host.files.read(path);
  if (bytes === undefined) throw noSuchFile(`open ${path}`);
  return response(200, 'application/octet-stream', bytes);
}

async function pullImage({ host, query, pull }: RouteContext): Promise<NodeProxyResponse> {
  const image = imageOf(query);
  return lines((progress) => pull(host, image, progress));
}

function imageOf(query: URLSearchParams): string {
  const image = query.get('image') ?? '';
  if (image !== '') return image;
  throw new Failure('usage', 'BadRequest', 'missing image: ?image=NAME');
}

function lines(action: Parameters<typeof pullLines>[0]): NodeProxyResponse {
  const headers = [['content-type', 'application/x-ndjson']] as const;
  return { status: 200, headers, body: pullLines(action) };
}

async function reboot({ node, host }: RouteContext): Promise<NodeProxyResponse> {
  await host.reboot('reboot requested through the API');
  return json(202, { node, bootId: await host.bootId() });
}

async function addMachine({ fleet, query, signal }: RouteContext): Promise<NodeProxyResponse> {
  if (fleet === undefined) throw fixedFleet();
  const wanted = { pool: query.get('pool') ?? 'worker', name: query.get('name') ?? undefined };
  return lines((progress) => fleet.add(wanted, untilGone(progress, signal)));
}

async function removeMachine({ fleet, query, signal }: RouteContext): Promise<NodeProxyResponse> {
  if (fleet === undefined) throw fixedFleet();
  const leaving = { name: query.get('name') ?? '', isForced: query.get('force') === 'true' };
  return lines((progress) => fleet.remove(leaving, untilGone(progress, signal)));
}

/** A stream notices that its reader has gone with its next line only, which may never come. */
function untilGone(progress: PullProgress, signal: AbortSignal | undefined): PullProgress {
  return signal === undefined
    ? progress
    : { ...progress, signal: AbortSignal.any([progress.signal, signal]) };
}

function fixedFleet(): Failure {
  return new Failure('usage', 'NotFound', 'this cluster keeps its machines');
}

function pathOf(query: URLSearchParams): string {
  const path = query.get('path') ?? '';
  if (path.startsWith('/') && !path.includes('\0')) return path;
  throw new Failure('usage', 'BadRequest', 'missing absolute path: ?path=/etc/hostname');
}

type StatusReason = { readonly code: number; readonly reason: string };

const STATUS_REASONS: ReadonlyMap<string, StatusReason> = new Map([
  ['NotFound', { code: 404, reason: 'NotFound' }],
  ['PermissionDenied', { code: 403, reason: 'Forbidden' }],
  ['ReadOnly', { code: 403, reason: 'Forbidden' }],
  ['FileTooLarge', { code: 413, reason: 'RequestEntityTooLarge' }],
]);

function statusReasonOf({ kind, reason }: Failure): StatusReason {
  const other =
    kind === 'transient' ? { code: 503, reason: 'ServiceUnavailable' } : { code: 400, reason: 'BadRequest' };
  return STATUS_REASONS.get(reason) ?? other;
}

function down(node: string): NodeProxyResponse {
  const message = `node ${node} is down: it is rebooting or switched off; try again once it is up`;
  return errorStatus(node, { code: 503, reason: 'ServiceUnavailable', message });
}

/** The details distinguish it from errors of the server and of kubelets without these routes. */
function errorStatus(node: string, why: StatusReason & { readonly message: string }): NodeProxyResponse {
  const details = { name: node, kind: SANDBOX_KIND };
  return json(why.code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', ...why, details });
}

function json(status: number, value: object): NodeProxyResponse {
  return response(status, 'application/json', utf8.encode(`${JSON.stringify(value)}\n`));
}

function text(status: number, body: string): NodeProxyResponse {
  return response(status, 'text/plain; charset=utf-8', utf8.encode(body));
}

function response(status: number, contentType: string, bytes: Uint8Array): NodeProxyResponse {
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
