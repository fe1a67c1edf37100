/** Looks up the rules of a user. */

import { quoted } from '../../base/text/index.ts';
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  RoleRef,
  Subject,
} from '../../kubernetes/types/index.ts';
import { isServiceAccount } from './service-account.ts';
import type { User } from './user.ts';

/** The stored roles and bindings, in order. */
export interface RuleSource {
  clusterRole(name: string): ClusterRole | undefined;
  role(namespace: string, name: string): Role | undefined;
  clusterRoleBindings(): Iterable<ClusterRoleBinding>;
  roleBindings(namespace: string): Iterable<RoleBinding>;
}

/** A binding that applies to a user, with the first matching subject. */
export type Grant = {
  readonly binding: ClusterRoleBinding | RoleBinding;
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly subject: Subject;
};

/** Returns whether to continue. */
type GrantVisitor = (grant: Grant) => boolean;

/**
 * Visits the bindings of a user, of the cluster and then of the namespace. The visitor looks up roles: most bindings
 * do not apply.
 */
export function visitGrants(source: RuleSource, user: User, namespace: string, visit: GrantVisitor): void {
  for (const binding of source.clusterRoleBindings()) {
    const subject = subjectFor(user, binding.subjects, '');
    if (subject !== undefined && !visit({ binding, namespace: '', subject })) return;
  }
  if (namespace === '') return;
  for (const binding of source.roleBindings(namespace)) {
    const subject = subjectFor(user, binding.subjects, namespace);
    if (subject !== undefined && !visit({ binding, namespace, subject })) return;
  }
}

/** Undefined if the role does not exist. */
export function rulesOfRole(
  source: RuleSource,
  { kind, name }: RoleRef,
  namespace: string,
): readonly PolicyRule[] | undefined {
  switch (kind) {
    case 'ClusterRole':
      return rulesIn(source.clusterRole(name));
    case 'Role':
      return namespace === '' ? undefined : rulesIn(source.role(namespace, name));
    default:
      return undefined;
  }
}

/** The error for a missing role in `authorize` and rules reviews. */
export function missingRoleText({ kind, name }: RoleRef): string {
  if (kind !== 'Role' && kind !== 'ClusterRole') return unsupportedKindText(kind);
  return `${kind.toLowerCase()}.rbac.authorization.k8s.io ${quoted(name)} not found`;
}

export function unsupportedKindText(kind: string): string {
  return `unsupported role reference kind: ${quoted(kind)}`;
}

/** Joins reasons, without duplicates, in brackets if there are several. */
export function joinReasons(reasons: readonly string[]): string {
  const texts = [...new Set(reasons)];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}

function rulesIn(role: Role | ClusterRole | undefined): readonly PolicyRule[] | undefined {
  return role === undefined ? undefined : (role.rules ?? []);
}

function subjectFor(
  user: User,
  subjects: readonly Subject[] | undefined,
  namespace: string,
): Subject | undefined {
  return subjects?.find((subject) => appliesTo(subject, user, namespace));
}

/** Service accounts without a namespace are in that of the binding. */
function appliesTo(subject: Subject, user: User, namespace: string): boolean {
  const { kind, name } = subject;
  switch (kind) {
    case 'User':
      return user.name === name;
    case 'Group':
      return user.groups.includes(name);
    case 'ServiceAccount': {
      const own = subject.namespace === undefined || subject.namespace === '' ? namespace : subject.namespace;
      return own !== '' && isServiceAccount(user.name, { namespace: own, name });
    }
    default:
      return false;
  }
}
