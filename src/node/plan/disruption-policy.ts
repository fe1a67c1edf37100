/**
 * Node disruption policies: the actions after a change that does not need a reboot.
 *
 * A change without a policy reboots. `mergePolicies` merges the users' policies into the defaults; `policiesInForce` reads the
 * merged ones from the MachineConfiguration; `postActions` applies them to a change.
 */

import {
  type ClusterDisruptionPolicies,
  type DisruptionAction,
  defaultDisruptionPolicies,
  type NodeDisruptionPolicy,
} from '../../api/index.ts';
import { invalid, type Outcome, ok } from '../../base/errors.ts';
import { isObject, jsonEqual, own } from '../../base/json.ts';
import { valueAt } from '../../base/json-fields.ts';
import { simplifiedPath } from '../../config/ignition/index.ts';
import { CONTAINERD, isHostsToml, REGISTRIES_CONF_PATH } from '../../config/registries/index.ts';
import { changesBoot } from './config-change.ts';
import type { ConfigChange, PostAction } from './plan-types.ts';

/** The defaults, overridden and extended by the users' policies. */
export function mergePolicies(user: NodeDisruptionPolicy | undefined): ClusterDisruptionPolicies {
  const { files, units, sshkey } = defaultDisruptionPolicies;
  const stated = user?.sshkey;
  return {
    files: merged(files, user?.files ?? [], ({ path }) => policyPath(path) || path),
    units: merged(units, user?.units ?? [], ({ name }) => name),
    sshkey: stated !== undefined && stated.actions.length > 0 ? stated : sshkey,
  };
}

function merged<Default, Item>(
  defaults: readonly Default[],
  users: readonly Item[],
  keyOf: (item: Default | Item) => string,
): readonly (Default | Item)[] {
  // Of two with the same key the first counts, as in `closestPolicy`.
  const stated = new Map(users.toReversed().map((item) => [keyOf(item), item]));
  const own = new Set(defaults.map(keyOf));
  return [
    ...defaults.map((item) => stated.get(keyOf(item)) ?? item),
    ...users.filter((item) => !own.has(keyOf(item)) && stated.get(keyOf(item)) === item),
  ];
}

/** From the status of `MachineConfiguration/cluster`, or why they are not known yet. */
export function policiesInForce(machineConfiguration: unknown): Outcome<ClusterDisruptionPolicies> {
  if (!isObject(machineConfiguration))
    return notReady('MachineConfiguration/cluster has not been created yet');
  const generation = valueAt(machineConfiguration, 'metadata', 'generation');
  const status = own(machineConfiguration, 'status');
  const policies = valueAt(status, 'nodeDisruptionPolicyStatus', 'clusterPolicies');
  if (generation !== valueAt(status, 'observedGeneration') || !isObject(policies)) {
    return notReady('NodeDisruptionPolicyStatus is not up to date');
  }
  // The API server has validated it; `postActions` still tolerates anything.
  return ok(policies as ClusterDisruptionPolicies);
}

function notReady(why: string): Outcome<never> {
  const path = 'status.nodeDisruptionPolicyStatus';
  return invalid([{ path, message: `NodeDisruptionPolicyStatus was not ready: ${why}` }]);
}

export type PostActions =
  | { readonly kind: 'known'; readonly actions: readonly PostAction[]; readonly log: readonly string[] }
  | { readonly kind: 'unknown'; readonly error: string; readonly log: readonly string[] };

/**
 * Never empty: it is `None` where nothing is to be done. `Reboot` and `None` are the only action. Policies are used only where
 * needed, so a change that reboots anyway does not wait for them.
 */
export function postActions(
  change: ConfigChange,
  policies: Outcome<ClusterDisruptionPolicies>,
  { isForced = false }: { readonly isForced?: boolean } = {},
): PostActions {
  const log = ['Calculating node disruption actions'];
  if (isForced || changesBoot(change)) return known([REBOOT], log);
  if (!change.files && !change.units && !change.passwd) {
    log.push('No changes in files, units or SSH keys, no NodeDisruptionPolicies are in effect');
    return known([NONE], log);
  }
  if (policies.kind === 'invalid') {
    return { kind: 'unknown', error: policies.problems.map(({ message }) => message).join(', '), log };
  }
  return known(actionsOf(policyActions(change, policies.value, log)), log);
}

/**
 * On nodes without CRI-O nothing of it is reloaded or restarted, as the default policies say: containerd reads the files about
 * registries at every pull.
 */
export function actionsFor(
  runtime: string | undefined,
  actions: readonly PostAction[],
): { readonly actions: readonly PostAction[]; readonly log: readonly string[] } {
  const left = runtime === CONTAINERD ? actions.filter((action) => !isOfCrio(action)) : actions;
  if (left.length === actions.length) return { actions, log: [] };
  const after = left.length === 0 ? [NONE] : left;
  const text = `This node runs ${runtime}, which reads its files at every pull: ${actionsText(actions)} becomes ${actionsText(after)}`;
  return { actions: after, log: [text] };
}

function isOfCrio(action: PostAction): boolean {
  if (action.type === 'Special') return true;
  return 'service' in action && ['crio', 'crio.service'].includes(action.service);
}

const REBOOT: PostAction = { type: 'Reboot' };
const NONE: PostAction = { type: 'None' };

function known(actions: readonly PostAction[], log: readonly string[]): PostActions {
  return {
    kind: 'known',
    actions,
    log: [...log, `Calculated node disruption actions: ${actionsText(actions)}`],
  };
}

/** The policy that decides about one changed file, unit, or the users. */
type PolicyMatch = {
  readonly kind: 'file' | 'unit' | 'users';
  /** The path or the name; empty for users. */
  readonly name: string;
  /** What the policy is for: a path, which may be a folder of the file, or a unit. Absent where there is none: then the node reboots. */
  readonly policy?: string;
  readonly actions: readonly PostAction[];
};

/** For every changed file and unit, in this order, then for the users. */
export function policyMatches(
  change: Pick<ConfigChange, 'changedFiles' | 'changedUnits' | 'passwd'>,
  policies: ClusterDisruptionPolicies,
): readonly PolicyMatch[] {
  const files = change.changedFiles.map((name) => {
    const policy = filePolicy(name, items(policies.files));
    return match('file', name, policy?.path, policy?.actions);
  });
  const units = change.changedUnits.map((name) => {
    const policy = items(policies.units).find((one) => valueAt(one, 'name') === name);
    return match('unit', name, policy?.name, policy?.actions);
  });
  const users = change.passwd ? [match('users', '', 'sshkey', policies.sshkey?.actions)] : [];
  return [...files, ...units, ...users];
}

function match(
  kind: PolicyMatch['kind'],
  name: string,
  policy: string | undefined,
  actions: readonly DisruptionAction[] | undefined,
): PolicyMatch {
  if (policy === undefined) return { kind, name, actions: [REBOOT] };
  return { kind, name, policy, actions: items(actions).map(readAction) };
}

/** The actions of each policy that applies; `undefined` where a change has no policy. */
function policyActions(
  change: ConfigChange,
  policies: ClusterDisruptionPolicies,
  log: string[],
): readonly (readonly PostAction[])[] | undefined {
  const lists: (readonly PostAction[])[] = [];
  for (const { kind, name, policy, actions } of policyMatches(change, policies)) {
    const what = `diff ${kind} ${name}`;
    if (policy === undefined) {
      log.push(`No NodeDisruptionPolicy found for ${what}, the node has to reboot`);
      return undefined;
    }
    const text = actionsText(actions);
    if (kind === 'users') log.push(`SSH diff detected, applying SSH policy ${text}`);
    else log.push(`NodeDisruptionPolicy ${text} found for ${what}${kind === 'unit' ? '!' : ''}`);
    lists.push(actions);
  }
  return lists;
}

/** One list: a reboot replaces everything else, and duplicates are dropped. */
function actionsOf(lists: readonly (readonly PostAction[])[] | undefined): readonly PostAction[] {
  if (lists === undefined || lists.flat().some(({ type }) => type === 'Reboot')) return [REBOOT];
  const actions: PostAction[] = [];
  // The longest first, as the shorter ones are often part of it.
  for (const list of [...lists].sort((a, b) => b.length - a.length)) {
    // The order of each policy is kept: an action that comes too early for it is repeated.
    let done = 0;
    for (const action of list.filter(({ type }) => type !== 'None')) {
      const at = actions.findIndex((one, index) => index >= done && jsonEqual(one, action));
      if (at < 0) actions.push(action);
      done = at < 0 ? actions.length : at + 1;
    }
  }
  return actions.length === 0 ? [NONE] : actions;
}

type FilePolicy = NonNullable<ClusterDisruptionPolicies['files']>[number];

/** `hosts.toml` files are registries.conf in other words: unless they have a policy of their own, they follow its policy. */
function filePolicy(path: string, policies: readonly FilePolicy[]): FilePolicy | undefined {
  const own = closestPolicy(path, policies);
  return own === undefined && isHostsToml(path) ? closestPolicy(REGISTRIES_CONF_PATH, policies) : own;
}

/** The policy of the file itself or of its nearest folder; the first of two with the same path. */
function closestPolicy(path: string, policies: readonly FilePolicy[]): FilePolicy | undefined {
  let closest: { readonly policy: FilePolicy; readonly length: number } | undefined;
  for (const policy of policies) {
    const stated: unknown = valueAt(policy, 'path');
    const folder = typeof stated === 'string' ? policyPath(stated) : '';
    if (folder === '' || (path !== folder && !path.startsWith(`${folder}/`))) continue;
    if (closest === undefined || folder.length > closest.length) closest = { policy, length: folder.length };
  }
  return closest?.policy;
}

/** An unknown action reboots, which is always sufficient. */
function readAction(action: DisruptionAction): PostAction {
  const type = valueAt(action, 'type');
  switch (type) {
    case 'Reload':
    case 'Restart': {
      const service = valueAt(action, type === 'Reload' ? 'reload' : 'restart', 'serviceName');
      return typeof service === 'string' && service !== '' ? { type, service } : REBOOT;
    }
    case 'Drain':
    case 'DaemonReload':
    case 'None':
    case 'Special':
      return { type };
    default:
      return REBOOT;
  }
}

/** `[DaemonReload, Restart kubelet.service]` */
export function actionsText(actions: readonly PostAction[]): string {
  return `[${actions.map(actionText).join(', ')}]`;
}

function actionText(action: PostAction): string {
  return 'service' in action ? `${action.type} ${action.service}` : action.type;
}

/** Without `.`, `..`, doubled and trailing slashes; empty for the root and for relative paths, which match no file. */
function policyPath(path: string): string {
  if (!path.startsWith('/')) return '';
  const simplified = simplifiedPath(path);
  return simplified === '/' ? '' : simplified;
}

/** The objects of a list that may contain anything. */
function items<T extends object>(list: readonly T[] | undefined): readonly T[] {
  return Array.isArray(list) ? list.filter((item: T) => isObject(item)) : [];
}
