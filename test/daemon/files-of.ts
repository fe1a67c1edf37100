/** Everything that a machine has on its disk, to compare it before and after. */
import type { HostFiles } from '../../src/node/host/index.ts';

/** What Millwright may write on a node that it only observes, and what the kernel and the kubelet change all the time. */
const NOT_COMPARED = [
  '/etc/machine-config-daemon',
  '/run',
  '/proc',
  '/sys',
  '/dev',
  '/var/lib/kubelet/pods',
  '/var/log/journal',
];

/** By path: kind, mode, owner, and content or target. */
export async function filesOf(files: HostFiles, folder = '/'): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const name of (await files.list(folder)) ?? []) {
    const path = folder === '/' ? `/${name}` : `${folder}/${name}`;
    if (NOT_COMPARED.includes(path)) continue;
    const stat = await files.stat(path);
    if (stat === undefined) continue;
    const { kind, mode, owner, target = '' } = stat;
    const bytes = kind === 'file' ? await files.read(path) : undefined;
    const content = bytes === undefined ? '' : Buffer.from(bytes).toString('base64');
    found.set(path, [kind, mode.toString(8), owner.uid, owner.gid, target, content].join(' '));
    if (kind === 'folder') for (const [below, what] of await filesOf(files, path)) found.set(below, what);
  }
  return found;
}

/** The paths that differ, sorted. */
export function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .sort();
}
