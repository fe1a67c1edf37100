/**
 * The CAs of the cluster and of registries, where `buildah` looks for them.
 *
 *     HOME/.config/containers/certs.d/HOST:PORT/ca.crt     of a registry
 *     HOME/trust/*.crt                                     of the cluster, by SSL_CERT_DIR
 */
import { copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CLUSTER_BUNDLE, registryOfAuthorityFile } from '../images/index.ts';

/** With the folder that is given, Go programs no longer look in those of their system. */
const SYSTEM_FOLDERS = ['/etc/ssl/certs', '/etc/pki/tls/certs'];

/** `bundles`: the volume with the keys of `authorityFiles`. Returns the environment of `buildah`. */
export async function writeTrust(
  bundles: string,
  home: string,
): Promise<{ readonly [name: string]: string }> {
  const registries = join(home, '.config/containers/certs.d');
  const trust = join(home, 'trust');
  // Also those of a build that was cut off.
  for (const folder of [registries, trust]) await rm(folder, { recursive: true, force: true });
  const keys = await readdir(bundles).catch(() => []);
  for (const key of keys) {
    const registry = registryOfAuthorityFile(key);
    if (registry === undefined) continue;
    const folder = join(registries, registry);
    await mkdir(folder, { recursive: true });
    await copyFile(join(bundles, key), join(folder, 'ca.crt'));
  }
  const size = await stat(join(bundles, CLUSTER_BUNDLE)).then(
    (found) => found.size,
    () => 0,
  );
  if (size === 0) return {};
  await mkdir(trust, { recursive: true });
  await copyFile(join(bundles, CLUSTER_BUNDLE), join(trust, CLUSTER_BUNDLE));
  return { SSL_CERT_DIR: [trust, ...SYSTEM_FOLDERS].join(':') };
}
