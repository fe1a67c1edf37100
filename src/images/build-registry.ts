/**
 * What the build controller asks of registries: is an image there, may one be pushed, delete one.
 *
 * Each call has its own credentials, since every MachineOSConfig has its own.
 */
import type { Env } from '../base/env.ts';
import { errorText, Failure } from '../base/errors.ts';
import { credentialsFor, parseAuthFile } from './auth-file.ts';
import type { ImageState, PushState } from './builds/build-snapshot.ts';
import { createRegistryClient, type RegistryClient } from './client.ts';
import { type ImageReference, parseImageReference } from './image-reference.ts';
import type { Manifest } from './manifest.ts';
import { createTrustingTransport } from './registry-certificates.ts';
import type { RegistryTransport } from './transport.ts';

export type BuildRegistry = {
  /** Never rejects: what went wrong is the answer. */
  readonly inspect: (image: string, authFile: string) => Promise<ImageState>;
  /** The digest of a tag; undefined where there is no such image. */
  readonly digestOf: (reference: string, authFile: string) => Promise<string | undefined>;
  readonly checkPush: (reference: string, authFile: string) => Promise<PushState>;
  /**
   * Deletes a manifest with its tags. One that is gone already is fine. The answer is why it cannot be deleted, where the
   * registry refuses for good; what may be better later rejects.
   */
  readonly remove: (image: string, authFile: string) => Promise<string | undefined>;
};

type BuildRegistryOptions = {
  readonly transport: RegistryTransport;
  readonly env: Pick<Env, 'clock' | 'random' | 'signal'>;
  /** The CAs to trust for a registry in addition to those of the system, in PEM format. */
  readonly authoritiesFor?: (registry: string) => Promise<string | undefined>;
  /** By default registries on this machine. */
  readonly isPlainHttp?: (host: string) => boolean;
};

export function createBuildRegistry(options: BuildRegistryOptions): BuildRegistry {
  const clientFor = async ({ host }: ImageReference, authFile: string): Promise<RegistryClient> => {
    const parsed = parseAuthFile(authFile);
    const authorities = await options.authoritiesFor?.(host);
    return createRegistryClient({
      ...options,
      transport: createTrustingTransport(options.transport, authorities),
      ...(parsed.kind === 'invalid'
        ? {}
        : { credentialsFor: (repository) => credentialsFor(parsed.value, repository) }),
    });
  };
  return {
    async inspect(image, authFile) {
      try {
        const reference = referenceOf(image);
        const { manifest } = await (await clientFor(reference, authFile)).fetchManifest(reference);
        return { kind: 'present', ...(manifest.kind === 'image' ? { bytes: bytesOf(manifest) } : {}) };
      } catch (error) {
        return isMissing(error) ? { kind: 'missing' } : { kind: 'error', message: errorText(error) };
      }
    },
    async digestOf(image, authFile) {
      try {
        const reference = referenceOf(image);
        return (await (await clientFor(reference, authFile)).resolve(reference)).digest;
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    async checkPush(image, authFile) {
      try {
        const reference = referenceOf(image);
        await (await clientFor(reference, authFile)).checkPush(reference);
        return { kind: 'allowed' };
      } catch (error) {
        return { kind: 'error', message: errorText(error) };
      }
    },
    async remove(image, authFile) {
      try {
        const reference = referenceOf(image);
        await (await clientFor(reference, authFile)).deleteManifest(reference);
        return undefined;
      } catch (error) {
        if (isMissing(error)) return undefined;
        if (error instanceof Failure && error.kind === 'stalled') return error.message;
        throw error;
      }
    },
  };
}

function referenceOf(image: string): ImageReference {
  const parsed = parseImageReference(image);
  if (parsed.kind === 'ok') return parsed.value;
  throw new Failure('stalled', 'BadReference', parsed.problems[0]?.message ?? image);
}

function bytesOf({ config, layers }: Manifest): number {
  return layers.reduce((sum, { size }) => sum + size, config.size);
}

/** By the code of the registry; Quay answers so for images that have expired. */
function isMissing(error: unknown): boolean {
  return error instanceof Failure && ['ManifestUnknown', 'NameUnknown', 'NotFound'].includes(error.reason);
}
