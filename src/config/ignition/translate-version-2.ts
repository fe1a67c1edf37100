/**
 * Translates version 2.0-2.2 to 3.5.0.
 *
 * Version 2 allowed what version 3 rejects: the same file, unit or user several times. So the config is deduplicated
 * first (the last entry wins), then translated field by field, then validated as version 3. Problems refer to the
 * fields of the given config, not of the translation.
 */
import { invalid, type Outcome, ok, type Problem } from '../../base/errors.ts';
import { type File, IGNITION_VERSION, type IgnitionConfig, type Resource, type Unit } from './config.ts';
import { type Decoding, decode } from './decode.ts';
import { encodeIgnition } from './encode-ignition.ts';
import { validateIgnition } from './validate-ignition.ts';
import { simplifiedPath } from './validate-nodes.ts';
import {
  type Version2Config,
  type Version2File,
  type Version2Reference,
  type Version2Unit,
  type Version2User,
  version2Shape,
} from './version-2.ts';
import { cleanFiles, cleanUnits, cleanUsers, type Kept } from './version-2-duplicates.ts';
import { unsupportedInVersion3 } from './version-2-unsupported.ts';

export function translateVersion2(value: unknown, minor: number): Outcome<IgnitionConfig> {
  const decoding: Decoding = { major: 2, minor, problems: [], warnings: [] };
  const decoded = decode(version2Shape, value, '', decoding);
  if (decoding.problems.length > 0) return invalid(decoding.problems);
  // The caller has read `ignition.version` from it, so it decodes to an object.
  const old = decoded as Version2Config;
  const unsupported = unsupportedInVersion3(old);
  if (unsupported.length > 0) return invalid(unsupported);

  const files = cleanFiles(old.storage?.files ?? []);
  const units = cleanUnits(old.systemd?.units ?? []);
  const translated = translate(old, files, units);
  const report = { problems: decoding.problems, warnings: [] as Problem[] };
  validateIgnition(translated, report);
  const asGiven = (problem: Problem): Problem => ({
    ...problem,
    path: pathAsGiven(pathAsGiven(problem.path, 'storage.files', files), 'systemd.units', units),
  });
  if (report.problems.length > 0) return invalid(report.problems.map(asGiven));
  return ok(translated, [...decoding.warnings, ...report.warnings.map(asGiven)]);
}

/** `storage.files[0].path` of the deduplicated list is `storage.files[7].path` of the given one. */
function pathAsGiven(path: string, section: string, items: readonly Kept<unknown>[]): string {
  const match = path.startsWith(`${section}[`) ? /^\[(\d+)\](.*)$/s.exec(path.slice(section.length)) : null;
  const item = match === null ? undefined : items[Number(match[1])];
  return match === null || item === undefined ? path : `${section}[${item.index}]${match[2]}`;
}

function translate(
  old: Version2Config,
  files: readonly Kept<Version2File>[],
  units: readonly Kept<Version2Unit>[],
): IgnitionConfig {
  const { ignition, passwd, storage } = old;
  const config = {
    ignition: {
      version: IGNITION_VERSION,
      config: {
        merge: ignition?.config?.append?.map(reference),
        replace: ignition?.config?.replace && reference(ignition.config.replace),
      },
      security: {
        tls: { certificateAuthorities: ignition?.security?.tls?.certificateAuthorities?.map(reference) },
      },
      timeouts: ignition?.timeouts,
    },
    passwd: {
      users: cleanUsers(passwd?.users ?? []).map(userOf),
      groups: passwd?.groups?.map((group) => ({
        ...group,
        passwordHash: group.passwordHash || undefined,
        system: group.system || undefined,
      })),
    },
    storage: {
      disks: storage?.disks?.map((disk) => ({
        device: disk.device,
        wipeTable: disk.wipeTable || undefined,
      })),
      raid: storage?.raid?.map((raid) => ({ ...raid, spares: raid.spares || undefined })),
      files: files.map(({ item }) => fileOf(item)),
      directories: storage?.directories?.map(({ filesystem: _, ...directory }) => tidied(directory)),
      links: storage?.links?.map(({ filesystem: _, ...link }) => ({
        ...tidied(link),
        hard: link.hard || undefined,
      })),
    },
    systemd: { units: units.map(({ item }) => unitOf(item)) },
  };
  // Encoding drops `undefined` and empty values, which version 3 treats as not set.
  return encodeIgnition(config as unknown as IgnitionConfig) as unknown as IgnitionConfig;
}

/** Version 2 accepted unclean paths (`/etc//x/`), version 3 does not. A relative one is left for it to reject. */
function tidied<T extends { readonly path: string }>(node: T): T {
  return node.path.startsWith('/') ? { ...node, path: simplifiedPath(node.path) } : node;
}

function reference(old: Version2Reference): Resource {
  return { source: old.source ?? '', ...(old.verification && { verification: old.verification }) };
}

function userOf(old: Version2User): unknown {
  return {
    ...old,
    gecos: old.gecos || undefined,
    homeDir: old.homeDir || undefined,
    noCreateHome: old.noCreateHome || undefined,
    primaryGroup: old.primaryGroup || undefined,
    noUserGroup: old.noUserGroup || undefined,
    noLogInit: old.noLogInit || undefined,
    shell: old.shell || undefined,
    system: old.system || undefined,
  };
}

function fileOf(old: Version2File): File {
  const { filesystem: _, append, contents, overwrite, ...rest } = old;
  const node = tidied(rest);
  const { source = '', compression, verification } = contents ?? {};
  const resource: Resource = {
    source,
    ...(compression && { compression }),
    ...(verification && { verification }),
  };
  if (append === true) return { ...node, overwrite: false, append: [resource] };
  return { ...node, overwrite: overwrite ?? true, contents: resource };
}

function unitOf(old: Version2Unit): Unit {
  const isEnabled = old.enabled ?? (old.enable === true ? true : undefined);
  return {
    name: old.name,
    ...(isEnabled !== undefined && { enabled: isEnabled }),
    ...(old.mask === true && { mask: true }),
    ...(old.contents && { contents: old.contents }),
    ...(old.dropins && {
      dropins: old.dropins.map(({ name, contents }) => ({ name, ...(contents && { contents }) })),
    }),
  };
}
