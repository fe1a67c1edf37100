/**
 * Where rules come from, and how those of a user are found.
 */

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

/** The roles and bindings as they are stored. Bindings are visited in the order in which they are given. */
export interface RuleSource {
  clusterRole(name: string): ClusterRole | undefined;
  role(namespace: string, name: string): Role | undefined;
  clusterRoleBindings(): Iterable<ClusterRoleBinding>;
  roleBindings(namespace: string): Iterable<RoleBinding>;
}

/** A binding that is for a user, and the first of its subjects that is. */
export type Grant = {
  readonly binding: ClusterRoleBinding | RoleBinding;
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly subject: Subject;
};

/** Answers whether to go on. */
type GrantVisitor = (grant: Grant) => boolean;

/**
 * Visits what a user is given in a namespace, and in the whole cluster before that. Roles are looked up by the
 * visitor: of most bindings nothing but the subjects is ever read.
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

/** The rules of a role; undefined where there is no such role. */
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

/** Why the rules of a role could not be found, as `authorize` and rule reviews say it. */
export function missingRoleText({ kind, name }: RoleRef): string {
  if (kind !== 'Role' && kind !== 'ClusterRole') return unsupportedKindText(kind);
  return `${kind.toLowerCase()}.rbac.authorization.k8s.io ${quoted(name)} not found`;
}

export function unsupportedKindText(kind: string): string {
  return `unsupported role reference kind: ${quoted(kind)}`;
}

/** Several reasons as one: each once, in brackets unless there is only one. */
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
  return subjects?.find((subject) => isFor(subject, user, namespace));
}

/** Accounts without a namespace are looked for in that of the binding. */
function isFor(subject: Subject, user: User, namespace: string): boolean {
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
