/**
 * Can nodes that run one config be brought to another?
 *
 * Some parts of a config only take effect when a machine is installed. A change to them is refused, and the
 * source that brings it is named.
 */
import type { MachineConfig } from '../../api/index.ts';
import { jsonEqual } from '../../base/json.ts';
import { type ContributionKind, type IgnitionConfig, itemsOfKind, type User } from '../ignition/index.ts';
import { checkSource } from './check-source.ts';
import type { MergedSources } from './merge-sources.ts';
import type { Origin } from './origins.ts';
import type { RenderSettings, SourceProblem } from './rendering.ts';

/** What is let through although running nodes cannot follow it. */
export type AllowedChanges = NonNullable<RenderSettings['allowIrreconcilable']>;

/** A change that running nodes cannot follow. */
type IrreconcilableChange = {
  readonly path: string;
  readonly reason: string;
  /** The items that are new or different, and those that are gone. */
  readonly items?: {
    readonly kind: ContributionKind;
    readonly changed: readonly string[];
    readonly gone: readonly string[];
  };
};

/** Nothing to compare with, or nothing wrong: no problems. */
export function reconcileProblems(
  current: MachineConfig | undefined,
  merged: MergedSources,
  allowed: AllowedChanges,
): readonly SourceProblem[] {
  if (current === undefined) return [];
  const { machineConfig, config } = checkSource(current);
  // A config that nobody can read cannot hold anything back: the new one is the way out.
  if (machineConfig === undefined || config === undefined) return [];
  const changes = irreconcilableChanges(
    { config, fips: machineConfig.spec?.fips ?? false },
    { config: merged.config, fips: merged.spec.fips },
    allowed,
  );
  return changes.map((change) => blame(change, machineConfig.metadata.name, merged.origins));
}

type Reconcilable = { readonly config: IgnitionConfig; readonly fips: boolean };

export function irreconcilableChanges(
  before: Reconcilable,
  after: Reconcilable,
  allowed: AllowedChanges,
): readonly IrreconcilableChange[] {
  const changes: IrreconcilableChange[] = [];
  const refuseChanges = (kind: ContributionKind, path: string, reason: string) => {
    const { changed, gone } = compareItems(kind, before.config, after.config);
    if (changed.length + gone.length > 0) changes.push({ path, reason, items: { kind, changed, gone } });
  };

  refuseChanges('group', 'passwd.groups', `${PASSWD}: ignition Passwd Groups section contains changes`);
  changes.push(...userChanges(before.config, after.config));
  if (!jsonEqual(before.config.kernelArguments ?? {}, after.config.kernelArguments ?? {})) {
    changes.push({ path: 'kernelArguments', reason: 'ignition kargs section contains changes' });
  }
  if (!allowed.includes('Disks')) refuseChanges('disk', 'storage.disks', sectionText('disks'));
  if (!allowed.includes('FileSystems'))
    refuseChanges('filesystem', 'storage.filesystems', sectionText('filesystems'));
  if (!allowed.includes('Raid')) refuseChanges('raid', 'storage.raid', sectionText('raid'));
  refuseChanges('directory', 'storage.directories', sectionText('directories'));
  if (after.config.storage?.links !== undefined) refuseChanges('link', 'storage.links', sectionText('links'));
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
/** Whoever makes this file on a node asks for the next update to be forced; no config may do so. */
export const FORCE_FILE = '/run/machine-config-daemon-force';

function sectionText(section: string): string {
  return `ignition ${section} section contains changes`;
}

/** Users may lose or gain SSH keys and passwords, and only the user core. Removing all users is fine. */
function userChanges(before: IgnitionConfig, after: IgnitionConfig): readonly IrreconcilableChange[] {
  const { changed, gone } = compareItems('user', before, after);
  const users = after.passwd?.users ?? [];
  if (changed.length + gone.length === 0 || users.length === 0) return [];
  const refuse = (names: readonly string[], reason: string): IrreconcilableChange[] => [
    {
      path: 'passwd.users',
      reason: `${PASSWD}: ${reason}`,
      items: { kind: 'user', changed: names, gone: [] },
    },
  ];
  const unsupported = 'ignition passwd user section contains unsupported changes';
  const strangers = users.filter(({ name }) => name !== 'core').map(({ name }) => name);
  if (strangers.length > 0) return refuse(strangers, `${unsupported}: non-core user`);
  const core = users.at(-1);
  if (core === undefined) return [];
  if (core.sshAuthorizedKeys === undefined && !core.passwordHash) {
    return refuse(['core'], `${unsupported}: user must be core and have 1 or more sshKeys`);
  }
  return hasOtherFields(core) ? refuse(['core'], 'SSH keys and password hash are not reconcilable') : [];
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

/** By identity, not by position: the order of directories or disks asks nothing of a node. */
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

/** Names the source whose section really differs; a change by leaving something out has none. */
function blame(change: IrreconcilableChange, current: string, origins: readonly Origin[]): SourceProblem {
  const { path, reason, items } = change;
  const source = items === undefined ? settingSource(change, origins) : itemSource(items, origins);
  if (source !== undefined) {
    const message = `reconciliation failed between current config "${current}" and base config "${source}": ${reason}`;
    return { path, message, source };
  }
  const gone = items?.gone.map((name) => `${items.kind} ${name}`).join(', ') || path;
  const message = `render reconciliation error: ${reason}; component errors: ${gone} is part of "${current}" and of no MachineConfig any more`;
  return { path, message };
}

function itemSource(
  items: NonNullable<IrreconcilableChange['items']>,
  origins: readonly Origin[],
): string | undefined {
  const [name] = items.changed;
  return origins.find((origin) => origin.kind === items.kind && origin.name === name)?.source;
}

function settingSource({ path }: IrreconcilableChange, origins: readonly Origin[]): string | undefined {
  if (path !== 'spec.fips') return undefined;
  return origins.find(({ kind, name }) => kind === 'setting' && name === 'fips')?.source || undefined;
}
