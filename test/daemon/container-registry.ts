/** A registry in memory with container images, and what can happen to it while nodes pull from it. */
import type { Env } from '../../src/base/env.ts';
import {
  createInProcessRegistryTransport,
  createMemoryRegistryStore,
  createRegistry,
} from '../../src/embedded/registry/index.ts';
import type { RegistryHandler } from '../../src/embedded/registry/registry-http.ts';
import { createNodeImages, type NodeImages } from '../../src/embedded/up/node-images.ts';
import { buildImage, createRegistryClient, parseImageReference, pushImage } from '../../src/images/index.ts';

const HOST = 'registry.example.com';
const PLATFORM = { os: 'linux', architecture: 'amd64' };

export class ContainerRegistry {
  readonly images: NodeImages;
  /** Requests for layers and configs. */
  blobRequests = 0;
  #isDown: boolean = false;
  #isHeld: boolean = false;
  readonly #held: (() => void)[] = [];
  readonly #env: Env;
  readonly #handle: RegistryHandler;

  constructor(env: Env) {
    this.#env = env;
    this.#handle = createRegistry({ store: createMemoryRegistryStore(), env }).handle;
    const transport = createInProcessRegistryTransport(
      new Map([[HOST, (request) => this.#answer(request)] as const]),
    );
    this.images = createNodeImages({
      clientFor: ({ credentialsFor }) =>
        createRegistryClient({ transport, env, credentialsFor, limits: { attempts: 1 } }),
      platform: PLATFORM,
    });
  }

  /** Returns the image by digest. Each text is a layer. */
  async push(name: string, ...layers: readonly string[]): Promise<string> {
    const reference = parseImageReference(`${HOST}/${name}:latest`);
    if (reference.kind === 'invalid') throw new Error('it is a reference');
    const built = buildImage({
      platform: PLATFORM,
      layers: layers.map((text) => ({
        items: [
          {
            ...{ kind: 'file' as const, path: 'content', mode: 0o644, mtime: 0 },
            content: new TextEncoder().encode(text),
          },
        ],
      })),
      labels: {},
      created: '2026-01-01T00:00:00Z',
    });
    const transport = createInProcessRegistryTransport(new Map([[HOST, this.#handle]]));
    await pushImage(createRegistryClient({ transport, env: this.#env }), reference.value, built);
    return `${HOST}/${name}@${built.top.descriptor.digest}`;
  }

  /** It answers that it is unavailable, also to requests that are held. */
  goDown(): void {
    this.#isDown = true;
    this.release();
  }

  comeBack(): void {
    this.#isDown = false;
  }

  /** Blobs are not answered until they are released. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    for (const go of this.#held.splice(0)) go();
  }

  get held(): number {
    return this.#held.length;
  }

  async #answer(request: Parameters<RegistryHandler>[0]): ReturnType<RegistryHandler> {
    const isBlob = request.path.includes('/blobs/');
    if (isBlob) {
      this.blobRequests++;
      if (this.#isHeld) await new Promise<void>((resolve) => this.#held.push(resolve));
    }
    if (this.#isDown) return { status: 503, headers: {}, body: new Uint8Array() };
    return await this.#handle(request);
  }
}

export const aMissingImage = `${HOST}/gone@sha256:${'0'.repeat(64)}`;
