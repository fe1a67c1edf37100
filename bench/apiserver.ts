/**
 * Throughput of the API server, called directly and over TLS, and its memory for a large cluster: 5,000 nodes of 13
 * KB and 50,000 pods of 4 KB. Each store runs in its own process, which the clients share. Results are printed, never
 * asserted: machines differ.
 *
 *     node scripts/run.mjs bench/apiserver.ts
 */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { silentLog, systemClock, systemRandom } from '../src/base/env.ts';
import { startHttpsServer } from '../src/embedded/apiserver/http/https-server-node.ts';
import {
  type ApiServer,
  createApiServer,
  createMemoryStore,
  type Request,
} from '../src/embedded/apiserver/index.ts';
import { renewPki } from '../src/embedded/apiserver/pki/certificates-node.ts';
import { openStore } from '../src/embedded/apiserver/store/store-node.ts';
import { ownMemory } from './resident-memory.ts';
import { runEachStore } from './run-each-store.ts';

const STORES = ['memory', 'lmdb'] as const;
const NODES = 5_000;
const NODE_BYTES = 13_000;
const PODS = 50_000;
const POD_BYTES = 4_000;
const FILL_IN_FLIGHT = 200;
const MEASURE_MS = 3_000;
const WATCHERS = 200;
const WATCHED_EVENTS = 200;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** A client: returns the body of a response, or its chunks as they arrive. */
type Client = {
  readonly name: string;
  readonly ask: (method: string, path: string, body?: object) => Promise<Uint8Array>;
  readonly watch: (path: string, onPiece: (piece: Uint8Array) => void) => Promise<() => void>;
};

await runEachStore({ script: fileURLToPath(import.meta.url), stores: STORES, run });

async function run(name: string, folder: string): Promise<void> {
  console.log(`\nAPI server, ${name}`);
  show('before', ownMemory());
  const store = name === 'memory' ? createMemoryStore() : openStore({ folder });
  const env = { clock: systemClock, random: systemRandom, log: silentLog };
  const pki = renewPki({}, { clock: systemClock });
  const server = await createApiServer({ store, env, tokenKey: pki.tokenKey });
  const socket = await startHttpsServer({
    ...{ handle: server.handle, env, certificate: pki.server, authorityPem: pki.authority.certPem, port: 0 },
  });
  const { certPem: cert, keyPem: key } = pki.admin;
  const agent = new Agent({ ca: pki.authority.certPem, cert, key, keepAlive: true });
  const direct = directClient(server.handle);
  const remote = remoteClient(socket.port, agent);
  try {
    for (const client of [direct, remote]) await measure(client);
    const filled = await timed(() => fill(direct));
    show(`fill ${NODES + PODS} objects`, `${(filled / 1000).toFixed(1)} s`);
    show('filled', ownMemory());
    for (const client of [direct, remote]) await measureList(client);
    show('after lists', ownMemory());
  } finally {
    agent.destroy();
    await socket.stop();
    await server.close();
    await store.close();
  }
}

async function measure(client: Client): Promise<void> {
  let count = 0;
  const create = () => client.ask('POST', CONFIG_MAPS, aConfigMap(`${client.name}-${count++}`));
  const get = () => client.ask('GET', `${CONFIG_MAPS}/${client.name}-0`);
  for (const inFlight of [1, 32]) {
    show(`${client.name}: creates, ${inFlight} in flight`, `${await perSecond(create, inFlight)} /s`);
  }
  for (const inFlight of [1, 32]) {
    show(`${client.name}: gets, ${inFlight} in flight`, `${await perSecond(get, inFlight)} /s`);
  }
  show(`${client.name}: events to ${WATCHERS} watchers`, `${await deliveredPerSecond(client)} /s`);
}

async function measureList(client: Client): Promise<void> {
  let bytes = 0;
  const list = async (query: string) => {
    bytes = (await client.ask('GET', `/api/v1/nodes${query}`)).length;
  };
  const whole = await median(5, () => list(''));
  show(`${client.name}: list of ${NODES} nodes`, `${whole.toFixed(0)} ms, ${megabytes(bytes)} MB`);
  const page = await median(5, () => list('?limit=500'));
  show(`${client.name}: … a page of 500`, `${page.toFixed(0)} ms, ${megabytes(bytes)} MB`);
}

async function fill(client: Client): Promise<void> {
  const kinds = [
    { count: NODES, path: '/api/v1/nodes', make: aNode },
    { count: PODS, path: '/api/v1/namespaces/default/pods', make: aPod },
  ];
  for (const { count, path, make } of kinds) {
    for (let start = 0; start < count; start += FILL_IN_FLIGHT) {
      const size = Math.min(FILL_IN_FLIGHT, count - start);
      await Promise.all(
        Array.from({ length: size }, (_, index) => client.ask('POST', path, make(start + index))),
      );
    }
  }
}

/** Events per second, over all watchers. */
async function deliveredPerSecond(client: Client): Promise<number> {
  const path = '/api/v1/namespaces/kube-system/configmaps';
  let seen = 0;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const onPiece = (piece: Uint8Array) => {
    for (const byte of piece) if (byte === 10) seen++;
    if (seen === WATCHERS * WATCHED_EVENTS) finish();
  };
  // Starts at the current resourceVersion, without initial events.
  const { metadata } = JSON.parse(new TextDecoder().decode(await client.ask('GET', `${path}?limit=1`)));
  const query = `?watch=1&resourceVersion=${metadata.resourceVersion}`;
  const ends = await Promise.all(
    Array.from({ length: WATCHERS }, () => client.watch(`${path}${query}`, onPiece)),
  );
  const elapsed = await timed(async () => {
    for (let index = 0; index < WATCHED_EVENTS; index++) {
      await client.ask('POST', path, aConfigMap(`${client.name}-${index}`));
    }
    await finished;
  });
  for (const end of ends) end();
  return Math.round((WATCHERS * WATCHED_EVENTS * 1000) / elapsed);
}

function directClient(handle: ApiServer['handle']): Client {
  const certificateUser = { name: 'bench', groups: ['system:masters'] };
  const request = (method: string, path: string, body?: object): Request => {
    const [plain = '', query = ''] = path.split('?');
    const bytes = body === undefined ? new Uint8Array() : new TextEncoder().encode(JSON.stringify(body));
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    return { method, path: plain, query, headers, body: bytes, certificateUser };
  };
  return {
    name: 'direct',
    async ask(method, path, body) {
      const { status, body: answer } = await handle(request(method, path, body));
      if (!(answer instanceof Uint8Array)) throw new Error('a stream');
      if (status >= 300) throw new Error(new TextDecoder().decode(answer));
      return answer;
    },
    async watch(path, onPiece) {
      const gone = new AbortController();
      const { body } = await handle({ ...request('GET', path), signal: gone.signal });
      if (body instanceof Uint8Array) throw new Error(new TextDecoder().decode(body));
      void (async () => {
        for await (const piece of body) onPiece(piece);
      })();
      return () => gone.abort();
    },
  };
}

function remoteClient(port: number, agent: Agent): Client {
  const open = async (method: string, path: string, body?: object): Promise<IncomingMessage> => {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const request = httpsRequest({ host: '127.0.0.1', port, agent, method, path, headers });
    request.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response;
  };
  return {
    name: 'tls',
    async ask(method, path, body) {
      const response = await open(method, path, body);
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      const answer = Buffer.concat(chunks);
      if ((response.statusCode ?? 0) >= 300) throw new Error(answer.toString());
      return answer;
    },
    async watch(path, onPiece) {
      const response = await open('GET', path);
      response.on('data', onPiece).on('error', () => undefined);
      return () => response.destroy();
    },
  };
}

function aConfigMap(name: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text: 'x'.repeat(500) } };
}

function aNode(number: number): object {
  const labels = { 'kubernetes.io/hostname': `node-${number}`, 'node-role.kubernetes.io/worker': '' };
  const annotations = { 'bench/filler': 'x'.repeat(NODE_BYTES - 700) };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name: `node-${number}`, labels, annotations } };
}

function aPod(number: number): object {
  const metadata = { name: `pod-${number}`, labels: { app: `app-${number % 500}` } };
  const env = [{ name: 'FILLER', value: 'x'.repeat(POD_BYTES - 1_500) }];
  const spec = { nodeName: `node-${number % NODES}`, containers: [{ name: 'one', image: 'image', env }] };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec };
}

async function perSecond(action: () => Promise<unknown>, inFlight: number): Promise<number> {
  const start = performance.now();
  let count = 0;
  const worker = async () => {
    for (; performance.now() - start < MEASURE_MS; count++) await action();
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return Math.round((count * 1000) / (performance.now() - start));
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

async function median(rounds: number, action: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) times.push(await timed(action));
  return times.sort((a, b) => a - b)[rounds >> 1] ?? 0;
}

function megabytes(bytes: number): string {
  return (bytes / 1024 ** 2).toFixed(bytes < 10 * 1024 ** 2 ? 1 : 0);
}

function show(what: string, figure: string): void {
  console.log(`  ${what.padEnd(34)} ${figure}`);
}
