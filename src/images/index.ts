/**
 * Container images: references, the registry client, and the content of images.
 *
 *     parseImageReference ─┐
 *     parseAuthFile ───────┼─> createRegistryClient ──HTTP──> any registry
 *                          └─> pullTree: an image as files     pushImage: a built image
 *
 *     readRegistriesConf ──> pullSources ──> createMirroredPuller: pulling through mirrors
 *     readRegistryCertificates ──> createTrustingTransport: registries with a private CA
 *
 * The client needs a transport (`transport-node.ts` for sockets, `createInProcessRegistryTransport` of `embedded/registry`).
 * Errors have the messages of registries and container tools, since people search for those. Digests and sizes are verified
 * while bytes are read, archives are read within limits, and credentials are sent only to their own host.
 *
 * Not here: pull policies, signatures, zstd, running containers, and the embedded registry (`embedded/registry`).
 *
 * Start with `client.ts`, then `mirrored-puller.ts`.
 */
export { credentialsFor, parseAuthFile } from './auth-file.ts';
export { type BuiltImage, buildImage, buildIndex, type LayerParts } from './build-image.ts';
export { choosePlatform } from './choose-platform.ts';
export {
  createRegistryClient,
  type FetchedImage,
  type RegistryClient,
  type RegistryClientOptions,
} from './client.ts';
export { type Algorithm, algorithmOf, digestOf, isDigest } from './digest.ts';
export { type FileTree, mergeLayers } from './file-tree.ts';
export {
  type ImageReference,
  parseImageReference,
  referenceText,
  repositoryText,
} from './image-reference.ts';
export { createInsecureTransport } from './insecure-transport.ts';
export { createLoopbackTransport } from './loopback-transport.ts';
export { type Index, MAX_MANIFEST_BYTES, type Manifest, type Platform, parseManifest } from './manifest.ts';
export { bareMediaType, isManifestType, OCI_INDEX, OCI_MANIFEST } from './media-types.ts';
export { createMirroredPuller, type PullTry } from './mirrored-puller.ts';
export { isRepositoryName, isTag } from './names.ts';
export { nodeCredentials } from './node-credentials.ts';
export { isShortName, type PullCandidate, type PullSource, pullSources } from './pull-sources.ts';
export { type PulledTree, pullTree } from './pull-tree.ts';
export { bytesSource } from './push-blob.ts';
export { pushImage } from './push-image.ts';
export { joinBytes, readBytes } from './read-bytes.ts';
export {
  type MergedRegistriesConf,
  mergeRegistriesConf,
  NO_REGISTRIES_CONF,
  readRegistriesConf,
} from './registries-conf.ts';
export {
  type CertificateReader,
  createTrustingTransport,
  readRegistryCertificates,
} from './registry-certificates.ts';
export { type TarItem, writeTar } from './tar.ts';
export { parentOf, pathProblem, symlinkProblem, tidyPath } from './tar-paths.ts';
export {
  cancelledFailure,
  type RegistryTransport,
  type RegistryTransportRequest,
  type RegistryTransportResponse,
  transportFailure,
} from './transport.ts';
export { untar } from './untar.ts';
