/**
 * All files of a machine, so that a test can say that nothing on it has changed: types, modes, owners, targets of links, and
 * digests of contents. They are read from its disk on this computer, also while it is off.
 *
 * Left out is what changes whenever pods come and go, and Millwright's own folder.
 */
import { join } from 'node:path';
import { runTool } from '../lab/run-tool.ts';
import { nextBoot, varFolder } from '../lab/sysroot.ts';

/** Paths, and one line about each. */
export type FileSnapshot = ReadonlyMap<string, string>;

/** Of the machine. */
const LEFT_OUT = [
  '/etc/machine-config-daemon',
  '/run',
  '/tmp',
  '/var/tmp',
  '/var/log',
  '/var/run',
  '/var/cache',
  // Of the kubelet: folders of pods, and its records of which pods it has admitted and which devices and cores it gave them.
  '/var/lib/kubelet/pods',
  '/var/lib/kubelet/pod-resources',
  '/var/lib/kubelet/allocated_pods_state',
  '/var/lib/kubelet/actuated_pods_state',
  '/var/lib/kubelet/device-plugins',
  '/var/lib/kubelet/checkpoints',
  // Of container engines: images and containers.
  '/var/lib/containers',
  '/var/lib/containerd',
  '/var/lib/cni',
  '/var/lib/crio',
  // Of systemd: the clock, and files of services that were running.
  '/var/lib/systemd',
  '/var/lib/private',
];

/** Folders by their paths on the machine. */
export async function ostreeFolders(sysroot: string): Promise<Readonly<Record<string, string>>> {
  const { deployment } = await nextBoot(sysroot);
  return {
    '/boot': join(sysroot, 'boot'),
    '/etc': join(deployment, 'etc'),
    '/usr': join(deployment, 'usr'),
    '/var': varFolder(sysroot),
    // Which deployments there are, and what they come from.
    '/sysroot/ostree/repo/refs': join(sysroot, 'ostree/repo/refs'),
  };
}

/** Of `/usr` only what differs from this computer's. */
export function debianFolders(disk: {
  readonly root: string;
  readonly usrLayer: string;
}): Readonly<Record<string, string>> {
  const { root, usrLayer } = disk;
  const own = ['boot', 'etc', 'home', 'mnt', 'opt', 'root', 'srv', 'var'];
  return { ...Object.fromEntries(own.map((name) => [`/${name}`, join(root, name)])), '/usr': usrLayer };
}

export async function snapshotFiles(folders: Readonly<Record<string, string>>): Promise<FileSnapshot> {
  const lines = new Map<string, string>();
  for (const [path, folder] of Object.entries(folders)) {
    const pruned = LEFT_OUT.filter((one) => one.startsWith(`${path}/`)).map(
      (one) => `.${one.slice(path.length)}`,
    );
    for (const [name, line] of await snapshotFolder(folder, pruned)) lines.set(`${path}${name}`, line);
  }
  return lines;
}

/** What differs, one line for each path. */
export function snapshotDifferences(before: FileSnapshot, after: FileSnapshot): readonly string[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => `${path}: ${before.get(path) ?? 'absent'} → ${after.get(path) ?? 'absent'}`);
}

async function snapshotFolder(
  folder: string,
  pruned: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const output = await runTool(['bash', '-ec', SNAPSHOT, 'snapshot', folder, ...pruned]);
  const [listed = '', hashed = ''] = output.split('\0\0');
  const digests = new Map(
    hashed
      .split('\0')
      .filter((entry) => entry !== '')
      .map((entry) => [entry.slice(DIGEST_LENGTH + '  '.length), entry.slice(0, DIGEST_LENGTH)]),
  );
  const words = listed.split('\0');
  const lines = new Map<string, string>();
  for (let index = 0; index + 1 < words.length; index += 2) {
    const path = words[index] ?? '';
    lines.set(path.slice('.'.length), `${words[index + 1]} ${digests.get(path) ?? ''}`.trim());
  }
  return lines;
}

const DIGEST_LENGTH = 64;

/** Paths and what they are, then digests and paths. A file that goes away meanwhile is in neither. */
const SNAPSHOT = `
cd "$1"
shift
skip=()
for path; do skip+=(-path "$path" -prune -o); done
find . "\${skip[@]}" -mindepth 1 -printf './%P\\0%y %m %U:%G %l\\0'
printf '\\0'
find . "\${skip[@]}" -type f -print0 | xargs -0 -r sha256sum -z
`;
