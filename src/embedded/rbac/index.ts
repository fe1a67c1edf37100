/**
 * Who may do what: users, the rules of roles and bindings, the reviews that ask about them, and the policy that a fresh
 * cluster has. The answers and their texts are those of Kubernetes 1.33.
 *
 * Everything is a pure function over a `RuleSource`, which the server makes from what it stores. A request goes through
 * it so: `impersonation` (each of its checks through `authorize`), then `authorize`, and on a refusal `forbiddenText`;
 * writes to roles and bindings also through `escalationProblem`, before the object is validated.
 *
 * Not here: how tokens and certificates are checked, how a path becomes `Attributes`, and the rules for valid roles
 * (`resources`). Nor is there an authorizer for kubelets: users of the group `system:nodes` have what roles give them.
 *
 * Start with `authorize.ts`.
 */
export { localSubjectAccessReview, selfSubjectAccessReview, subjectAccessReview } from './access-reviews.ts';
export { aggregatedRules } from './aggregated-rules.ts';
export { type Attributes, forbiddenText } from './attributes.ts';
export { authorize, type Decision } from './authorize.ts';
export { bootstrapPolicy } from './bootstrap-policy.ts';
export { escalationProblem, type PolicyWrite } from './escalation-problem.ts';
export {
  type Authentication,
  selfSubjectReview,
  TOKEN_EXPIRED,
  TOKEN_INVALIDATED,
  tokenError,
  tokenQuestion,
  tokenReview,
  wrongAudience,
} from './identity-reviews.ts';
export { impersonation } from './impersonation.ts';
export type { Reviewed } from './review.ts';
export type { RuleSource } from './rule-source.ts';
export { selfSubjectRulesReview } from './rules-review.ts';
export { serviceAccountGroups, serviceAccountName, serviceAccountUser } from './service-account.ts';
export { ANONYMOUS_NAME, anonymousUser, asAuthenticated, isMaster, type User, userInfo } from './user.ts';
