/**
 * The files, units and links of a rendered MachineConfig as an archive for the root of an image.
 *
 * The daemon writes them on the node as well, and what it writes wins: the archive makes the image complete, so that a node
 * which boots it for the first time has its config.
 */
import { gunzipSync } from 'fflate';
import type { MachineConfig } from '../../api/index.ts';
import { Failure } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { base64Bytes } from '../../base/text/index.ts';
import { fileContents, type IgnitionConfig, parseIgnition } from '../../config/ignition/index.ts';
import { dropinPath, MASK_TARGET, unitPath } from '../../node/plan/index.ts';
import { type TarItem, writeTar } from '../tar.ts';

const DEFAULT_FILE_MODE = 0o644;
const DEFAULT_FOLDER_MODE = 0o755;
/** Reproducible: the same config gives the same layer. */
const MTIME = 0;

/** The contents of `machineconfig.json.gz`, which is base64 text. */
export function unpackedConfig(text: string): MachineConfig {
  const bytes = base64Bytes(text.trim());
  const document = bytes === undefined ? undefined : parseJson(new TextDecoder().decode(gunzipSync(bytes)));
  if (document === undefined || document === null || typeof document !== 'object') {
    throw new Failure('stalled', 'BadConfig', 'machineconfig.json.gz does not hold a MachineConfig');
  }
  return document as unknown as MachineConfig;
}

export function configArchive(rendered: MachineConfig): Uint8Array {
  const parsed = parseIgnition(rendered.spec?.config ?? { ignition: { version: '3.5.0' } });
  if (parsed.kind === 'invalid') {
    throw new Failure(
      'stalled',
      'BadConfig',
      `the rendered config is invalid: ${parsed.problems[0]?.message}`,
    );
  }
  const items = [
    ...foldersOf(parsed.value),
    ...filesOf(parsed.value),
    ...linksOf(parsed.value),
    ...unitsOf(parsed.value),
  ];
  const own = onceEach(items);
  return writeTar([...linkedFolders(own), ...own]);
}

/** Folders that are links into `/var` on CoreOS; their targets, as `tmpfiles` of the OS create them at boot. */
const LINKS: readonly { readonly path: string; readonly target: string; readonly mode: number }[] = [
  { path: 'home', target: 'var/home', mode: 0o755 },
  { path: 'mnt', target: 'var/mnt', mode: 0o755 },
  { path: 'opt', target: 'var/opt', mode: 0o755 },
  { path: 'root', target: 'var/roothome', mode: 0o700 },
  { path: 'srv', target: 'var/srv', mode: 0o755 },
  { path: 'usr/local', target: 'var/usrlocal', mode: 0o755 },
];

/**
 * An image may come without the targets, since a boot creates them: a file below such a link could not be unpacked. They come
 * first, as archives are unpacked in order.
 */
function linkedFolders(items: readonly TarItem[]): readonly TarItem[] {
  return LINKS.filter(({ path }) => items.some((item) => item.path.startsWith(`${path}/`))).map(
    ({ target, mode }) => ({ kind: 'folder' as const, path: target, mode, mtime: MTIME }),
  );
}

function foldersOf({ storage }: IgnitionConfig): readonly TarItem[] {
  return (storage?.directories ?? []).map(({ path, mode }) => ({
    kind: 'folder' as const,
    path: relative(path),
    mode: mode ?? DEFAULT_FOLDER_MODE,
    mtime: MTIME,
  }));
}

function filesOf({ storage }: IgnitionConfig): readonly TarItem[] {
  return (storage?.files ?? []).flatMap(({ path, mode, contents }) => {
    const decoded = fileContents(contents);
    if (decoded.kind === 'invalid') {
      throw new Failure('stalled', 'BadConfig', `${path}: ${decoded.problems[0]?.message}`);
    }
    return [file(path, decoded.value, mode ?? DEFAULT_FILE_MODE)];
  });
}

function linksOf({ storage }: IgnitionConfig): readonly TarItem[] {
  return (storage?.links ?? []).map(({ path, target, hard }) => ({
    kind: hard === true ? ('hardlink' as const) : ('symlink' as const),
    path: relative(path),
    target: hard === true ? relative(target ?? '') : (target ?? ''),
    mode: 0o777,
    mtime: MTIME,
  }));
}

/** Enablement is left to the daemon, which asks systemd. */
function unitsOf({ systemd }: IgnitionConfig): readonly TarItem[] {
  const utf8 = new TextEncoder();
  return (systemd?.units ?? []).flatMap((unit) => {
    const dropins = (unit.dropins ?? []).flatMap(({ name, contents = '' }) =>
      contents === '' ? [] : [file(dropinPath(unit.name, name), utf8.encode(contents), DEFAULT_FILE_MODE)],
    );
    const path = unitPath(unit.name);
    if (unit.mask === true) {
      const link = {
        kind: 'symlink' as const,
        path: relative(path),
        target: MASK_TARGET,
        mode: 0o777,
        mtime: MTIME,
      };
      return [...dropins, link];
    }
    const contents = unit.contents ?? '';
    return contents === '' ? dropins : [...dropins, file(path, utf8.encode(contents), DEFAULT_FILE_MODE)];
  });
}

function file(path: string, content: Uint8Array, mode: number): TarItem {
  return { kind: 'file', path: relative(path), content, mode, mtime: MTIME };
}

/**
 * Each path occurs once; the last entry counts. Folders that no entry declares are left out: an entry would replace the links of the
 * OS, such as /usr/local.
 */
function onceEach(items: readonly TarItem[]): readonly TarItem[] {
  const byPath = new Map(items.map((item) => [item.path, item]));
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function relative(path: string): string {
  return path.replace(/^\/+/, '');
}
