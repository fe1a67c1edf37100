/**
 * Shared dependencies and limits of the registry handlers.
 */
import type { Env } from '../../base/env.ts';
import type { RegistryStore } from './registry-store.ts';
import type { Repositories } from './repositories.ts';
import type { SharedLock } from './shared-lock.ts';

export type RegistryParts = {
  readonly store: RegistryStore;
  readonly repositories: Repositories;
  /** Held by writers, so that garbage collection does not remove content in use. */
  readonly lock: SharedLock;
  readonly env: Pick<Env, 'clock' | 'random'>;
  readonly limits: RegistryServerLimits;
};

export type RegistryServerLimits = {
  readonly blobBytes: number;
  /** Concurrent uploads. */
  readonly uploads: number;
  /** Idle uploads older than this are dropped when the limit is reached. */
  readonly uploadIdleMs: number;
  /** Maximum page size of lists. */
  readonly pageSize: number;
};

export const DEFAULT_SERVER_LIMITS: RegistryServerLimits = {
  blobBytes: 16 * 1024 * 1024 * 1024,
  uploads: 256,
  uploadIdleMs: 60 * 60 * 1000,
  pageSize: 1_000,
};
