/** A registry that is killed in the middle of pushes, again and again, keeps what it confirmed and shows nothing half. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock, systemRandom } from '../../src/base/env.ts';
import {
  createInProcessRegistryTransport,
  createRegistry,
  type RegistryStore,
} from '../../src/embedded/registry/index.ts';
import { openRegistryStore } from '../../src/embedded/registry/registry-store-node.ts';
import { createRegistryClient, digestOf } from '../../src/images/index.ts';

const ROUNDS = 6;

it('the registry keeps what it confirmed when it is killed at any time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millwright-durable-'));
  const confirmed = new Map<string, readonly [manifest: string, blob: string]>();
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const [tag, digests] of await killedWriter(folder, round)) confirmed.set(tag, digests);
      const store = await openRegistryStore(folder);
      expect(await readdir(join(folder, 'uploads'))).toEqual([]);
      await expectWhole(store, confirmed);
    }
    expect(confirmed.size).toBeGreaterThan(ROUNDS);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

async function killedWriter(folder: string, round: number) {
  const args = ['scripts/run.mjs', 'test/registry/durability-writer.ts', folder, String(round)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  const enough = 3 + round * 5;
  const seen = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => {
      printed += chunk;
      if (printed.split('\n').length > enough) resolve();
    });
    child.once('close', () => resolve());
  });
  const closed = once(child, 'close');
  await seen;
  child.kill('SIGKILL');
  await closed;
  return printed
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' '))
    .map(([tag = '', manifest = '', blob = '']) => [tag, [manifest, blob] as const] as const);
}

/** Confirmed pushes exist; and every manifest matches its digest and can be pulled. */
async function expectWhole(
  store: RegistryStore,
  confirmed: ReadonlyMap<string, readonly [string, string]>,
): Promise<void> {
  const env = { clock: systemClock, random: systemRandom, signal: new AbortController().signal };
  const { handle } = createRegistry({ store, env });
  const client = createRegistryClient({
    env,
    transport: createInProcessRegistryTransport(new Map([['localhost', handle]])),
  });
  const repository = { host: 'localhost', repository: 'team/os' };
  const tags = await client.tags(repository);
  expect([...confirmed.keys()].filter((tag) => !tags.includes(tag))).toEqual([]);
  for (const tag of tags) {
    const { descriptor, manifest } = await client.fetchManifest({ ...repository, tag });
    if (manifest.kind !== 'image') throw new Error('it was an image');
    const expected = confirmed.get(tag);
    if (expected !== undefined) expect([descriptor.digest, manifest.config.digest]).toEqual(expected);
    // Reading proves the digest.
    for await (const piece of client.readBlob(repository, manifest.config))
      expect(piece.length).toBeGreaterThan(0);
  }
  for (const { digest, size } of await store.listBlobs()) {
    const pieces: Uint8Array[] = [];
    for await (const piece of store.readBlob(digest, { start: 0, end: size })) pieces.push(piece);
    expect(digestOf(new Uint8Array(Buffer.concat(pieces)))).toBe(digest);
  }
}
