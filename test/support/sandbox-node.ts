/**
 * A sandbox node with inspection functions, and two registries that it can pull from: a mirror and a source.
 */

import {
  createInProcessRegistryTransport,
  createMemoryRegistryStore,
  createRegistry,
} from '../../src/embedded/registry/index.ts';
import {
  createMemoryDisk,
  createSandboxMachine,
  type SandboxMachine,
} from '../../src/embedded/sandbox/index.ts';
import { createNodeImages } from '../../src/embedded/up/node-images.ts';
import { createNodeRoutes, type NodeRoutes } from '../../src/embedded/up/node-routes.ts';
import {
  buildImage,
  createRegistryClient,
  parseImageReference,
  pushImage,
  type RegistryClient,
} from '../../src/images/index.ts';
import type { Host } from '../../src/node/host/index.ts';
import { anImage, pullFrom } from '../host/an-image.ts';
import { type VirtualEnv, virtualEnv } from './virtual-env.ts';

export type SandboxNodeScene = {
  readonly env: VirtualEnv;
  readonly machine: SandboxMachine;
  readonly host: Host;
  readonly routes: NodeRoutes;
  readonly client: RegistryClient;
  readonly write: (path: string, text: string) => Promise<void>;
  /** By its tag; returns its digest. */
  readonly push: (name: string) => Promise<string>;
};

const PLATFORM = { os: 'linux', architecture: 'amd64' };
export const OS_IMAGE = 'registry.example/os:old';
export const NEXT_OS_IMAGE = 'registry.example/os:new';

export async function sandboxNode(name: string): Promise<SandboxNodeScene> {
  const env = virtualEnv();
  const registries = ['mirror.example', 'registry-1.docker.io', 'quay.io'].map((host) => {
    const { handle } = createRegistry({ store: createMemoryRegistryStore(), env });
    return [host, handle] as const;
  });
  const transport = createInProcessRegistryTransport(new Map(registries));
  const client = createRegistryClient({ transport, env, limits: { attempts: 1 } });
  const machine = createSandboxMachine({
    ...{ disk: createMemoryDisk(), clock: env.clock, random: env.random },
    pullImage: pullFrom({
      [OS_IMAGE]: anImage(),
      [NEXT_OS_IMAGE]: anImage({ digest: 'b', version: '9.6.2' }),
    }),
    durations: { bootMs: 1_000, shutDownMs: 1_000, pullMs: 0, stageMs: 0 },
  });
  await machine.provision({ image: OS_IMAGE });
  await machine.boot();
  const { pull } = createNodeImages({ clientFor: () => client, platform: PLATFORM });
  return {
    ...{ env, machine, client },
    get host() {
      return machine.host;
    },
    routes: createNodeRoutes({ machineOf: (node) => (node === name ? machine : undefined), pull }),
    write: (path, text) =>
      machine.host.files.write(path, { bytes: new TextEncoder().encode(text), mode: 0o644, owner: ROOT }),
    async push(tagged) {
      const reference = parseImageReference(tagged);
      if (reference.kind === 'invalid') throw new Error('it is a reference');
      const image = buildImage({
        platform: PLATFORM,
        layers: [],
        labels: {},
        created: '2026-01-01T00:00:00Z',
      });
      await pushImage(client, reference.value, image);
      return image.top.descriptor.digest;
    },
  };
}

const ROOT = { uid: 0, gid: 0 };
