/** A registry in memory with one small OS image, and the pulls of nodes through whatever stands before it. */
import type { Env } from '../../src/base/env.ts';
import {
  createInProcessRegistryTransport,
  createMemoryRegistryStore,
  createRegistry,
} from '../../src/embedded/registry/index.ts';
import type { RegistryHandler } from '../../src/embedded/registry/registry-http.ts';
import { createNodeImages, type NodeImages } from '../../src/embedded/up/node-images.ts';
import { buildImage, createRegistryClient, parseImageReference, pushImage } from '../../src/images/index.ts';

export const REGISTRY = 'registry.example.com';
const REPOSITORY = `${REGISTRY}/team/os`;
const PLATFORM = { os: 'linux', architecture: 'amd64' };
const FILES = {
  'usr/lib/os-release': 'ID=scos\nVARIANT_ID=coreos\nVERSION_ID="9.6"\n',
  'etc/passwd': 'root:x:0:0:root:/root:/bin/bash\n',
  'usr/bin/yq': 'yq',
};

export type ImageRegistry = {
  /** By digest. */
  readonly image: string;
  readonly manifest: string;
  readonly images: NodeImages;
};

/** `wrap` is asked at every request of a node. */
export async function createImageRegistry(
  env: Env,
  wrap: (handle: RegistryHandler) => RegistryHandler,
): Promise<ImageRegistry> {
  const { handle } = createRegistry({ store: createMemoryRegistryStore(), env });
  const open = createInProcessRegistryTransport(new Map([[REGISTRY, handle]]));
  const reference = parseImageReference(`${REPOSITORY}:built`);
  if (reference.kind === 'invalid') throw new Error('it is a reference');
  const items = Object.entries(FILES).map(([path, text]) => ({
    ...{ kind: 'file' as const, path, mode: 0o644, mtime: 0 },
    content: new TextEncoder().encode(text),
  }));
  const built = buildImage({
    platform: PLATFORM,
    layers: [{ items }],
    labels: { version: '9.6.7' },
    created: '2026-01-01T00:00:00Z',
  });
  await pushImage(createRegistryClient({ transport: open, env }), reference.value, built);
  const manifest = built.top.descriptor.digest;
  const transport = createInProcessRegistryTransport(
    new Map([[REGISTRY, (request) => wrap(handle)(request)]]),
  );
  const images = createNodeImages({
    clientFor: ({ credentialsFor }) => createRegistryClient({ transport, env, credentialsFor }),
    platform: PLATFORM,
  });
  return { image: `${REPOSITORY}@${manifest}`, manifest, images };
}
