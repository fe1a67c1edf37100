/**
 * The media types of OCI and Docker.
 */
export const OCI_MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
export const OCI_INDEX = 'application/vnd.oci.image.index.v1+json';
export const OCI_CONFIG = 'application/vnd.oci.image.config.v1+json';
export const OCI_LAYER_GZIP = 'application/vnd.oci.image.layer.v1.tar+gzip';
export const DOCKER_MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';
export const DOCKER_LIST = 'application/vnd.docker.distribution.manifest.list.v2+json';

/** All types of manifests, for `Accept`. */
export const MANIFEST_TYPES: readonly string[] = [OCI_MANIFEST, OCI_INDEX, DOCKER_MANIFEST, DOCKER_LIST];

export function isManifestType(mediaType: string): boolean {
  return MANIFEST_TYPES.includes(mediaType);
}

export function isIndexType(mediaType: string): boolean {
  return mediaType === OCI_INDEX || mediaType === DOCKER_LIST;
}

/** `application/json` of `application/json; charset=utf-8`. */
export function bareMediaType(header: string | undefined): string {
  return (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
