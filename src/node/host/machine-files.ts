/**
 * Well-known files that every host reads and writes in the same way.
 */
import { parseJson } from '../../base/json.ts';
import type { HostFiles } from './host.ts';

const MAX_BYTES = 1024 ** 2;

export async function readBootId(files: HostFiles): Promise<string> {
  return (await readText(files, '/proc/sys/kernel/random/boot_id')).trim();
}

export async function readFips(files: HostFiles): Promise<boolean | undefined> {
  const text = (await readText(files, '/proc/sys/crypto/fips_enabled')).trim();
  return text === '' ? undefined : text === '1';
}

/** The cluster's own pull secret where it is valid, else the kubelet's. */
const CREDENTIALS = ['/etc/mco/internal-registry-pull-secret.json', '/var/lib/kubelet/config.json'] as const;

/** Returns the new target. */
export async function linkCredentials(files: HostFiles, link: string): Promise<string> {
  const [internal, kubelet] = CREDENTIALS;
  const target = parseJson(await readText(files, internal)) !== undefined ? internal : kubelet;
  await files.link(link, target);
  return target;
}

async function readText(files: HostFiles, path: string): Promise<string> {
  const bytes = await files.read(path, MAX_BYTES);
  return bytes === undefined ? '' : new TextDecoder().decode(bytes);
}

/** The arguments of the running kernel. */
export async function readCommandLine({ read }: Pick<HostFiles, 'read'>): Promise<readonly string[]> {
  const parts = new TextDecoder()
    .decode(await read('/proc/cmdline'))
    .trim()
    .split(' ');
  return parts.filter((one) => one !== '' && !one.startsWith('BOOT_IMAGE='));
}
