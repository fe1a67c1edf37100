/**
 * Garbage collection of blobs that no manifest references. Recent blobs are kept, since their manifest may still be pushed.
 */
import { forgetManifest, storedManifest } from './registry-manifests.ts';
import type { RegistryParts } from './registry-part.ts';

export type GarbageOptions = {
  /** The minimum age of a blob. */
  readonly graceMs?: number;
  /** Whether untagged manifests without references are deleted too. */
  readonly withUntagged?: boolean;
};

export type Collected = {
  readonly manifests: number;
  readonly blobs: number;
  readonly bytes: number;
};

const DEFAULT_GRACE_MS = 60 * 60 * 1000;

export async function collectGarbage(
  parts: RegistryParts,
  { graceMs = DEFAULT_GRACE_MS, withUntagged = false }: GarbageOptions = {},
): Promise<Collected> {
  return await parts.lock.exclusive(async () => {
    const manifests = withUntagged ? await forgetUntagged(parts) : 0;
    const before = parts.env.clock.now() - graceMs;
    const needed = new Set([...(await neededBlobs(parts)), ...(await recentBlobs(parts, before))]);
    const all = await parts.store.listBlobs();
    const garbage = all.filter(({ digest }) => !needed.has(digest));
    const isGarbage = new Set(garbage.map(({ digest }) => digest));
    const isThere = new Set(all.map(({ digest }) => digest));
    // References first, so that none points to a deleted blob.
    for (const name of await parts.repositories.names()) {
      for (const digest of await parts.repositories.blobs(name)) {
        if (isGarbage.has(digest) || !isThere.has(digest)) await parts.repositories.removeBlob(name, digest);
      }
    }
    for (const digest of isGarbage) await parts.store.removeBlob(digest);
    return { manifests, blobs: garbage.length, bytes: garbage.reduce((sum, { size }) => sum + size, 0) };
  });
}

/** All manifests and the blobs they reference. */
async function neededBlobs(parts: RegistryParts): Promise<ReadonlySet<string>> {
  const needed = new Set<string>();
  for (const name of await parts.repositories.names()) {
    for (const digest of await parts.repositories.manifests(name)) {
      needed.add(digest);
      const manifest = await storedManifest(parts, name, digest);
      if (manifest?.kind !== 'image') continue;
      for (const part of [manifest.config, ...manifest.layers]) needed.add(part.digest);
    }
  }
  return needed;
}

/** Blobs recently pushed to or mounted into a repository. */
async function recentBlobs({ repositories }: RegistryParts, beforeMs: number): Promise<readonly string[]> {
  const recent: string[] = [];
  for (const name of await repositories.names()) {
    for (const digest of await repositories.blobs(name)) {
      if ((await repositories.blobAddedAt(name, digest)) > beforeMs) recent.push(digest);
    }
  }
  return recent;
}

async function forgetUntagged(parts: RegistryParts): Promise<number> {
  let count = 0;
  for (const name of await parts.repositories.names()) {
    const reachable = await reachableManifests(parts, name);
    for (const digest of await parts.repositories.manifests(name)) {
      if (reachable.has(digest)) continue;
      await forgetManifest(parts, name, digest);
      count += 1;
    }
  }
  return count;
}

/** Reachable from tags, through indexes and referrers. */
async function reachableManifests(parts: RegistryParts, name: string): Promise<ReadonlySet<string>> {
  const { repositories } = parts;
  const reachable = new Set<string>();
  const pending: string[] = [];
  for (const tag of await repositories.tags(name)) {
    const digest = await repositories.tag(name, tag);
    if (digest !== undefined) pending.push(digest);
  }
  for (let digest = pending.pop(); digest !== undefined; digest = pending.pop()) {
    if (reachable.has(digest)) continue;
    reachable.add(digest);
    const manifest = await storedManifest(parts, name, digest);
    if (manifest?.kind === 'index') pending.push(...manifest.manifests.map((entry) => entry.digest));
    pending.push(...(await repositories.referrers(name, digest)));
  }
  return reachable;
}
