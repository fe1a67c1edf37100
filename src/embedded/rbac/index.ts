/**
 * Authorization: users, RBAC rules, access reviews, impersonation and the bootstrap policy. Results and messages are
 * those of Kubernetes 1.33.
 *
 * Everything is a pure function over a `RuleSource`, which the server fills from its store. A request uses
 * `impersonation` (with `authorize` for each of its checks), then `authorize`, and `forbiddenText` if it is denied;
 * writes to roles and bindings also use `escalationProblem`, before validation.
 *
 * Not here: authentication, the parsing of paths into `Attributes` (`apiserver`), and the validation of roles
 * (`resources`). There is no Node authorizer: users of the group `system:nodes` have what roles grant them.
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
