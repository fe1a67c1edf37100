/**
 * The registry client: pulls and pushes images.
 *
 * Failures have the messages of `skopeo` or `rpm-ostree`, with the registry's own text:
 * `reading manifest v2 in quay.io/team/os: manifest unknown`. Its `reason` is the registry's code (`ManifestUnknown`),
 * or `Unreachable`, `DigestMismatch`, `SizeMismatch`, `NoSuchPlatform`, `BadManifest`.
 */
import type { Env } from '../base/env.ts';
import { Failure, formatProblem, type Outcome } from '../base/errors.ts';
import type { Credentials } from './auth-file.ts';
import { choosePlatform } from './choose-platform.ts';
import { algorithmOf, digestOf, isDigest } from './digest.ts';
import { readErrorResponse, responseFailure } from './error-response.ts';
import { type ImageConfig, parseImageConfig } from './image-config.ts';
import { type ImageReference, repositoryText, tagOrDigest } from './image-reference.ts';
import { DEFAULT_REGISTRY_LIMITS, type RegistryLimits } from './limits.ts';
import { listTags } from './list-tags.ts';
import {
  type Descriptor,
  type Index,
  MAX_MANIFEST_BYTES,
  type Manifest,
  type Platform,
  parseManifest,
} from './manifest.ts';
import { bareMediaType, MANIFEST_TYPES } from './media-types.ts';
import { isLoopback } from './names.ts';
import { pullBlob } from './pull-blob.ts';
import { type BlobSource, checkUpload, type PushedBlob, pushBlob } from './push-blob.ts';
import { readBytes } from './read-bytes.ts';
import { type RegistryRequest, type RegistryResponse, Requests } from './requests.ts';
import type { RegistryTransport } from './transport.ts';

export type RegistryClientOptions = {
  readonly transport: RegistryTransport;
  readonly env: Pick<Env, 'clock' | 'random' | 'signal'>;
  /** Called with `host/repository`, like `credentialsFor(authFile, repository)`. By default anonymous. */
  readonly credentialsFor?: (repository: string) => Credentials | undefined;
  /** Hosts with plain HTTP. By default localhost. */
  readonly isPlainHttp?: (host: string) => boolean;
  readonly userAgent?: string;
  readonly limits?: Partial<RegistryLimits>;
};

export interface RegistryClient {
  /** The manifest or index of the reference. */
  resolve(reference: ImageReference, options?: CallOptions): Promise<Descriptor>;
  fetchManifest(reference: ImageReference, options?: CallOptions): Promise<FetchedManifest>;
  /** The manifest of the image for a platform, without its config. */
  fetchInstance(
    reference: ImageReference,
    platform: Platform,
    options?: CallOptions,
  ): Promise<Omit<FetchedImage, 'config'>>;
  /** The image for a platform: the referenced one, or the one that the referenced index has for it. */
  fetchImage(reference: ImageReference, platform: Platform, options?: CallOptions): Promise<FetchedImage>;
  /** Streams a blob; it is verified only at its end. */
  readBlob(repository: Repository, descriptor: BlobName, options?: CallOptions): AsyncIterable<Uint8Array>;
  tags(repository: Repository, options?: CallOptions): Promise<readonly string[]>;
  pushBlob(repository: Repository, source: BlobSource, options?: PushOptions): Promise<PushedBlob>;
  /** Resolves where the registry would accept an upload to the repository. */
  checkPush(repository: Repository, options?: CallOptions): Promise<void>;
  /** Under the tag of the reference, or its digest. */
  pushManifest(
    reference: ImageReference,
    manifest: { readonly bytes: Uint8Array; readonly mediaType: string },
    options?: CallOptions,
  ): Promise<Descriptor>;
  /** By digest: all of its tags are deleted, too. */
  deleteManifest(reference: ImageReference, options?: CallOptions): Promise<void>;
}

type Repository = Pick<ImageReference, 'host' | 'repository'>;
type BlobName = Pick<Descriptor, 'digest' | 'size'>;
export type CallOptions = { readonly signal?: AbortSignal };
type PushOptions = CallOptions & { readonly mountFrom?: string; readonly chunkBytes?: number };

type FetchedManifest = {
  readonly descriptor: Descriptor;
  /** Unchanged: the digest is of these bytes. */
  readonly bytes: Uint8Array;
  readonly manifest: Manifest | Index;
};

export type FetchedImage = {
  /** Of the referenced manifest, which may be an index. */
  readonly named: Descriptor;
  /** Of the image itself. */
  readonly descriptor: Descriptor;
  readonly manifest: Manifest;
  readonly config: ImageConfig;
};

export function createRegistryClient(options: RegistryClientOptions): RegistryClient {
  return new HttpRegistryClient(options);
}

class HttpRegistryClient implements RegistryClient {
  readonly #options: RegistryClientOptions;
  readonly #limits: RegistryLimits;
  readonly #requests: Requests;

  constructor(options: RegistryClientOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_REGISTRY_LIMITS, ...options.limits };
    this.#requests = new Requests({
      transport: options.transport,
      env: options.env,
      credentialsFor: options.credentialsFor ?? (() => undefined),
      isPlainHttp: options.isPlainHttp ?? isLoopback,
      userAgent: options.userAgent ?? 'millwright',
      limits: this.#limits,
    });
  }

  async resolve(reference: ImageReference, options: CallOptions = {}): Promise<Descriptor> {
    const answer = await this.#askManifest(reference, 'HEAD', options);
    const digest = answer.headers['docker-content-digest'] ?? '';
    const size = Number(answer.headers['content-length']);
    if (answer.status !== 200 || !isDigest(digest) || !Number.isSafeInteger(size)) {
      // A response to HEAD has no error message, and not every registry sends the digest.
      return (await this.fetchManifest(reference, options)).descriptor;
    }
    return { mediaType: bareMediaType(answer.headers['content-type']), digest, size };
  }

  async fetchManifest(reference: ImageReference, options: CallOptions = {}): Promise<FetchedManifest> {
    const answer = await this.#askManifest(reference, 'GET', options);
    const doing = readingManifest(reference);
    if (answer.status !== 200) throw responseFailure(doing, await readErrorResponse(answer));
    const bytes = await readBytes(answer.body, MAX_MANIFEST_BYTES);
    if (bytes === undefined) {
      throw new Failure('stalled', 'BadManifest', `${doing}: it is larger than ${MAX_MANIFEST_BYTES} bytes`);
    }
    const digest = provedDigest(reference, bytes, answer);
    const manifest = read(doing, parseManifest(bytes, bareMediaType(answer.headers['content-type'])));
    return { descriptor: { mediaType: manifest.mediaType, digest, size: bytes.length }, bytes, manifest };
  }

  async fetchInstance(
    reference: ImageReference,
    platform: Platform,
    options: CallOptions = {},
  ): Promise<Omit<FetchedImage, 'config'>> {
    const named = await this.fetchManifest(reference, options);
    const { descriptor, manifest } =
      named.manifest.kind === 'image'
        ? { descriptor: named.descriptor, manifest: named.manifest }
        : await this.#fetchInstance(reference, named.manifest, platform, options);
    return { named: named.descriptor, descriptor, manifest };
  }

  async fetchImage(
    reference: ImageReference,
    platform: Platform,
    options: CallOptions = {},
  ): Promise<FetchedImage> {
    const instance = await this.fetchInstance(reference, platform, options);
    const config = await this.#fetchConfig(reference, instance.manifest, options);
    return { ...instance, config };
  }

  readBlob(
    { host, repository }: Repository,
    descriptor: BlobName,
    { signal }: CallOptions = {},
  ): AsyncIterable<Uint8Array> {
    const [requests, limits, { env }] = [this.#requests, this.#limits, this.#options];
    return pullBlob({ requests, env, limits, host, repository, descriptor, signal });
  }

  tags(repository: Repository, { signal }: CallOptions = {}): Promise<readonly string[]> {
    return listTags(this.#requests, { ...repository, limit: this.#limits.tags, signal });
  }

  pushBlob(
    { host, repository }: Repository,
    source: BlobSource,
    { mountFrom, chunkBytes, signal }: PushOptions = {},
  ): Promise<PushedBlob> {
    const { attempts } = this.#limits;
    const requests = this.#requests;
    return pushBlob({ requests, host, repository, source, mountFrom, chunkBytes, attempts, signal });
  }

  checkPush({ host, repository }: Repository, { signal }: CallOptions = {}): Promise<void> {
    return checkUpload({ requests: this.#requests, host, repository, signal });
  }

  async pushManifest(
    reference: ImageReference,
    { bytes, mediaType }: { readonly bytes: Uint8Array; readonly mediaType: string },
    options: CallOptions = {},
  ): Promise<Descriptor> {
    const doing = `writing manifest to ${repositoryText(reference)}`;
    const digest = digestOf(bytes, algorithmOf(reference.digest ?? digestOf(bytes)));
    if (reference.digest !== undefined && reference.digest !== digest) {
      throw new Failure('stalled', 'DigestMismatch', `${doing}: it is ${digest}, not ${reference.digest}`);
    }
    const answer = await this.#requests.ask({
      ...this.#ask(reference, 'PUT', options),
      actions: 'pull,push',
      isRepeatable: true,
      body: () => bytes,
      headers: { 'content-type': mediaType, 'content-length': String(bytes.length) },
    });
    if (answer.status !== 201) throw responseFailure(doing, await readErrorResponse(answer));
    return { mediaType, digest, size: bytes.length };
  }

  async deleteManifest(reference: ImageReference, options: CallOptions = {}): Promise<void> {
    const answer = await this.#requests.ask({
      ...this.#ask(reference, 'DELETE', options),
      actions: 'delete',
      isRepeatable: true,
    });
    if (answer.status === 202) return;
    throw responseFailure(
      `deleting ${repositoryText(reference)}@${tagOrDigest(reference)}`,
      await readErrorResponse(answer),
    );
  }

  async #fetchInstance(
    reference: ImageReference,
    index: Index,
    platform: Platform,
    options: CallOptions,
  ): Promise<{ readonly descriptor: Descriptor; readonly manifest: Manifest }> {
    const entry = choosePlatform(index, platform);
    if (entry === undefined) throw noSuchPlatform(platform);
    const { host, repository } = reference;
    const { descriptor, manifest } = await this.fetchManifest(
      { host, repository, digest: entry.digest },
      options,
    );
    if (manifest.kind === 'image') return { descriptor, manifest };
    const message = `${readingManifest({ ...reference, digest: entry.digest })}: an index within an index`;
    throw new Failure('stalled', 'BadManifest', message);
  }

  async #fetchConfig(
    repository: Repository,
    { config }: Manifest,
    options: CallOptions,
  ): Promise<ImageConfig> {
    const doing = `reading config ${config.digest} of ${repositoryText(repository)}`;
    const bytes =
      config.size > this.#limits.configBytes
        ? undefined
        : await readBytes(this.readBlob(repository, config, options), config.size);
    if (bytes === undefined) throw new Failure('stalled', 'BadManifest', `${doing}: it is too large`);
    return read(doing, parseImageConfig(bytes));
  }

  #askManifest(
    reference: ImageReference,
    method: 'GET' | 'HEAD',
    options: CallOptions,
  ): Promise<RegistryResponse> {
    return this.#requests.ask({
      ...this.#ask(reference, method, options),
      headers: { accept: MANIFEST_TYPES.join(', ') },
    });
  }

  #ask(
    reference: ImageReference,
    method: RegistryRequest['method'],
    { signal }: CallOptions,
  ): RegistryRequest {
    const { host, repository } = reference;
    return {
      host,
      repository,
      actions: 'pull',
      method,
      to: { path: `manifests/${tagOrDigest(reference)}` },
      signal,
    };
  }
}

function readingManifest(reference: ImageReference): string {
  return `reading manifest ${tagOrDigest(reference)} in ${repositoryText(reference)}`;
}

/** The digest of the received bytes. It must be the requested one, and the one that the registry sends. */
function provedDigest(reference: ImageReference, bytes: Uint8Array, { headers }: RegistryResponse): string {
  const sent = headers['docker-content-digest'];
  const expected = reference.digest ?? (sent !== undefined && isDigest(sent) ? sent : undefined);
  const digest = digestOf(bytes, expected === undefined ? 'sha256' : algorithmOf(expected));
  if (expected === undefined || expected === digest) return digest;
  const message = `${readingManifest(reference)}: Manifest does not match provided manifest digest ${expected}`;
  throw new Failure('stalled', 'DigestMismatch', message);
}

function read<T>(doing: string, outcome: Outcome<T>): T {
  if (outcome.kind === 'ok') return outcome.value;
  throw new Failure('stalled', 'BadManifest', `${doing}: ${outcome.problems.map(formatProblem).join('; ')}`);
}

function noSuchPlatform({ os, architecture, variant = '' }: Platform): Failure {
  const message = `choosing image instance: no image found in image index for architecture "${architecture}", variant "${variant}", OS "${os}"`;
  return new Failure('stalled', 'NoSuchPlatform', message);
}
