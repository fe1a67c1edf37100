/**
 * Which changes of a config can running nodes not follow? Some parts of it only take effect when a machine is installed.
 */
import { FORCE_FILE } from '../../api/index.ts';
import { jsonEqual } from '../../base/json.ts';
import { type ContributionKind, type IgnitionConfig, itemsOfKind, type User } from '../ignition/index.ts';

/** Sections that may change although running nodes cannot follow; new nodes will have them. */
export type AllowedChanges = readonly ('Disks' | 'FileSystems' | 'Raid')[];

/** A change that running nodes cannot follow. */
export type IrreconcilableChange = {
  readonly path: string;
  readonly reason: string;
  /** The items that are new or different, and those that are gone. */
  readonly items?: {
    readonly kind: ContributionKind;
    readonly changed: readonly string[];
    readonly gone: readonly string[];
  };
};

type Reconcilable = { readonly config: IgnitionConfig; readonly fips: boolean };

export function irreconcilableChanges(
  before: Reconcilable,
  after: Reconcilable,
  allowed: AllowedChanges,
): readonly IrreconcilableChange[] {
  const changes: IrreconcilableChange[] = [];
  const rejectChanges = (kind: ContributionKind, path: string, reason: string) => {
    const { changed, gone } = compareItems(kind, before.config, after.config);
    if (changed.length + gone.length > 0) changes.push({ path, reason, items: { kind, changed, gone } });
  };

  rejectChanges('group', 'passwd.groups', `${PASSWD}: ignition Passwd Groups section contains changes`);
  changes.push(...userChanges(before.config, after.config));
  if (!jsonEqual(before.config.kernelArguments ?? {}, after.config.kernelArguments ?? {})) {
    changes.push({ path: 'kernelArguments', reason: 'ignition kargs section contains changes' });
  }
  if (!allowed.includes('Disks')) rejectChanges('disk', 'storage.disks', sectionText('disks'));
  if (!allowed.includes('FileSystems'))
    rejectChanges('filesystem', 'storage.filesystems', sectionText('filesystems'));
  if (!allowed.includes('Raid')) rejectChanges('raid', 'storage.raid', sectionText('raid'));
  rejectChanges('directory', 'storage.directories', sectionText('directories'));
  if (after.config.storage?.links !== undefined) rejectChanges('link', 'storage.links', sectionText('links'));
  changes.push(...fileChanges(after.config));
  if (before.fips !== after.fips) {
    const reason = 'detected change to FIPS flag; refusing to modify FIPS on a running cluster';
    changes.push({ path: 'spec.fips', reason });
  }
  return changes.map((change) =>
    change.path.startsWith('spec.') ? change : { ...change, path: `spec.config.${change.path}` },
  );
}

const PASSWD = 'invalid passwd change(s)';

function sectionText(section: string): string {
  return `ignition ${section} section contains changes`;
}

/** Users may lose or gain SSH keys and passwords, and only the user core. Removing all users is fine. */
function userChanges(before: IgnitionConfig, after: IgnitionConfig): readonly IrreconcilableChange[] {
  const { changed, gone } = compareItems('user', before, after);
  const users = after.passwd?.users ?? [];
  if (changed.length + gone.length === 0 || users.length === 0) return [];
  const reject = (names: readonly string[], reason: string): IrreconcilableChange[] => [
    {
      path: 'passwd.users',
      reason: `${PASSWD}: ${reason}`,
      items: { kind: 'user', changed: names, gone: [] },
    },
  ];
  const unsupported = 'ignition passwd user section contains unsupported changes';
  const others = users.filter(({ name }) => name !== 'core').map(({ name }) => name);
  if (others.length > 0) return reject(others, `${unsupported}: non-core user`);
  const core = users.at(-1);
  if (core === undefined) return [];
  if (core.sshAuthorizedKeys === undefined && !core.passwordHash) {
    return reject(['core'], `${unsupported}: user must be core and have 1 or more sshKeys`);
  }
  return hasOtherFields(core) ? reject(['core'], 'SSH keys and password hash are not reconcilable') : [];
}

const RECONCILABLE_USER_FIELDS: ReadonlySet<string> = new Set(['name', 'sshAuthorizedKeys', 'passwordHash']);

function hasOtherFields(user: User): boolean {
  return Object.keys(user).some((field) => !RECONCILABLE_USER_FIELDS.has(field));
}

function fileChanges({ storage }: IgnitionConfig): readonly IrreconcilableChange[] {
  return (storage?.files ?? []).flatMap(({ path, append }, index) => {
    const items = { kind: 'file' as const, changed: [path], gone: [] };
    const place = `storage.files[${index}]`;
    if (path === FORCE_FILE)
      return [{ path: place, reason: `cannot create ${FORCE_FILE} via Ignition`, items }];
    return append === undefined
      ? []
      : [{ path: place, reason: `ignition file ${path} includes append`, items }];
  });
}

/** By identity, not by position: a different order of directories or disks requires no change on a node. */
function compareItems(
  kind: ContributionKind,
  before: IgnitionConfig,
  after: IgnitionConfig,
): { readonly changed: readonly string[]; readonly gone: readonly string[] } {
  const old = itemsOfKind(before, kind);
  const now = itemsOfKind(after, kind);
  const changed = [...now].filter(([name, item]) => !old.has(name) || !jsonEqual(old.get(name), item));
  return {
    changed: changed.map(([name]) => name),
    gone: [...old.keys()].filter((name) => !now.has(name)),
  };
}
