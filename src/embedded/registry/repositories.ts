/**
 * The records of a registry: blobs, manifests and tags of each repository.
 *
 *     repositories/<name>/_blobs/sha256/<hex>                       the time of its link
 *     repositories/<name>/_manifests/sha256/<hex>                   its media type
 *     repositories/<name>/_tags/<tag>                               a digest
 *     repositories/<name>/_referrers/sha256/<hex>/sha256/<hex>      subject and referrer
 *
 * Name components never begin with `_`, so repositories and records cannot collide.
 */
import type { RegistryStore } from './registry-store.ts';

export class Repositories {
  readonly #store: RegistryStore;

  constructor(store: RegistryStore) {
    this.#store = store;
  }

  async hasBlob(name: string, digest: string): Promise<boolean> {
    return (await this.#store.getRecord(blobKey(name, digest))) !== undefined;
  }

  async addBlob(name: string, digest: string, atMs: number): Promise<void> {
    await this.#store.putRecord(blobKey(name, digest), String(atMs));
  }

  /** When it was linked, in milliseconds since 1970. */
  async blobAddedAt(name: string, digest: string): Promise<number> {
    return Number((await this.#store.getRecord(blobKey(name, digest))) ?? 0);
  }

  async removeBlob(name: string, digest: string): Promise<void> {
    await this.#store.removeRecord(blobKey(name, digest));
  }

  /** The media type it was pushed with. */
  async manifestType(name: string, digest: string): Promise<string | undefined> {
    return await this.#store.getRecord(manifestKey(name, digest));
  }

  async addManifest(name: string, digest: string, mediaType: string): Promise<void> {
    await this.#store.putRecord(manifestKey(name, digest), mediaType);
  }

  async removeManifest(name: string, digest: string): Promise<void> {
    await this.#store.removeRecord(manifestKey(name, digest));
  }

  async tag(name: string, tag: string): Promise<string | undefined> {
    return await this.#store.getRecord(`${folderOf(name)}/_tags/${tag}`);
  }

  async setTag(name: string, tag: string, digest: string): Promise<void> {
    await this.#store.putRecord(`${folderOf(name)}/_tags/${tag}`, digest);
  }

  async removeTag(name: string, tag: string): Promise<void> {
    await this.#store.removeRecord(`${folderOf(name)}/_tags/${tag}`);
  }

  async tags(name: string): Promise<readonly string[]> {
    const folder = `${folderOf(name)}/_tags`;
    return (await this.#store.listRecords(folder)).map((key) => key.slice(folder.length + 1));
  }

  async addReferrer(name: string, link: ReferrerLink): Promise<void> {
    await this.#store.putRecord(referrerKey(name, link), '');
  }

  async removeReferrer(name: string, link: ReferrerLink): Promise<void> {
    await this.#store.removeRecord(referrerKey(name, link));
  }

  /** The digests of referrers of the subject. */
  async referrers(name: string, subject: string): Promise<readonly string[]> {
    const folder = `${folderOf(name)}/_referrers/${pathOf(subject)}`;
    return digestsIn(await this.#store.listRecords(folder), folder);
  }

  async manifests(name: string): Promise<readonly string[]> {
    const folder = `${folderOf(name)}/_manifests`;
    return digestsIn(await this.#store.listRecords(folder), folder);
  }

  async blobs(name: string): Promise<readonly string[]> {
    const folder = `${folderOf(name)}/_blobs`;
    return digestsIn(await this.#store.listRecords(folder), folder);
  }

  /** Non-empty repositories, sorted. */
  async names(): Promise<readonly string[]> {
    const found = new Set<string>();
    for (const key of await this.#store.listRecords(ROOT)) {
      const name = /^repositories\/(.+?)\/_/.exec(key)?.[1];
      if (name !== undefined) found.add(name);
    }
    return [...found].sort();
  }

  /** Whether the repository is not empty. */
  async exists(name: string): Promise<boolean> {
    const kinds = await Promise.all([this.manifests(name), this.blobs(name)]);
    return kinds.some((digests) => digests.length > 0);
  }
}

type ReferrerLink = { readonly subject: string; readonly referrer: string };

const ROOT = 'repositories';

function folderOf(name: string): string {
  return `${ROOT}/${name}`;
}

function blobKey(name: string, digest: string): string {
  return `${folderOf(name)}/_blobs/${pathOf(digest)}`;
}

function manifestKey(name: string, digest: string): string {
  return `${folderOf(name)}/_manifests/${pathOf(digest)}`;
}

function referrerKey(name: string, { subject, referrer }: ReferrerLink): string {
  return `${folderOf(name)}/_referrers/${pathOf(subject)}/${pathOf(referrer)}`;
}

function pathOf(digest: string): string {
  return digest.replace(':', '/');
}

function digestsIn(keys: readonly string[], folder: string): readonly string[] {
  return keys.map((key) => key.slice(folder.length + 1).replace('/', ':'));
}
