/**
 * An in-memory store for tests and simulation.
 */

import { joinBytes } from '../../base/bytes.ts';
import { assert } from '../../base/errors.ts';
import { compareBytes } from '../../base/json.ts';
import { algorithmOf, digestOf } from '../../images/index.ts';
import type { ByteRange, RegistryStore, StoredBlob } from './registry-store.ts';

export function createMemoryRegistryStore(): RegistryStore {
  return new MemoryRegistryStore();
}

class MemoryRegistryStore implements RegistryStore {
  readonly #blobs = new Map<string, Uint8Array>();
  readonly #uploads = new Map<string, Uint8Array[]>();
  readonly #records = new Map<string, string>();

  async blobSize(digest: string): Promise<number | undefined> {
    return this.#blobs.get(digest)?.length;
  }

  async *readBlob(digest: string, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
    const bytes = this.#blobs.get(digest);
    assert(bytes !== undefined, 'the blob exists');
    yield bytes.subarray(start, end);
  }

  async putBlob(digest: string, bytes: Uint8Array): Promise<void> {
    this.#blobs.set(digest, bytes.slice());
  }

  async removeBlob(digest: string): Promise<void> {
    this.#blobs.delete(digest);
  }

  async listBlobs(): Promise<readonly StoredBlob[]> {
    return [...this.#blobs].map(([digest, { length: size }]) => ({ digest, size }));
  }

  async createUpload(id: string): Promise<void> {
    this.#uploads.set(id, []);
  }

  async uploadSize(id: string): Promise<number | undefined> {
    const chunks = this.#uploads.get(id);
    return chunks === undefined ? undefined : sizeOf(chunks);
  }

  async appendUpload(id: string, content: AsyncIterable<Uint8Array>): Promise<number> {
    const chunks = this.#upload(id);
    for await (const chunk of content) chunks.push(chunk.slice());
    return sizeOf(chunks);
  }

  async commitUpload(id: string, digest: string): Promise<'committed' | 'mismatch'> {
    const bytes = joinBytes(this.#upload(id));
    if (digestOf(bytes, algorithmOf(digest)) !== digest) return 'mismatch';
    await this.putBlob(digest, bytes);
    this.#uploads.delete(id);
    return 'committed';
  }

  async dropUpload(id: string): Promise<void> {
    this.#uploads.delete(id);
  }

  async getRecord(key: string): Promise<string | undefined> {
    return this.#records.get(key);
  }

  async putRecord(key: string, text: string): Promise<void> {
    this.#records.set(key, text);
  }

  async removeRecord(key: string): Promise<void> {
    this.#records.delete(key);
  }

  async listRecords(folder: string): Promise<readonly string[]> {
    return [...this.#records.keys()].filter((key) => key.startsWith(`${folder}/`)).sort(compareBytes);
  }

  #upload(id: string): Uint8Array[] {
    const chunks = this.#uploads.get(id);
    assert(chunks !== undefined, 'the upload exists');
    return chunks;
  }
}

function sizeOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((size, chunk) => size + chunk.length, 0);
}
