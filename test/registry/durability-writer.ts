/**
 * Pushes to a registry in the given folder as fast as it can, and prints each confirmed push, until it is killed.
 */
import { writeSync } from 'node:fs';
import { systemClock, systemRandom } from '../../src/base/env.ts';
import { createInProcessRegistryTransport, createRegistry } from '../../src/embedded/registry/index.ts';
import { openRegistryStore } from '../../src/embedded/registry/registry-store-node.ts';
import { bytesSource, createRegistryClient, digestOf, OCI_MANIFEST } from '../../src/images/index.ts';

const [, , folder = '', round = ''] = process.argv;
const env = { clock: systemClock, random: systemRandom, signal: new AbortController().signal };
const registry = createRegistry({ store: await openRegistryStore(folder), env });
const transport = createInProcessRegistryTransport(new Map([['localhost', registry.handle]]));
const client = createRegistryClient({ transport, env });
const repository = { host: 'localhost', repository: 'team/os' };

async function work(worker: number): Promise<void> {
  for (let number = 0; ; number++) {
    const tag = `r${round}-w${worker}-${number}`;
    const bytes = new TextEncoder().encode(tag.padEnd(1 + ((number * 7_919) % 60_000), '.'));
    const config = { mediaType: 'application/json', digest: digestOf(bytes), size: bytes.length };
    const manifest = JSON.stringify({ schemaVersion: 2, mediaType: OCI_MANIFEST, config, layers: [] });
    await client.pushBlob(
      repository,
      bytesSource(config.digest, bytes),
      number % 2 === 0 ? {} : { chunkBytes: 10_000 },
    );
    const document = { bytes: new TextEncoder().encode(manifest), mediaType: OCI_MANIFEST };
    const { digest } = await client.pushManifest({ ...repository, tag }, document);
    // Synchronous: lines that were printed before the kill count.
    writeSync(1, `${tag} ${digest} ${config.digest}\n`);
  }
}

await Promise.all([work(0), work(1), work(2)]);
