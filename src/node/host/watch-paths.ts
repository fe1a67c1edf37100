/**
 * Watches paths of a machine: every name that is looked up for them, including links, so that a new folder,
 * a changed link and a replaced file are all noticed.
 */
import { DiskError } from './disk.ts';
import { inFolder, isWithin } from './disk-paths.ts';
import { followLinks } from './follow-links.ts';
import type { HostRoot } from './host-root.ts';

type Watch = {
  readonly paths: readonly string[];
  /** May be called without a change, but never misses one. */
  readonly onChange: () => void;
  readonly signal: AbortSignal;
};

/** Resolves once all paths are watched. */
export async function watchPaths(at: HostRoot, watch: Watch): Promise<void> {
  const watching = new PathWatch(at, watch);
  await watching.arm();
}

type Watched = { names: ReadonlySet<string>; readonly end: () => void };

class PathWatch {
  readonly #at: HostRoot;
  readonly #watch: Watch;
  readonly #folders = new Map<string, Watched>();
  #arming: Promise<boolean> | undefined;
  #isStale: boolean = false;

  constructor(at: HostRoot, watch: Watch) {
    this.#at = at;
    this.#watch = watch;
    watch.signal.addEventListener('abort', () => this.#end(), { once: true });
  }

  /** Returns whether new folders are watched. */
  async arm(): Promise<boolean> {
    const wanted = new Map<string, Set<string>>();
    for (const path of this.#watch.paths) await this.#lookUp(path, wanted);
    if (this.#watch.signal.aborted) return false;
    for (const [folder, { end }] of this.#folders) {
      if (wanted.has(folder)) continue;
      end();
      this.#folders.delete(folder);
    }
    let isNew = false;
    for (const [folder, names] of wanted) isNew = this.#watchFolder(folder, names) || isNew;
    return isNew;
  }

  async #lookUp(path: string, wanted: Map<string, Set<string>>): Promise<void> {
    const onLookup = (folder: string, name: string) => {
      wanted.set(folder, (wanted.get(folder) ?? new Set()).add(name));
    };
    try {
      await followLinks({ ...this.#at, path, isLastFollowed: true, onLookup });
    } catch (error) {
      // The existing part of the path is watched; its continuation is noticed from there.
      if (!(error instanceof DiskError)) throw error;
    }
  }

  #watchFolder(folder: string, names: ReadonlySet<string>): boolean {
    const known = this.#folders.get(folder);
    if (known !== undefined) {
      known.names = names;
      return false;
    }
    try {
      const end = this.#at.disk.watch(folder, (name) => this.#hear(folder, name));
      this.#folders.set(folder, { names, end });
      return true;
    } catch (error) {
      if (error instanceof DiskError) return true;
      throw error;
    }
  }

  #hear(folder: string, name: string | undefined): void {
    const watched = this.#folders.get(folder);
    if (watched === undefined || this.#watch.signal.aborted) return;
    if (name !== undefined && !watched.names.has(name)) return;
    this.#watch.onChange();
    this.#forget(name === undefined ? folder : inFolder(folder, name));
    this.#isStale = true;
    this.#arming ??= this.#armAgain();
  }

  /** A replaced folder is another one with the same name, and is watched anew. */
  #forget(changed: string): void {
    for (const [folder, { end }] of this.#folders) {
      if (!isWithin(changed, folder)) continue;
      end();
      this.#folders.delete(folder);
    }
  }

  async #armAgain(): Promise<boolean> {
    try {
      while (this.#isStale && !this.#watch.signal.aborted) {
        this.#isStale = false;
        // Changes in a folder before it was watched were missed.
        if (await this.arm()) this.#watch.onChange();
      }
      return true;
    } catch {
      // The machine is going down. The caller checks once more, and fails there.
      this.#end();
      this.#watch.onChange();
      return false;
    } finally {
      this.#arming = undefined;
    }
  }

  #end(): void {
    for (const { end } of this.#folders.values()) end();
    this.#folders.clear();
  }
}
