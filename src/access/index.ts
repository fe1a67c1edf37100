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
export { aggregatedRules, withAggregatedRules } from './aggregated-rules.ts';
export {
  type Attributes,
  forbiddenText,
  type PathAttributes,
  type ResourceAttributes,
} from './attributes.ts';
export { authorize, type Decision } from './authorize.ts';
export { type BootstrapPolicy, bootstrapPolicy } from './bootstrap-policy.ts';
export { type EscalationProblem, escalationProblem, type PolicyWrite } from './escalation-problem.ts';
export {
  type Authentication,
  selfSubjectReview,
  TOKEN_EXPIRED,
  TOKEN_INVALIDATED,
  type TokenQuestion,
  tokenError,
  tokenQuestion,
  tokenReview,
  wrongAudience,
} from './identity-reviews.ts';
export { type Impersonation, type ImpersonationHeaders, impersonation } from './impersonation.ts';
export type { Reviewed } from './review.ts';
export type { RuleSource } from './rule-source.ts';
export { selfSubjectRulesReview } from './rules-review.ts';
export {
  credentialId,
  parseServiceAccountName,
  type ServiceAccountIdentity,
  type ServiceAccountName,
  serviceAccountGroups,
  serviceAccountName,
  serviceAccountUser,
} from './service-account.ts';
export {
  ANONYMOUS_NAME,
  AUTHENTICATED_GROUP,
  anonymousUser,
  asAuthenticated,
  CREDENTIAL_ID_KEY,
  isMaster,
  MASTERS_GROUP,
  UNAUTHENTICATED_GROUP,
  type User,
  userInfo,
} from './user.ts';
export { type UserRules, userRules } from './user-rules.ts';
