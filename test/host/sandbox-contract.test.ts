import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { createDirectoryDisk } from '../../src/embedded/sandbox/directory-node.ts';
import { createMemoryDisk } from '../../src/embedded/sandbox/index.ts';
import { hostContract } from '../../src/node/host/contract.ts';
import { seededRandom } from '../support/virtual-env.ts';
import { makePipe } from './make-pipe.ts';
import { sandboxScene } from './sandbox-scene.ts';

describe('a sandbox in memory', () =>
  hostContract({ hasUnits: true, create: () => sandboxScene({ disk: createMemoryDisk() }) }));

describe('a sandbox in a directory', () =>
  hostContract({
    hasUnits: true,
    async create() {
      const folder = await mkdtemp(join(tmpdir(), 'millwright-host-'));
      return await sandboxScene({
        disk: createDirectoryDisk({ folder, random: seededRandom(3) }),
        makeSpecial: (path) => makePipe(join(folder, 'rootfs', path)),
        close: () => rm(folder, { recursive: true, force: true }),
      });
    },
  }));
