/** A watch resumes after a restart of the server: resourceVersions stay valid. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../src/embedded/apiserver/store/store-node.ts';
import { type SocketServer, startSocketServer } from './socket-server.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millwright-restart-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** One life of the server after another, over the same folder and with the same certificates. */
async function lives(limits: { readonly events: number; readonly bytes: number } | undefined) {
  let pki: SocketServer['pki'] | undefined;
  return async <T>(live: (socket: SocketServer) => Promise<T>): Promise<T> => {
    const store = openStore({ folder, fsync: false, ...(limits === undefined ? {} : { limits }) });
    const socket = await startSocketServer({ store, ...(pki === undefined ? {} : { pki }) });
    pki = socket.pki;
    try {
      return await live(socket);
    } finally {
      await socket.stop();
      await store.close();
    }
  };
}

const make = async ({ ask }: SocketServer, name: string): Promise<string> => {
  const { status, text } = await ask('POST', CONFIG_MAPS, { body: { metadata: { name } } });
  expect(status).toBe(201);
  return JSON.parse(text).metadata.resourceVersion;
};

type Line = {
  readonly type: string;
  readonly object: { readonly code?: number; readonly reason?: string; readonly metadata: { name?: string } };
};

/** The events of a watch with a timeout of one second. */
const watched = async ({ ask }: SocketServer, version: string): Promise<readonly Line[]> => {
  const query = `watch=1&timeoutSeconds=1&resourceVersion=${version}`;
  const { status, text } = await ask('GET', `${CONFIG_MAPS}?${query}`);
  expect(status).toBe(200);
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
};

describe('after a restart', () => {
  it('a watch resumes from an earlier version with all missed events', async () => {
    const live = await lives(undefined);
    const known = await live(async (socket) => {
      const version = await make(socket, 'known');
      await make(socket, 'missed');
      expect((await socket.ask('DELETE', `${CONFIG_MAPS}/known`)).status).toBe(200);
      return version;
    });
    const lines = await live(async (socket) => {
      const watch = watched(socket, known);
      await make(socket, 'new');
      return await watch;
    });
    const events = lines.map(({ type, object }) => `${type} ${object.metadata.name}`);
    expect(events).toEqual(['ADDED missed', 'DELETED known', 'ADDED new']);
  });

  it('versions are never reused', async () => {
    const live = await lives(undefined);
    const before = await live((socket) => make(socket, 'before'));
    const after = await live((socket) => make(socket, 'after'));
    expect(Number(after)).toBeGreaterThan(Number(before));
  });

  it('answers 410 for a compacted version, and a list provides a new one', async () => {
    const live = await lives({ events: 20, bytes: 1_000_000 });
    const old = await live((socket) => make(socket, 'old'));
    await live(async (socket) => {
      for (let count = 0; count < 60; count++) await make(socket, `later-${count}`);
    });
    await live(async (socket) => {
      const [line, ...more] = await watched(socket, old);
      expect(line).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
      expect(more).toEqual([]);
      const { text } = await socket.ask('GET', `${CONFIG_MAPS}?limit=1`);
      const again = watched(socket, JSON.parse(text).metadata.resourceVersion);
      await make(socket, 'newest');
      expect((await again).map(({ object }) => object.metadata.name)).toEqual(['newest']);
    });
  });

  it('a watch that was open at the stop has ended cleanly', async () => {
    const live = await lives(undefined);
    const ended = await live(async (socket) => {
      const response = await socket.open('GET', `${CONFIG_MAPS}?watch=1`);
      const whole = (async () => {
        for await (const _ of response);
        return response.complete;
      })();
      return { whole };
    });
    expect(await ended.whole).toBe(true);
  });
});
