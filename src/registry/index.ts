/**
 * Container images: where they come from, where they go, and what they hold.
 *
 *     parseImageReference ─┐
 *     parseAuthFile ───────┼─> createRegistryClient ──HTTP──> any registry
 *                          │        │                            ├─ createRegistry over a RegistryStore: our own, for the
 *                          │        v                            │  embedded cluster, on a socket or in this process
 *                          └─> pullTree: files for a host        └─ others'
 *     buildOsImage ──> pushImage: the OS of sandbox nodes
 *
 *     readRegistriesConf ──> pullSources ──> createMirroredPuller: the way of a machine with mirrors to an image
 *
 * The client needs a transport (`transport-node.ts` for sockets, `createInProcessRegistryTransport` for registries in this
 * process); the registry needs a store (`registry-store-node.ts` for a folder, memory for tests) and a shell that gives
 * it a socket (`registry-server-node.ts`). Files named `-node` are for shells alone.
 *
 * What goes wrong is told in the words of the registry and of containers' tools, since people search for those. Nothing is
 * taken on trust: digests and sizes are checked while bytes come in, archives are read within limits, secrets go to those
 * alone whom they are for.
 *
 * Not here: policies of pulling, signatures, zstd, and running containers.
 *
 * Start with `client.ts`, then `registry-server.ts` and `os-image.ts`.
 */
export {
  type AuthFile,
  type Credentials,
  credentialsFor,
  NO_CREDENTIALS,
  parseAuthFile,
} from './auth-file.ts';
export {
  type BuiltImage,
  type BuiltManifest,
  buildImage,
  buildIndex,
  type ImageParts,
} from './build-image.ts';
export { choosePlatform } from './choose-platform.ts';
export {
  type BlobName,
  type CallOptions,
  createRegistryClient,
  type FetchedImage,
  type FetchedManifest,
  type PushOptions,
  type RegistryClient,
  type RegistryClientOptions,
  type Repository,
} from './client.ts';
export type { Collected, GarbageOptions } from './collect-garbage.ts';
export { type Algorithm, createDigester, digestOf, isDigest } from './digest.ts';
export { type FileTree, mergeLayers, type TreeEntry } from './file-tree.ts';
export { type ImageConfig, parseImageConfig } from './image-config.ts';
export { type ImageDescription, type ImageFolder, parseImageDescription } from './image-folder.ts';
export {
  type ImageReference,
  parseImageReference,
  referenceText,
  repositoryText,
  tagOrDigest,
} from './image-reference.ts';
export { createInProcessRegistryTransport } from './in-process-transport.ts';
export { createInsecureTransport } from './insecure-transport.ts';
export { DEFAULT_REGISTRY_LIMITS, type RegistryLimits } from './limits.ts';
export {
  type Descriptor,
  type ImageLayer,
  type Index,
  type IndexEntry,
  MAX_MANIFEST_BYTES,
  type Manifest,
  type Platform,
  parseManifest,
} from './manifest.ts';
export * from './media-types.ts';
export { createMemoryRegistryStore } from './memory-registry-store.ts';
export {
  createMirroredPuller,
  type MirroredPull,
  type MirroredPullerOptions,
  type PullTry,
} from './mirrored-puller.ts';
export { buildOsImage, type ExtraFile, type ImageVariation } from './os-image.ts';
export { createOsPuller, type OsEntry, type OsImage, type OsPullerOptions } from './pull-os-image.ts';
export { isShortName, type PullCandidate, type PullSource, pullSources } from './pull-sources.ts';
export { type PulledTree, pullTree } from './pull-tree.ts';
export { type BlobSource, bytesSource, type PushedBlob } from './push-blob.ts';
export { pushImage } from './push-image.ts';
export {
  type ConfFile,
  type ConfReader,
  type MirrorEntry,
  mergeRegistriesConf,
  NO_REGISTRIES_CONF,
  REGISTRIES_DROP_INS,
  type RegistriesConf,
  type RegistryEntry,
  readRegistriesConf,
} from './registries-conf.ts';
export {
  type Authorizer,
  type BasicAuthorizerOptions,
  createBasicAuthorizer,
  type RegistryAccess,
  type RegistryAction,
} from './registry-access.ts';
export type { RegistryHandler, RegistryRequest, RegistryResponse } from './registry-http.ts';
export type { RegistryServerLimits } from './registry-part.ts';
export { createRegistry, type Registry, type RegistryOptions } from './registry-server.ts';
export type { ByteRange, RegistryStore, StoredBlob } from './registry-store.ts';
export { type TarItem, writeTar } from './tar.ts';
export type {
  RegistryMethod,
  RegistryTransport,
  RegistryTransportRequest,
  RegistryTransportResponse,
} from './transport.ts';
export { type PackedLayer, unpackLayers } from './unpack-layer.ts';
export { type TarEntry, untar } from './untar.ts';
