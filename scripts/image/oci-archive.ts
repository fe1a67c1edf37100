/** An image as one file: the OCI image layout in a tar archive, which skopeo, podman, buildah and ctr read. */
import { canonicalJson } from '../../src/base/json.ts';
import { type BuiltImage, OCI_INDEX, type TarItem, withParents, writeTar } from '../../src/images/index.ts';

/** `name` is the reference that tools give the image when they load it. */
export function ociArchive({ blobs, manifests, top }: BuiltImage, name: string): Uint8Array {
  const items = new Map<string, TarItem>();
  const put = (path: string, content: Uint8Array) =>
    items.set(path, { kind: 'file', path, mode: 0o644, mtime: 0, content });
  const putJson = (path: string, value: object) => put(path, new TextEncoder().encode(canonicalJson(value)));
  const putBlob = (digest: string, content: Uint8Array) => put(`blobs/${digest.replace(':', '/')}`, content);
  putJson('oci-layout', { imageLayoutVersion: '1.0.0' });
  putJson('index.json', {
    schemaVersion: 2,
    mediaType: OCI_INDEX,
    manifests: [
      {
        ...top.descriptor,
        // The first for containerd, the second for everyone else.
        annotations: { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name },
      },
    ],
  });
  for (const [digest, bytes] of blobs) putBlob(digest, bytes);
  for (const { descriptor, bytes } of [...manifests, top]) putBlob(descriptor.digest, bytes);
  return writeTar(withParents(items, 0));
}
