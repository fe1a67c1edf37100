/**
 * Keeps the files of a config through the merge of /etc.
 *
 * With a new deployment OSTree takes files below /etc that differ from the defaults of the running OS along, and replaces the
 * others by the defaults of the new OS, or removes them. An image of image mode has the files of its config as defaults: they
 * would go with it, and with them perhaps the kubelet that runs this daemon. So before a boot they are given another mode, which
 * counts as a difference; xattrs and times do not. After it they get their own mode back.
 */
import { sameBytes } from '../../base/bytes.ts';
import type { Host } from '../host/index.ts';
import { DEFAULT_MODE, MASK_TARGET, type NodeConfig, pathsOf } from '../plan/index.ts';
import type { HostContext } from './context.ts';

/** Masks as well, but is another text. */
const OTHER_MASK_TARGET = '/dev/../dev/null';

/** Called before the machine may boot another OS, with the config that it is to have then. Can be repeated. */
export async function protectFiles({ host }: HostContext, config: NodeConfig): Promise<void> {
  const { files } = host;
  for (const [path, mode] of modesOf(config)) {
    const stat = await files.stat(path);
    const byDefault = await files.stat(`/usr${path}`);
    if (stat === undefined || byDefault?.kind !== stat.kind) continue;
    if (stat.kind === 'link') {
      const isMask = stat.target === MASK_TARGET && byDefault.target === MASK_TARGET;
      if (isMask) await files.link(path, OTHER_MASK_TARGET);
    } else if (stat.kind === 'file' && stat.mode === mode && stat.sizeBytes === byDefault.sizeBytes) {
      await changeMode(host, path, { mode: protectingMode(mode), onlyLike: `/usr${path}` });
    }
  }
}

/** Called afterwards, or where the machine stays with its OS. */
export async function unprotectFiles({ host }: HostContext, config: NodeConfig): Promise<void> {
  const { files } = host;
  for (const [path, mode] of modesOf(config)) {
    const stat = await files.stat(path);
    if (stat?.kind === 'link' && stat.target === OTHER_MASK_TARGET) await files.link(path, MASK_TARGET);
    if (stat?.kind === 'file' && stat.mode === protectingMode(mode)) await changeMode(host, path, { mode });
  }
}

/** Permissions that nothing depends on: root, to whom the file belongs, may execute whatever anybody may. */
function protectingMode(mode: number): number {
  return (mode & 0o001) === 0 ? mode | 0o001 : mode ^ 0o100;
}

type ModeChange = {
  readonly mode: number;
  /** Only if the file has the content of this one. */
  readonly onlyLike?: string;
};

/** By a new file in its place: readers see the one or the other, also after a power cut. */
async function changeMode({ files }: Host, path: string, { mode, onlyLike }: ModeChange): Promise<void> {
  const stat = await files.stat(path);
  const bytes = await files.read(path);
  const other = onlyLike === undefined ? bytes : await files.read(onlyLike);
  if (stat === undefined || bytes === undefined || other === undefined || !sameBytes(bytes, other)) return;
  await files.write(path, { bytes, mode, owner: stat.owner });
}

/** By path: the modes that the config asks for. */
function modesOf(config: NodeConfig): ReadonlyMap<string, number> {
  const modes = new Map<string, number>();
  for (const path of pathsOf(config)) if (path.startsWith('/etc/')) modes.set(path, DEFAULT_MODE);
  for (const { path, mode } of config.ignition.storage?.files ?? [])
    if (mode !== undefined && modes.has(path)) modes.set(path, mode);
  return modes;
}
