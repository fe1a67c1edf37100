/**
 * Which waiting line a request stands in: its level, and within that the line of its user.
 *
 * A small form of API priority and fairness, with levels in the manner of those that kube-apiserver brings along.
 */
import { ANONYMOUS_NAME, isMaster, type User } from '../../rbac/index.ts';
import type { RequestInfo } from '../request-info.ts';
import type { Level } from './flow-limits.ts';

export type Flow =
  /** Answered at once, whatever else there is to do. */
  | { readonly kind: 'exempt' }
  | {
      readonly kind: 'limited';
      readonly level: Level;
      /** Who shares the level with others. */
      readonly user: string;
      /** Goes on for as long as both sides like. */
      readonly isStream: boolean;
    };

type FlowRequest = {
  readonly user: User;
  readonly info: RequestInfo;
  readonly verb: string;
};

export function flowOf({ user, info, verb }: FlowRequest): Flow {
  if (info.kind === 'path') {
    if (HEALTH.test(info.path)) return { kind: 'exempt' };
    return { kind: 'limited', level: levelOfUser(user), user: user.name, isStream: false };
  }
  const isStream = verb === 'watch' || STREAMING_DOORS.has(info.subresource);
  const isLease =
    info.group === 'coordination.k8s.io' &&
    info.resource === 'leases' &&
    LEADER_VERBS.has(verb) &&
    user.name !== ANONYMOUS_NAME;
  const level = isLease ? 'leader-election' : levelOfUser(user);
  return { kind: 'limited', level, user: user.name, isStream };
}

const HEALTH = /^\/(healthz|livez|readyz)(\/|$)/;
/** What those do who lead, or wait for it. */
const LEADER_VERBS: ReadonlySet<string> = new Set(['get', 'create', 'update', 'patch']);
const STREAMING_DOORS: ReadonlySet<string> = new Set(['log', 'proxy', 'exec', 'attach', 'portforward']);

function levelOfUser(user: User): Level {
  if (isMaster(user)) return 'administrators';
  if (isPartOfSystem(user)) return 'system';
  return user.groups.includes('system:serviceaccounts') ? 'workloads' : 'everyone';
}

const SYSTEM_GROUPS: readonly string[] = [
  'system:nodes',
  'system:serviceaccounts:kube-system',
  'system:serviceaccounts:openshift-machine-config-operator',
];

function isPartOfSystem({ name, groups }: User): boolean {
  if (SYSTEM_GROUPS.some((group) => groups.includes(group))) return true;
  return name.startsWith('system:kube-');
}
