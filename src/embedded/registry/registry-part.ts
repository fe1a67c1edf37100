/**
 * What the parts of the registry work with, and its limits.
 */
import type { Env } from '../../base/env.ts';
import type { RegistryStore } from './registry-store.ts';
import type { Repositories } from './repositories.ts';
import type { SharedLock } from './shared-lock.ts';

export type RegistryParts = {
  readonly store: RegistryStore;
  readonly repositories: Repositories;
  /** Whoever adds something works under it, so that nothing is cleared away which is about to be used. */
  readonly lock: SharedLock;
  readonly env: Pick<Env, 'clock' | 'random'>;
  readonly limits: RegistryServerLimits;
};

export type RegistryServerLimits = {
  readonly blobBytes: number;
  /** At the same time. */
  readonly uploads: number;
  /** One that nobody has gone on with for so long is dropped when room is needed. */
  readonly uploadIdleMs: number;
  /** Of a list, where the client does not ask for fewer. */
  readonly pageSize: number;
};

export const DEFAULT_SERVER_LIMITS: RegistryServerLimits = {
  blobBytes: 16 * 1024 * 1024 * 1024,
  uploads: 256,
  uploadIdleMs: 60 * 60 * 1000,
  pageSize: 1_000,
};
