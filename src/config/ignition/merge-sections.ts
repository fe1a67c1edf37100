/**
 * The lists of a config that are merged item by item: their position, the key of their items, and special cases of
 * merging.
 */
import { configShape, type File, type IgnitionConfig } from './config.ts';
import type { List, Struct } from './shape.ts';

/** The kinds of items; drop-ins and SSH keys are parts of items. */
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
  /** The field that identifies an item. */
  readonly identity: string;
  readonly shape: List<Struct>;
  /** A list inside an item whose members are reported separately. */
  readonly parts?: { readonly list: string; readonly kind: 'dropin' | 'sshKey' };
  /** Adjusts the earlier item before a later one is merged over it. */
  readonly prepare?: (parent: Item, child: Item) => Item;
  readonly finish?: (item: Item) => Item;
  /** The lists that share their keys with this one: a path is either a file, a directory or a link. */
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

/** The item at a field path of the config: `storage.files[3].mode` → the file, by its path. */
export function itemAtPath(config: IgnitionConfig, path: string): ConfigItem | undefined {
  const [, group, list, index] = /^(\w+)\.(\w+)\[(\d+)\]/.exec(path) ?? [];
  const section = SECTIONS.find((one) => one.group === group && one.list === list);
  const item = section === undefined ? undefined : itemsOf(config, section)[Number(index)];
  if (section === undefined || item === undefined) return undefined;
  return { kind: section.kind, name: section.shape.keyOf?.(item) ?? '', value: item };
}

/** The items of one kind, by key. */
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

/** New contents bring their own compression; absent means uncompressed. */
function dropInheritedCompression(parent: Item, child: Item): Item {
  const before = (parent as File).contents;
  const after = (child as File).contents;
  const isInherited = after?.source !== undefined && after.compression === undefined;
  return before?.compression !== undefined && isInherited ? withoutCompression(parent) : parent;
}

/** `compression: ""` means none. */
function dropEmptyCompression(item: Item): Item {
  return (item as File).contents?.compression === '' ? withoutCompression(item) : item;
}

function withoutCompression(item: Item): Item {
  const { compression: _, ...contents } = (item as File).contents ?? {};
  return { ...item, contents };
}
