/**
 * The large lists of a config, which are merged item by item: where each stands, by what its items are
 * known, and what is particular about laying one over another.
 */
import { configShape, type File, type IgnitionConfig } from './config.ts';
import type { List, Struct } from './shape.ts';

/** What an item can be; drop-ins and SSH keys are parts of items. */
export type ContributionKind =
  | 'file'
  | 'directory'
  | 'link'
  | 'unit'
  | 'dropin'
  | 'user'
  | 'sshKey'
  | 'group'
  | 'disk'
  | 'raid'
  | 'filesystem'
  | 'luks';

export type Item = { readonly [field: string]: unknown };

export type Section = {
  readonly group: 'storage' | 'systemd' | 'passwd';
  readonly list: string;
  readonly kind: ContributionKind;
  /** The field by which an item is known. */
  readonly identity: string;
  readonly shape: List<Struct>;
  /** A list inside an item whose members are reported by themselves. */
  readonly parts?: { readonly list: string; readonly kind: 'dropin' | 'sshKey' };
  /** What must happen to the item so far before another is laid over it. */
  readonly prepare?: (parent: Item, child: Item) => Item;
  readonly finish?: (item: Item) => Item;
  /** The lists that share their keys with this one: a path is a file, a directory or a link. */
  readonly siblings: readonly string[];
};

export const SECTIONS: readonly Section[] = [
  section('storage', 'files', 'file', 'path', {
    siblings: ['directories', 'links'],
    prepare: dropInheritedCompression,
    finish: dropEmptyCompression,
  }),
  section('storage', 'directories', 'directory', 'path', { siblings: ['files', 'links'] }),
  section('storage', 'links', 'link', 'path', { siblings: ['files', 'directories'] }),
  section('storage', 'disks', 'disk', 'device'),
  section('storage', 'raid', 'raid', 'name'),
  section('storage', 'filesystems', 'filesystem', 'device'),
  section('storage', 'luks', 'luks', 'name'),
  section('systemd', 'units', 'unit', 'name', { parts: { list: 'dropins', kind: 'dropin' } }),
  section('passwd', 'users', 'user', 'name', { parts: { list: 'sshAuthorizedKeys', kind: 'sshKey' } }),
  section('passwd', 'groups', 'group', 'name'),
];

export function itemsOf(config: IgnitionConfig, { group, list }: Section): readonly Item[] {
  const lists = config[group] as { readonly [list: string]: readonly Item[] | undefined } | undefined;
  return lists?.[list] ?? [];
}

/** The item to which a field path of the config leads: `storage.files[3].mode` → the file, by its path. */
export function itemAtPath(config: IgnitionConfig, path: string): ConfigItem | undefined {
  const [, group, list, index] = /^(\w+)\.(\w+)\[(\d+)\]/.exec(path) ?? [];
  const section = SECTIONS.find((one) => one.group === group && one.list === list);
  const item = section === undefined ? undefined : itemsOf(config, section)[Number(index)];
  if (section === undefined || item === undefined) return undefined;
  return { kind: section.kind, name: section.shape.keyOf?.(item) ?? '', value: item };
}

/** The items of one kind, by what they are known. */
export function itemsOfKind(config: IgnitionConfig, kind: ContributionKind): ReadonlyMap<string, Item> {
  const section = SECTIONS.find((one) => one.kind === kind);
  if (section === undefined) return new Map();
  return new Map(itemsOf(config, section).map((item) => [section.shape.keyOf?.(item) ?? '', item]));
}

type ConfigItem = { readonly kind: ContributionKind; readonly name: string; readonly value: Item };

function section(
  group: Section['group'],
  list: string,
  kind: ContributionKind,
  identity: string,
  extra: Partial<Section> = {},
): Section {
  const fields: { readonly [name: string]: unknown } = configShape.fields[group].fields;
  return { group, list, kind, identity, shape: fields[list] as List<Struct>, siblings: [], ...extra };
}

/** New contents are packed as they say themselves; without a word they are not packed. */
function dropInheritedCompression(parent: Item, child: Item): Item {
  const before = (parent as File).contents;
  const after = (child as File).contents;
  const isInherited = after?.source !== undefined && after.compression === undefined;
  return before?.compression !== undefined && isInherited ? withoutCompression(parent) : parent;
}

/** `compression: ""` says the same as none. */
function dropEmptyCompression(item: Item): Item {
  return (item as File).contents?.compression === '' ? withoutCompression(item) : item;
}

function withoutCompression(item: Item): Item {
  const { compression: _, ...contents } = (item as File).contents ?? {};
  return { ...item, contents };
}
