/**
 * Container images: references, the registry client, and the content of images.
 *
 *     parseImageReference ─┐
 *     parseAuthFile ───────┼─> createRegistryClient ──HTTP──> any registry
 *                          └─> pullTree: an image as files     pushImage: a built image
 *
 *     readRegistriesConf ──> pullSources ──> createMirroredPuller: pulling through mirrors
 *     readRegistryCertificates ──> createTrustingTransport: registries with a private CA
 *     registryAccess ──> the CAs and credentials of a machine for one of these sources
 *
 * The client needs a transport (`transport-node.ts` for sockets, `createInProcessRegistryTransport` of `embedded/registry`).
 * Errors have the messages of registries and container tools, since people search for those. Digests and sizes are verified
 * while bytes are read, archives are read within limits, and credentials are sent only to their own host.
 *
 *     builds/decide-build.ts     which build of an OS image should exist, and what follows from its Job (pure)
 *
 * Not here: pull policies, signatures, zstd, running containers, and the embedded registry (`embedded/registry`).
 *
 * Start with `client.ts`, then `mirrored-puller.ts`.
 */
export { credentialsFor, parseAuthFile } from './auth-file.ts';
export {
  type BuiltImage,
  buildImage,
  buildIndex,
  type ImageRuntime,
  type LayerParts,
} from './build-image.ts';
export { type BuildRegistry, createBuildRegistry } from './build-registry.ts';
export { type BuildForecast, buildForecast } from './builds/build-forecast.ts';
export {
  BUILD_PATHS,
  BUILD_POD_ACCOUNT,
  buildObjects,
  digestConfigMapOf,
  digestLabelsOf,
  ENTITLEMENT_SECRET_PREFIX,
  finalSecretOf,
  jobNameOf,
  pushSecret,
  RPM_GPG_SECRET,
  recordMetadata,
  YUM_REPOS_CONFIG_MAP,
} from './builds/build-objects.ts';
export {
  buildRegistriesConf,
  parseRegistryAlias,
  type RegistryAlias,
  reachableReference,
} from './builds/build-registries-conf.ts';
export {
  type BuildLimits,
  type BuildSnapshot,
  buildLimitsAtSpeed,
  DEFAULT_BUILD_LIMITS,
  type ImageState,
  type PushState,
} from './builds/build-snapshot.ts';
export { isFinal } from './builds/build-state.ts';
export { buildStatus, imageStatus, newBuild, problemStatus } from './builds/build-status.ts';
export {
  budCommand,
  failureLine,
  inspectCommand,
  osImageProblem,
  pushCommand,
  traceLine,
  userNamespaceCommand,
} from './builds/buildah.ts';
export { configArchive, unpackedConfig } from './builds/config-archive.ts';
export { CLUSTER_PULL_SECRETS, type ConfigProblem, declaredProblem } from './builds/config-problem.ts';
export { CONFIG_ARCHIVE, CONFIG_FILE, TRUST_BUNDLE } from './builds/containerfile.ts';
export { type BuildAction, type BuildDecision, credentialsMark, decideBuild } from './builds/decide-build.ts';
export {
  decideRecord,
  type ImageRecord,
  readAttempts,
  readImageRecord,
  recordAfterAttempt,
  recordData,
  recordForNextBuild,
} from './builds/image-record.ts';
export { jobState } from './builds/job-state.ts';
export { podFailure } from './builds/pod-failure.ts';
export { plainHttpHosts, repositoryOfTag } from './builds/push-reference.ts';
export { authFileOf } from './builds/registry-secret.ts';
export { renderedFile } from './builds/rendered-file.ts';
export { parseLabels, reportDigest } from './builds/report-digest.ts';
export { CLUSTER_BUNDLE, registryOfAuthorityFile, trustedAuthorities } from './builds/trusted-authorities.ts';
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
export { folderItem, withParents } from './layer-items.ts';
export { createLoopbackTransport } from './loopback-transport.ts';
export { pullCandidates, type RegistryAccess, registryAccess } from './machine-access.ts';
export { type Index, MAX_MANIFEST_BYTES, type Manifest, type Platform, parseManifest } from './manifest.ts';
export { bareMediaType, isManifestType, OCI_INDEX, OCI_MANIFEST } from './media-types.ts';
export { createMirroredPuller, type PullTry } from './mirrored-puller.ts';
export { isLoopback, isRepositoryName, isTag } from './names.ts';
export { nodeCredentials } from './node-credentials.ts';
export { isShortName, type PullCandidate, type PullSource, pullSources } from './pull-sources.ts';
export { type PulledTree, pullTree } from './pull-tree.ts';
export { bytesSource } from './push-blob.ts';
export { pushImage } from './push-image.ts';
export { readBytes } from './read-bytes.ts';
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
