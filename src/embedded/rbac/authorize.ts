/** The RBAC authorizer. Rules can only allow, so the first match decides. */
import { quoted } from '../../base/text/index.ts';
import type { Attributes } from './attributes.ts';
import { ruleAllows } from './rule-allows.ts';
import {
  type Grant,
  joinReasons,
  missingRoleText,
  type RuleSource,
  rulesOfRole,
  visitGrants,
} from './rule-source.ts';
import { isMaster } from './user.ts';

export type Decision = {
  readonly allowed: boolean;
  /** The binding that allows it, or errors of lookups; often empty. */
  readonly reason: string;
};

/** On the path of every request: only bindings of the user are resolved, until one allows. */
export function authorize(attributes: Attributes, source: RuleSource): Decision {
  if (isMaster(attributes.user)) return { allowed: true, reason: '' };
  const namespace = attributes.kind === 'resource' ? attributes.namespace : '';
  const missing: string[] = [];
  let reason: string | undefined;
  visitGrants(source, attributes.user, namespace, (grant) => {
    const { roleRef } = grant.binding;
    const rules = rulesOfRole(source, roleRef, grant.namespace);
    if (rules === undefined) {
      missing.push(missingRoleText(roleRef));
      return true;
    }
    if (!rules.some((rule) => ruleAllows(rule, attributes))) return true;
    reason = `RBAC: allowed by ${grantText(grant)}`;
    return false;
  });
  if (reason !== undefined) return { allowed: true, reason };
  return { allowed: false, reason: missing.length === 0 ? '' : `RBAC: ${joinReasons(missing)}` };
}

/** `RoleBinding "reads/default" of Role "reader" to User "alice"`. */
function grantText(grant: Grant): string {
  const { binding, namespace } = grant;
  const { roleRef } = binding;
  const place = namespace === '' ? '' : `/${namespace}`;
  const kind = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding';
  const name = quoted(`${binding.metadata.name}${place}`);
  return `${kind} ${name} of ${roleRef.kind} ${quoted(roleRef.name)} to ${subjectText(grant)}`;
}

function subjectText({ subject, namespace }: Grant): string {
  if (subject.kind !== 'ServiceAccount') return `${subject.kind} ${quoted(subject.name)}`;
  const own = subject.namespace === undefined || subject.namespace === '' ? namespace : subject.namespace;
  return `${subject.kind} ${quoted(`${subject.name}/${own}`)}`;
}
