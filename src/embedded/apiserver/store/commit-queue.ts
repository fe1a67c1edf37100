/**
 * Group commit: commits queue while an earlier group is written, and then go to disk together, each still a
 * transaction of its own.
 */
import { Bug, Failure } from '../../../base/errors.ts';
import type { CommitResult, Write } from './store.ts';

/** More would wait longer than their callers do. */
export const MAX_PENDING_COMMITS = 10_000;
/** Limits a group, so that its first commit does not wait too long. */
export const MAX_GROUP_COMMITS = 256;
export const MAX_GROUP_BYTES = 8 * 1024 * 1024;

/** Writes a group, with one result per commit. If it rejects, all commits of the group do. */
type WriteGroup = (commits: readonly (readonly Write[])[]) => Promise<readonly CommitResult[]>;

type Pending = {
  readonly writes: readonly Write[];
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
};

export class CommitQueue {
  readonly #write: WriteGroup;
  #pending: Pending[] = [];
  #draining: Promise<void> | undefined;

  constructor(write: WriteGroup) {
    this.#write = write;
  }

  push(writes: readonly Write[]): Promise<CommitResult> {
    if (this.#pending.length >= MAX_PENDING_COMMITS) {
      const message = `${MAX_PENDING_COMMITS} writes are waiting for the disk already`;
      return Promise.reject(new Failure('transient', 'StoreBusy', message));
    }
    return new Promise((resolve, reject) => {
      this.#pending.push({ writes, resolve, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Resolves when the queue is empty. */
  async idle(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    // Commits of the same tick join the first group.
    await Promise.resolve();
    while (this.#pending.length > 0) {
      const group = this.#takeGroup();
      try {
        const results = await this.#write(group.map(({ writes }) => writes));
        for (const [index, { resolve, reject }] of group.entries()) {
          const result = results[index];
          if (result === undefined) reject(new Bug('a commit has no result'));
          else resolve(result);
        }
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#draining = undefined;
  }

  #takeGroup(): readonly Pending[] {
    let bytes = 0;
    let size = 0;
    for (const { writes } of this.#pending) {
      for (const write of writes) bytes += write.kind === 'put' ? write.value.length : 0;
      if (size > 0 && (size === MAX_GROUP_COMMITS || bytes > MAX_GROUP_BYTES)) break;
      size++;
    }
    return this.#pending.splice(0, size);
  }
}
