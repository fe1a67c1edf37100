/**
 * `millwright node`: inspects a sandbox node through the API server (`nodes/proxy`).
 */

import { systemClock } from '../base/env.ts';
import { Failure, unreachable } from '../base/errors.ts';
import { isObject, own } from '../base/json.ts';
import { didYouMean } from '../base/text/index.ts';
import { KubeError } from '../kubernetes/client/index.ts';
import type { ClusterOptions } from './cluster-options.ts';
import { formatFileList, parseFileList } from './file-list.ts';
import { createKlog } from './klog.ts';
import type { ClusterSession } from './objects/cluster-session.ts';
import { type Run, runInCluster, throwUsageError } from './objects/run-in-cluster.ts';
import type { Ports } from './ports.ts';

export type NodeAction = 'status' | 'ls' | 'cat' | 'touch' | 'pull' | 'pivot' | 'reboot';
export type NodeOptions = ClusterOptions & { readonly dryRun?: true };

export type NodeArguments = {
  readonly name: string;
  readonly action: NodeAction;
  /** The path or the image. */
  readonly what: string | undefined;
};

export async function nodeCommand(given: NodeArguments, options: NodeOptions, ports: Ports): Promise<number> {
  return await runInCluster(options, ports, async (run) => {
    checkArguments(given, options);
    const { name, action, what = '' } = given;
    const node = new SandboxNode(run.session, name);
    switch (action) {
      case 'status':
        return await printStatus(node, ports);
      case 'ls':
        return ports.stdout(formatFileList(parseFileList(await node.request('/files/list', { path: what }))));
      case 'cat':
        return await printFile(node, what, ports);
      case 'touch':
        return options.dryRun === true ? await wouldTouch(node, what, run) : await touch(node, what, run);
      case 'pull':
        return await pull(node, what, run);
      case 'pivot':
        return await pivot(node, what, run);
      case 'reboot':
        return await reboot(node, run, options.dryRun === true);
      default:
        return unreachable(action);
    }
  });
}

const ARGUMENT_OF: Readonly<Record<NodeAction, 'PATH' | 'IMAGE' | undefined>> = {
  status: undefined,
  ls: 'PATH',
  cat: 'PATH',
  touch: 'PATH',
  pull: 'IMAGE',
  pivot: 'IMAGE',
  reboot: undefined,
};

function checkArguments({ action, what = '' }: NodeArguments, { dryRun }: NodeOptions): void {
  const expected = ARGUMENT_OF[action];
  if (expected === undefined && what !== '') throwUsageError(`${action} takes no argument: ${what}`);
  if (expected !== undefined && what === '') {
    throwUsageError(`missing ${expected}: millwright node NAME ${action} ${expected}`);
  }
  if (expected === 'PATH' && !what.startsWith('/')) {
    throwUsageError(`${what} is not an absolute path`);
  }
  if (dryRun === true && action !== 'touch' && action !== 'reboot') {
    throwUsageError(`--dry-run is valid with touch and reboot only`);
  }
}

async function printStatus(node: SandboxNode, ports: Ports): Promise<void> {
  const query = isUtf8(ports) ? { charset: 'utf-8' } : {};
  const decoder = new TextDecoder();
  for await (const piece of await node.stream('GET', '/os/status', query)) {
    ports.stdout(decoder.decode(piece, { stream: true }));
  }
}

/** As programs look at their locale; terminals without one have UTF-8. */
function isUtf8({ environment, terminal }: Ports): boolean {
  const locale = environment.LC_ALL || environment.LC_CTYPE || environment.LANG || '';
  return locale === '' ? terminal !== undefined : /utf-?8/i.test(locale);
}

async function printFile(node: SandboxNode, path: string, { stdout }: Ports): Promise<void> {
  for await (const piece of await node.stream('GET', '/files/content', { path })) stdout(piece);
}

async function touch(node: SandboxNode, path: string, { ports }: Run): Promise<void> {
  const answer = await node.request('/files/touch', { path }, 'POST');
  const isNew = isObject(answer) && own(answer, 'isNew') === true;
  ports.stdout(isNew ? `${path} created\n` : `${path} already exists\n`);
}

async function wouldTouch(node: SandboxNode, path: string, { ports }: Run): Promise<void> {
  try {
    await node.request('/files/list', { path });
    ports.stdout(`${path} already exists (dry run)\n`);
  } catch (error) {
    if (!(error instanceof KubeError) || error.code !== 404) throw error;
    await node.request('/files/list', { path: path.replace(/[^/]*\/*$/, '') });
    ports.stdout(`${path} would be created (dry run)\n`);
  }
}

async function reboot(node: SandboxNode, { ports }: Run, isDryRun: boolean): Promise<void> {
  // Only a sandbox serves this, so a dry run fails for nodes that would reject the reboot.
  if (isDryRun) await node.send('GET', '/os/status');
  else await node.send('POST', '/reboot');
  ports.stdout(`node/${node.name} ${isDryRun ? 'would reboot (dry run)' : 'reboots'}\n`);
}

async function pull(node: SandboxNode, image: string, { ports, notify, reportError }: Run): Promise<void> {
  const { image: pulled, error } = await lastLine(node, { path: '/images/pull', image, report: notify });
  if (pulled !== undefined) ports.stdout(`Image is up to date for ${pulled}\n`);
  else reportError(`pulling image "${image}": ${error}`);
}

/** Prints what `machine-config-daemon pivot` prints. */
async function pivot(node: SandboxNode, image: string, { ports, notify, reportError }: Run): Promise<void> {
  const { stderr: write, pid } = ports;
  const { info } = createKlog({ write, clock: systemClock, pid, component: 'rpm-ostree.go' });
  const { error } = await lastLine(node, { path: '/os/pivot', image, report: (line) => info(line) });
  if (error !== undefined) return reportError(error);
  notify(`the new OS takes effect at the next boot: millwright node ${node.name} reboot`);
}

type StreamedAction = {
  readonly path: string;
  readonly image: string;
  readonly report: (line: string) => void;
};

/** Runs an action on an image that reports lines, and returns the one with the result. */
async function lastLine(node: SandboxNode, { path, image, report }: StreamedAction): Promise<PullLine> {
  for await (const line of linesOf(await node.stream('POST', path, { image }))) {
    const parsed = parsePullLine(line);
    if (parsed.progress === undefined) return parsed;
    report(parsed.progress);
  }
  const what = path.slice(path.lastIndexOf('/') + 1);
  throw new Failure('transient', 'CutShort', `node ${node.name} disconnected during the ${what}`);
}

type PullLine = { readonly progress?: string; readonly image?: string; readonly error?: string };

function parsePullLine(line: string): PullLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { error: 'the response of the node cannot be parsed' };
  }
  const text = (key: keyof PullLine): PullLine => {
    const field = isObject(value) ? own(value, key) : undefined;
    return typeof field === 'string' ? { [key]: field } : {};
  };
  return { ...text('progress'), ...text('image'), ...text('error') };
}

export async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of body) {
    const lines = `${rest}${decoder.decode(piece, { stream: true })}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

type Query = { readonly [name: string]: string };

/** One node behind the API server. Errors name the node and, where possible, give advice. */
export class SandboxNode {
  readonly name: string;
  readonly #session: ClusterSession;

  constructor(session: ClusterSession, name: string) {
    this.#session = session;
    this.name = name;
  }

  async request(path: string, query: Query, method: 'GET' | 'POST' = 'GET'): Promise<unknown> {
    return await this.#withContext(
      async () => (await this.#session.request({ method, path: this.#path(path), query })).body,
    );
  }

  async stream(method: 'GET' | 'POST', path: string, query: Query = {}): Promise<AsyncIterable<Uint8Array>> {
    return await this.#withContext(() => this.#session.stream({ method, path: this.#path(path), query }));
  }

  /** For responses whose body is irrelevant. */
  async send(method: 'GET' | 'POST', path: string): Promise<void> {
    for await (const _ of await this.stream(method, path)) {
      // Read to the end, so that the connection can be reused.
    }
  }

  #path(path: string): string {
    return `/api/v1/nodes/${encodeURIComponent(this.name)}/proxy${path}`;
  }

  async #withContext<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      const { code, reason, details, retryAfterMs, message } = error;
      const about = details.kind ?? '';
      if (code === 404 && about === 'nodes') throw await this.#noSuchNode(error);
      // Errors of the API server and of sandboxes always have details.
      if (code === 404 && about === '') throw this.#notSandbox(error);
      // The node exists but is unreachable.
      if (code === 503) throw new Failure('transient', 'NodeUnreachable', message, error);
      throw new KubeError({ code, reason, details, retryAfterMs, message: `${this.name}: ${message}` });
    }
  }

  async #noSuchNode(error: KubeError): Promise<Failure> {
    const names = namesIn((await this.#session.request({ path: '/api/v1/nodes' })).body);
    const known = names.length === 0 ? 'this cluster has no nodes' : `nodes: ${names.join(', ')}`;
    const message = `no such node: ${this.name}${didYouMean(this.name, names)}; ${known}`;
    return new Failure('usage', 'NoSuchNode', message, error);
  }

  #notSandbox(error: KubeError): Failure {
    const { name } = this;
    const message = `node ${name} is not a sandbox of \`millwright up\`: use \`oc debug node/${name}\` or \`kubectl debug node/${name}\``;
    return new Failure('usage', 'NotSandbox', message, error);
  }
}

const MAX_NAMES = 20;

function namesIn(list: unknown): readonly string[] {
  const items = isObject(list) ? own(list, 'items') : undefined;
  const names = (Array.isArray(items) ? items : []).flatMap((item: unknown) => {
    const metadata = isObject(item) ? own(item, 'metadata') : undefined;
    const name = isObject(metadata) ? own(metadata, 'name') : undefined;
    return typeof name === 'string' ? [name] : [];
  });
  return names.length > MAX_NAMES ? [...names.slice(0, MAX_NAMES), `… (${names.length} in all)`] : names;
}
