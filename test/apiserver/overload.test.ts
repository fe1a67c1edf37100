/** One user overloads the server over real connections: that user gets 429, others are not affected. */
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { DEFAULT_FLOW_LIMITS } from '../../src/embedded/apiserver/http/flow-limits.ts';
import { type SocketServer, startSocketServer, tokenOf } from './socket-server.ts';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** Small enough that a test can reach them. */
const FEW: typeof DEFAULT_FLOW_LIMITS = {
  ...DEFAULT_FLOW_LIMITS,
  seats: { 'leader-election': 4, system: 8, administrators: 8, workloads: 8, everyone: 8 },
  waitingPerUser: 10,
  waiting: 40,
  waitMs: 2_000,
  streams: 8,
};

let server: SocketServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function start(): Promise<SocketServer> {
  const users = ['noisy', 'quiet'];
  server = await startSocketServer({ users, flowLimits: FEW });
  for (const name of users) await allow(server, name);
  return server;
}

async function allow({ ask }: SocketServer, name: string): Promise<void> {
  const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name }];
  const roleRef = { kind: 'ClusterRole', apiGroup: 'rbac.authorization.k8s.io', name: 'cluster-admin' };
  const body = { metadata: { name }, subjects, roleRef };
  const { status } = await ask('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', { body });
  expect(status).toBe(201);
}

/** Bodies that never come hold their seats. */
async function holdSeats({ connect }: SocketServer, user: string, count: number) {
  const wires = await Promise.all(Array.from({ length: count }, () => connect()));
  for (const wire of wires) {
    wire.write(
      `POST ${CONFIG_MAPS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tokenOf(user)}\r\nContent-Length: 100\r\n\r\n{`,
    );
  }
  return wires;
}

const gauge = async ({ ask }: SocketServer, name: string) => {
  const { text } = await ask('GET', '/metrics');
  return Number(text.match(new RegExp(`^${name} (\\d+)$`, 'm'))?.[1]);
};

const until = async (isTrue: () => Promise<boolean>) => {
  for (let tries = 0; tries < 500; tries++) {
    if (await isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('it never became true');
};

describe('a client that opens all connections', () => {
  it('does not block others: idle connections are closed, used ones stay', async () => {
    server = await startSocketServer({ limits: { connections: 10 } });
    const socket = server;
    const watch = await socket.open('GET', `${CONFIG_MAPS}?watch=1`);
    const wires = await Promise.all(
      Array.from({ length: 30 }, () => socket.connect().catch(() => undefined)),
    );
    const closed = wires.map((wire) => wire?.closed === false && once(wire, 'close'));
    for (let count = 0; count < 5; count++) {
      const { status } = await socket.ask('POST', CONFIG_MAPS, { body: { metadata: { name: `n${count}` } } });
      expect(status).toBe(201);
    }
    expect(watch.closed).toBe(false);
    watch.destroy();
    for (const wire of wires) wire?.destroy();
    await Promise.all(closed);
  });
});

describe('a user who sends too many requests', () => {
  it('gets 429 with the message of kube-apiserver', async () => {
    const socket = await start();
    const wires = await holdSeats(socket, 'noisy', 4);
    await until(async () => (await gauge(socket, 'millwright_seats_taken')) >= 5);
    const flood = await Promise.all(
      Array.from({ length: 30 }, () => socket.ask('GET', CONFIG_MAPS, { user: 'noisy' })),
    );
    const refused = flood.filter(({ status }) => status === 429);
    expect(refused.length).toBe(30);
    for (const { text, headers } of refused) {
      expect(text).toBe('Too many requests, please try again later.\n');
      expect(headers['retry-after']).toBe('1');
      expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    }
    for (const wire of wires) wire.destroy();
    await until(async () => (await gauge(socket, 'millwright_seats_taken')) === 1);
    expect((await socket.ask('GET', CONFIG_MAPS, { user: 'noisy' })).status).toBe(200);
    expect(socket.mistakes).toEqual([]);
  });

  it('does not block other users, leader election and health checks', async () => {
    const socket = await start();
    const { ask } = socket;
    const lease = { metadata: { name: 'leader' }, spec: { holderIdentity: 'me', leaseDurationSeconds: 15 } };
    expect((await ask('POST', LEASES, { user: 'quiet', body: lease })).status).toBe(201);
    await holdSeats(socket, 'noisy', 40);
    const over = new AbortController();
    const answers: number[] = [];
    const flood = Array.from({ length: 60 }, async () => {
      while (!over.signal.aborted) answers.push((await ask('GET', CONFIG_MAPS, { user: 'noisy' })).status);
    });
    for (let count = 0; count < 20; count++) {
      const [made, renewed, listed, health, admin] = await Promise.all([
        ask('POST', CONFIG_MAPS, { user: 'quiet', body: { metadata: { name: `quiet-${count}` } } }),
        ask('PATCH', `${LEASES}/leader`, {
          user: 'quiet',
          headers: { 'content-type': 'application/merge-patch+json' },
          body: { spec: { leaseTransitions: count } },
        }),
        ask('GET', `${CONFIG_MAPS}?limit=1`, { user: 'quiet' }),
        ask('GET', '/readyz', { user: 'noisy' }),
        ask('GET', '/api/v1/nodes'),
      ]);
      expect([made, renewed, listed, health, admin].map(({ status }) => status)).toEqual([
        201, 200, 200, 200, 200,
      ]);
    }
    over.abort();
    await Promise.all(flood);
    expect(answers).toContain(429);
    expect(new Set(answers).size).toBeLessThanOrEqual(2);
    expect(socket.mistakes).toEqual([]);
  });

  it('gets a limited number of watches, which hold no seats', async () => {
    const socket = await start();
    const { open, ask } = socket;
    const watch = (user: string) => open('GET', `${CONFIG_MAPS}?watch=1&resourceVersion=0`, { user });
    const noisy = await Promise.all(Array.from({ length: 10 }, () => watch('noisy')));
    const codes = noisy.map(({ statusCode }) => statusCode);
    expect(codes.filter((code) => code === 200).length).toBe(4);
    expect(codes.filter((code) => code === 429).length).toBe(6);
    const quiet = await watch('quiet');
    expect(quiet.statusCode).toBe(200);
    const heard = once(quiet, 'data');
    await ask('POST', CONFIG_MAPS, { user: 'noisy', body: { metadata: { name: 'seen' } } });
    expect(String((await heard)[0])).toMatch(/"type":"(ADDED|MODIFIED)"/);
    expect(await gauge(socket, 'millwright_seats_taken')).toBe(1);
    for (const response of [...noisy, quiet]) response.destroy();
    await until(async () => (await gauge(socket, 'millwright_streams')) === 0);
  });

  it('keeps the connection when a large body is rejected', async () => {
    const socket = await start();
    await holdSeats(socket, 'noisy', 40);
    await until(async () => (await gauge(socket, 'millwright_waiting_requests')) >= 10);
    const body = new Uint8Array(2_000_000);
    const { status } = await socket.ask('POST', CONFIG_MAPS, { user: 'noisy', body });
    expect(status).toBe(429);
  });
});
