/**
 * The difference of two rendered configs by meaning: files with their text, modes and owners, units, kernel arguments, …
 *
 * Credentials are never part of it, since plans are posted to pull requests: neither contents of files that not everybody on a node
 * may read, nor lines that look like one.
 */
import { jsonEqual } from '../../base/json.ts';
import { type Hunk, lineDiff } from '../../base/text/index.ts';
import {
  type ContributionKind,
  type File,
  fileContents,
  formatMode,
  type IgnitionConfig,
  itemsOfKind,
  type Unit,
  type User,
} from '../../config/ignition/index.ts';
import { DEFAULT_MODE, type NodeConfig } from '../../node/plan/index.ts';
import { withoutCredentials } from '../redaction/credentials.ts';
import { isSecretAsWhole, isSecretFile } from '../redaction/secret-file.ts';

export type ItemChange = 'added' | 'removed' | 'changed';

export type Difference =
  | {
      readonly kind: 'file';
      readonly name: string;
      readonly change: ItemChange;
      readonly mode?: Pair;
      readonly owner?: Pair;
      readonly contents?: ContentsDifference;
    }
  | {
      readonly kind: 'unit';
      readonly name: string;
      readonly change: ItemChange;
      readonly state?: Pair;
      readonly contents?: ContentsDifference;
      readonly dropins: readonly DropinDifference[];
    }
  | {
      readonly kind: 'user';
      readonly name: string;
      readonly change: ItemChange;
      /** The numbers of keys. */
      readonly sshKeys?: { readonly added: number; readonly removed: number };
      readonly password?: 'set' | 'changed' | 'removed';
    }
  | {
      readonly kind: 'kernelArguments' | 'extensions';
      readonly added: readonly string[];
      readonly removed: readonly string[];
      /** The same ones in another order, which matters to a kernel. */
      readonly isReordered: boolean;
    }
  | { readonly kind: 'osImage' | 'kernelType' | 'fips'; readonly before: string; readonly after: string }
  /** Groups, directories, links and what takes effect only at installation. */
  | {
      readonly kind: 'other';
      readonly item: ContributionKind;
      readonly name: string;
      readonly change: ItemChange;
    };

type ListDifference = Extract<Difference, { readonly kind: 'kernelArguments' | 'extensions' }>;

/** What something was and will be; absent for nothing. */
export type Pair = { readonly before?: string; readonly after?: string };

type DropinDifference = {
  readonly name: string;
  readonly change: ItemChange;
  readonly contents: ContentsDifference;
};

export type ContentsDifference =
  | { readonly kind: 'text'; readonly hunks: readonly Hunk[] }
  /** `long`: text that is too long to be compared here. */
  | { readonly kind: 'binary' | 'long'; readonly beforeBytes: number; readonly afterBytes: number }
  | { readonly kind: 'hidden'; readonly why: string };

export function configDifference(before: NodeConfig, after: NodeConfig): readonly Difference[] {
  return [
    ...setting('osImage', before.osImage, after.osImage),
    ...setting('kernelType', before.kernelType, after.kernelType),
    ...setting('fips', String(before.isFips), String(after.isFips)),
    ...list('kernelArguments', before.kernelArguments, after.kernelArguments).map(withoutSecrets),
    ...list('extensions', before.extensions.toSorted(), after.extensions.toSorted()),
    ...changed<File>(before.ignition, after.ignition, 'file').map(fileDifference),
    ...changed<Unit>(before.ignition, after.ignition, 'unit').map(unitDifference),
    ...changed<User>(before.ignition, after.ignition, 'user').map(userDifference),
    ...OTHERS.flatMap((item) =>
      changed(before.ignition, after.ignition, item).map(
        ({ name, change }): Difference => ({ kind: 'other', item, name, change }),
      ),
    ),
  ];
}

const OTHERS: readonly ContributionKind[] = [
  'group',
  'directory',
  'link',
  'disk',
  'raid',
  'filesystem',
  'luks',
];

function setting(
  kind: 'osImage' | 'kernelType' | 'fips',
  before: string,
  after: string,
): readonly Difference[] {
  return before === after ? [] : [{ kind, before, after }];
}

function list(
  kind: 'kernelArguments' | 'extensions',
  before: readonly string[],
  after: readonly string[],
): readonly ListDifference[] {
  if (jsonEqual(before, after)) return [];
  const [added, removed] = [without(after, before), without(before, after)];
  return [{ kind, added, removed, isReordered: added.length === 0 && removed.length === 0 }];
}

/** Passphrases of disks may be among kernel arguments. */
function withoutSecrets(difference: ListDifference): ListDifference {
  const [added, removed] = [difference.added, difference.removed].map((list) => list.map(withoutCredentials));
  return { ...difference, added: added ?? [], removed: removed ?? [] };
}

/** The items of the first list beyond those of the second; an item may occur several times. */
function without(items: readonly string[], other: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const item of other) left.set(item, (left.get(item) ?? 0) + 1);
  return items.filter((item) => {
    const count = left.get(item) ?? 0;
    left.set(item, count - 1);
    return count <= 0;
  });
}

type Changed<T> = {
  readonly name: string;
  readonly change: ItemChange;
  readonly before?: T;
  readonly after?: T;
};

function changed<T>(
  before: IgnitionConfig,
  after: IgnitionConfig,
  kind: ContributionKind,
): readonly Changed<T>[] {
  const [old, now] = [itemsOfKind(before, kind), itemsOfKind(after, kind)];
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  return names
    .filter((name) => !jsonEqual(old.get(name), now.get(name)))
    .map((name) => {
      // The items of a kind have its type.
      const [was, is] = [old.get(name) as T | undefined, now.get(name) as T | undefined];
      return {
        ...{ name, change: changeOf(was !== undefined, is !== undefined) },
        ...(was === undefined ? {} : { before: was }),
        ...(is === undefined ? {} : { after: is }),
      };
    });
}

function changeOf(was: boolean, is: boolean): ItemChange {
  if (!was) return 'added';
  return is ? 'changed' : 'removed';
}

function fileDifference({ name, change, before, after }: Changed<File>): Difference {
  const mode = pair(before && modeOf(before), after && modeOf(after));
  const owner = pair(before && ownerOf(before), after && ownerOf(after));
  const contents = isSameContent(before, after) ? undefined : fileContentsDifference(name, before, after);
  return {
    ...{ kind: 'file', name, change },
    ...(mode === undefined ? {} : { mode }),
    ...(owner === undefined || (change !== 'changed' && isRoot(owner)) ? {} : { owner }),
    ...(contents === undefined ? {} : { contents }),
  };
}

function modeOf({ mode = DEFAULT_MODE }: File): string {
  return formatMode(mode);
}

const ROOT = 'root:root';

function ownerOf({ user, group }: File): string {
  const text = (owner: File['user'] | File['group']) => owner?.name ?? (owner?.id || 'root');
  return `${text(user)}:${text(group)}`;
}

function isRoot({ before = ROOT, after = ROOT }: Pair): boolean {
  return before === ROOT && after === ROOT;
}

function isSameContent(before: File | undefined, after: File | undefined): boolean {
  return jsonEqual([before?.contents, before?.append], [after?.contents, after?.append]);
}

const READABLE_BY_OTHERS = 0o004;

function fileContentsDifference(
  path: string,
  before: File | undefined,
  after: File | undefined,
): ContentsDifference {
  const files = [before, after].filter((file) => file !== undefined);
  const closed = files.find(({ mode = DEFAULT_MODE }) => (mode & READABLE_BY_OTHERS) === 0);
  if (closed !== undefined) return { kind: 'hidden', why: `mode ${modeOf(closed)}` };
  if (files.some(({ mode }) => isSecretFile({ path, mode }))) return CREDENTIALS;
  const [old, now] = [bytesOf(before), bytesOf(after)];
  if (old === undefined || now === undefined) return { kind: 'hidden', why: 'not in the config itself' };
  return bytesDifference(old, now);
}

const CREDENTIALS: ContentsDifference = { kind: 'hidden', why: 'credentials' };

/** Undefined where the contents are fetched by the node. */
function bytesOf(file: File | undefined): Uint8Array | undefined {
  if (file === undefined) return new Uint8Array();
  const outcome = fileContents(file.contents);
  return outcome.kind === 'ok' ? outcome.value : undefined;
}

/** Longer texts are not compared: nobody reads them here. */
const MAX_TEXT_BYTES = 256 * 1024;

function bytesDifference(before: Uint8Array, after: Uint8Array): ContentsDifference {
  const [old, now] = [textOf(before), textOf(after)];
  const sizes = { beforeBytes: before.length, afterBytes: after.length };
  if (old === undefined || now === undefined) return { kind: 'binary', ...sizes };
  if (Math.max(before.length, after.length) > MAX_TEXT_BYTES) return { kind: 'long', ...sizes };
  return textDifference(old, now);
}

/** Undefined for contents that are no text. */
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Not UTF-8: shown as binary.
    return undefined;
  }
}

function textDifference(before: string, after: string): ContentsDifference {
  // Nothing, or the same in another encoding.
  if (before === after) return { kind: 'text', hunks: [] };
  if (isSecretAsWhole(before) || isSecretAsWhole(after)) return CREDENTIALS;
  const hunks = lineDiff(withoutCredentials(before), withoutCredentials(after));
  // They differ in what may not be shown alone.
  return hunks.length === 0 ? CREDENTIALS : { kind: 'text', hunks };
}

function unitDifference({ name, change, before, after }: Changed<Unit>): Difference {
  const state = pair(before && stateOf(before), after && stateOf(after));
  const [was, is] = [before?.contents ?? '', after?.contents ?? ''];
  const [old, now] = [dropinsOf(before), dropinsOf(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  return {
    ...{ kind: 'unit', name, change },
    ...(state === undefined ? {} : { state }),
    ...(was === is ? {} : { contents: textDifference(was, is) }),
    dropins: names
      .filter((one) => old.get(one) !== now.get(one))
      .map((one) => ({
        name: one,
        change: changeOf(old.has(one), now.has(one)),
        contents: textDifference(old.get(one) ?? '', now.get(one) ?? ''),
      })),
  };
}

function stateOf({ enabled, mask }: Unit): string {
  if (mask === true) return 'masked';
  if (enabled === undefined) return 'as preset';
  return enabled ? 'enabled' : 'disabled';
}

function dropinsOf(unit: Unit | undefined): ReadonlyMap<string, string> {
  return new Map((unit?.dropins ?? []).map(({ name, contents = '' }) => [name, contents]));
}

function userDifference({ name, change, before, after }: Changed<User>): Difference {
  const [old, now] = [before?.sshAuthorizedKeys ?? [], after?.sshAuthorizedKeys ?? []];
  const sshKeys = { added: without(now, old).length, removed: without(old, now).length };
  const password = passwordChange(before?.passwordHash, after?.passwordHash);
  return {
    ...{ kind: 'user', name, change },
    ...(sshKeys.added + sshKeys.removed === 0 ? {} : { sshKeys }),
    ...(password === undefined ? {} : { password }),
  };
}

function passwordChange(before: string | undefined, after: string | undefined) {
  if (before === after) return undefined;
  if (before === undefined) return 'set';
  return after === undefined ? 'removed' : 'changed';
}

/** Undefined where nothing differs. */
function pair(before: string | undefined, after: string | undefined): Pair | undefined {
  if (before === after) return undefined;
  return { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
}
