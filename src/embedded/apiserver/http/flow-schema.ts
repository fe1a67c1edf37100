/**
 * Classifies a request: its priority level, and its user as the flow within it. A small version of API Priority and
 * Fairness, with similar levels as kube-apiserver.
 */
import { ANONYMOUS_NAME, isMaster, type User } from '../../rbac/index.ts';
import type { RequestInfo } from '../request-info.ts';
import type { PriorityLevel } from './flow-limits.ts';

export type Flow =
  /** Never queued. */
  | { readonly kind: 'exempt' }
  | {
      readonly kind: 'limited';
      readonly level: PriorityLevel;
      /** The flow within the level. */
      readonly user: string;
      /** The response is unbounded. */
      readonly isStream: boolean;
    };

type FlowRequest = {
  readonly user: User;
  readonly info: RequestInfo;
};

export function classifyFlow({ user, info }: FlowRequest): Flow {
  if (info.kind === 'path') {
    if (HEALTH.test(info.path)) return { kind: 'exempt' };
    return { kind: 'limited', level: priorityLevelOf(user), user: user.name, isStream: false };
  }
  const isStream = info.verb === 'watch' || STREAMING_SUBRESOURCES.has(info.subresource);
  const isLease =
    info.group === 'coordination.k8s.io' &&
    info.resource === 'leases' &&
    LEADER_VERBS.has(info.verb) &&
    user.name !== ANONYMOUS_NAME;
  const level = isLease ? 'leader-election' : priorityLevelOf(user);
  return { kind: 'limited', level, user: user.name, isStream };
}

const HEALTH = /^\/(healthz|livez|readyz)(\/|$)/;
/** The verbs of leader election. */
const LEADER_VERBS: ReadonlySet<string> = new Set(['get', 'create', 'update', 'patch']);
const STREAMING_SUBRESOURCES: ReadonlySet<string> = new Set([
  'log',
  'proxy',
  'exec',
  'attach',
  'portforward',
]);

function priorityLevelOf(user: User): PriorityLevel {
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
