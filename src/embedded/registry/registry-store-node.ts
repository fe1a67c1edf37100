/**
 * A store in a directory:
 *
 *     DIR/blobs/sha256/<hex>      content, complete and checked
 *     DIR/records/<key>           small texts; capitals are escaped as `=a`, for case-insensitive file systems
 *     DIR/uploads/<id>            uploads in progress
 *     DIR/new/<number>            temporary files
 *
 * Files are written to a temporary file, synced, renamed, and their directory synced: a crash leaves the old or the new
 * version. `uploads` and `new` are cleared at the next start. The caller ensures that one process uses the directory.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { assert } from '../../base/errors.ts';
import { compareBytes } from '../../base/json.ts';
import { type Algorithm, algorithmOf, isDigest } from '../../images/index.ts';
import type { ByteRange, RegistryStore, StoredBlob } from './registry-store.ts';

export async function openRegistryStore(folder: string): Promise<RegistryStore> {
  const store = new FolderRegistryStore(folder);
  await store.open();
  return store;
}

/** Access is controlled by the registry. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const ALGORITHMS: readonly Algorithm[] = ['sha256', 'sha512'];

class FolderRegistryStore implements RegistryStore {
  readonly #folder: string;
  /** Directories already synced. */
  readonly #lasting = new Set<string>();
  #counter = 0;

  constructor(folder: string) {
    this.#folder = resolve(folder);
  }

  async open(): Promise<void> {
    for (const name of ['uploads', 'new']) await fs.rm(this.#path(name), { recursive: true, force: true });
    await makeRoot(this.#folder);
    const folders = ['uploads', 'new', 'records', ...ALGORITHMS.map((name) => join('blobs', name))];
    for (const name of folders) await this.#makeFolder(this.#path(name));
  }

  async blobSize(digest: string): Promise<number | undefined> {
    return await sizeOf(this.#blobPath(digest));
  }

  async *readBlob(digest: string, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
    if (start >= end) return;
    // Without an encoding a stream yields bytes.
    for await (const chunk of createReadStream(this.#blobPath(digest), { start, end: end - 1 })) {
      yield chunk as Uint8Array;
    }
  }

  async putBlob(digest: string, bytes: Uint8Array): Promise<void> {
    await this.#writeWhole(this.#blobPath(digest), bytes);
  }

  async removeBlob(digest: string): Promise<void> {
    await remove(this.#blobPath(digest));
  }

  async listBlobs(): Promise<readonly StoredBlob[]> {
    const found: StoredBlob[] = [];
    for (const algorithm of ALGORITHMS) {
      const folder = this.#path(join('blobs', algorithm));
      for (const name of await fs.readdir(folder)) {
        const digest = `${algorithm}:${name}`;
        const size = isDigest(digest) ? await sizeOf(join(folder, name)) : undefined;
        if (size !== undefined) found.push({ digest, size });
      }
    }
    return found;
  }

  async createUpload(id: string): Promise<void> {
    await (await fs.open(this.#uploadPath(id), 'wx', FILE_MODE)).close();
  }

  async uploadSize(id: string): Promise<number | undefined> {
    return await sizeOf(this.#uploadPath(id));
  }

  async appendUpload(id: string, content: AsyncIterable<Uint8Array>): Promise<number> {
    const file = await fs.open(this.#uploadPath(id), 'a');
    try {
      for await (const chunk of content) await file.appendFile(chunk);
      return (await file.stat()).size;
    } finally {
      await file.close();
    }
  }

  async commitUpload(id: string, digest: string): Promise<'committed' | 'mismatch'> {
    const path = this.#uploadPath(id);
    if ((await fileDigest(path, algorithmOf(digest))) !== digest) return 'mismatch';
    const file = await fs.open(path, 'r+');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    await this.#place(path, this.#blobPath(digest));
    return 'committed';
  }

  async dropUpload(id: string): Promise<void> {
    await fs.rm(this.#uploadPath(id), { force: true });
  }

  async getRecord(key: string): Promise<string | undefined> {
    return await ifThere(fs.readFile(this.#recordPath(key), 'utf8'));
  }

  async putRecord(key: string, text: string): Promise<void> {
    await this.#writeWhole(this.#recordPath(key), text);
  }

  async removeRecord(key: string): Promise<void> {
    await remove(this.#recordPath(key));
  }

  async listRecords(folder: string): Promise<readonly string[]> {
    const root = this.#path('records');
    const top = this.#recordPath(folder);
    const items = await ifThere(fs.readdir(top, { recursive: true, withFileTypes: true }));
    return (items ?? [])
      .filter((item) => item.isFile())
      .map((item) => join(item.parentPath, item.name).slice(root.length + 1))
      .map((path) => decodedKey(path.split(sep).join('/')))
      .sort(compareBytes);
  }

  async #writeWhole(path: string, content: Uint8Array | string): Promise<void> {
    this.#counter += 1;
    const unfinished = this.#path(join('new', String(this.#counter)));
    const file = await fs.open(unfinished, 'w', FILE_MODE);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await this.#place(unfinished, path);
  }

  async #place(from: string, to: string): Promise<void> {
    await this.#makeFolder(dirname(to));
    await fs.rename(from, to);
    await flushFolder(dirname(to));
  }

  /** An existing directory may not have been synced yet by a concurrent call. */
  async #makeFolder(path: string): Promise<void> {
    if (this.#lasting.has(path)) return;
    await fs.mkdir(path, { recursive: true, mode: FOLDER_MODE });
    for (let made = path; made !== this.#folder; made = dirname(made)) await flushFolder(dirname(made));
    this.#lasting.add(path);
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }

  #blobPath(digest: string): string {
    return this.#path(join('blobs', algorithmOf(digest), digest.slice(digest.indexOf(':') + 1)));
  }

  #uploadPath(id: string): string {
    assert(/^[0-9a-f-]{1,64}$/.test(id), 'the upload id is validated');
    return this.#path(join('uploads', id));
  }

  #recordPath(key: string): string {
    const parts = key.split('/');
    // Callers validate keys; this is a second line of defence.
    assert(
      parts.every((part) => /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(part)),
      'record keys consist of plain names',
    );
    return this.#path(join('records', ...parts.map(encodedName)));
  }
}

function encodedName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `=${letter.toLowerCase()}`);
}

function decodedKey(path: string): string {
  return path.replace(/=([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Creates missing parents. */
async function makeRoot(path: string): Promise<void> {
  const first = await fs.mkdir(path, { recursive: true, mode: FOLDER_MODE });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await flushFolder(dirname(made));
}

/** Makes entries of the directory durable. */
async function flushFolder(path: string): Promise<void> {
  const handle = await fs.open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function remove(path: string): Promise<void> {
  const gone = await ifThere(fs.unlink(path).then(() => true));
  if (gone === true) await flushFolder(dirname(path));
}

async function fileDigest(path: string, algorithm: Algorithm): Promise<string> {
  const hash = createHash(algorithm);
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  return `${algorithm}:${hash.digest('hex')}`;
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await ifThere(fs.stat(path)))?.size;
}

async function ifThere<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
