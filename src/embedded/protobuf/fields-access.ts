/**
 * Fields of roles, and of the reviews that ask who somebody is and what he may do.
 * How to read them is said in `field-table.ts`.
 */
import type { FieldTable } from './field-table.ts';

export const ACCESS_FIELDS: FieldTable = {
  AggregationRule: '1 clusterRoleSelectors [LabelSelector]',
  BoundObjectReference: '1 kind string, 2 apiVersion string, 3 name string, 4 uid string',
  ClusterRole: '1 metadata ObjectMeta, 2 rules [PolicyRule]!, 3 aggregationRule ?AggregationRule',
  ClusterRoleBinding: '1 metadata ObjectMeta, 2 subjects [Subject], 3 roleRef RoleRef!',
  FieldSelectorAttributes: '1 rawSelector string, 2 requirements [FieldSelectorRequirement]',
  LabelSelectorAttributes: '1 rawSelector string, 2 requirements [LabelSelectorRequirement]',
  LocalSubjectAccessReview: `
    1 metadata ObjectMeta, 2 spec SubjectAccessReviewSpec!, 3 status SubjectAccessReviewStatus`,
  NonResourceAttributes: '1 path string, 2 verb string',
  NonResourceRule: '1 verbs [string]!, 2 nonResourceURLs [string]',
  PolicyRule: `
    1 verbs [string]!, 2 apiGroups [string], 3 resources [string], 4 resourceNames [string],
    5 nonResourceURLs [string]`,
  ResourceAttributes: `
    1 namespace string, 2 verb string, 3 group string, 4 version string, 5 resource string,
    6 subresource string, 7 name string, 8 fieldSelector ?FieldSelectorAttributes,
    9 labelSelector ?LabelSelectorAttributes`,
  ResourceRule: '1 verbs [string]!, 2 apiGroups [string], 3 resources [string], 4 resourceNames [string]',
  Role: '1 metadata ObjectMeta, 2 rules [PolicyRule]!',
  RoleBinding: '1 metadata ObjectMeta, 2 subjects [Subject], 3 roleRef RoleRef!',
  RoleRef: '1 apiGroup string!, 2 kind string!, 3 name string!',
  SelfSubjectAccessReview: `
    1 metadata ObjectMeta, 2 spec SelfSubjectAccessReviewSpec!, 3 status SubjectAccessReviewStatus`,
  SelfSubjectAccessReviewSpec: `
    1 resourceAttributes ?ResourceAttributes, 2 nonResourceAttributes ?NonResourceAttributes`,
  SelfSubjectReview: '1 metadata ObjectMeta, 2 status SelfSubjectReviewStatus',
  SelfSubjectReviewStatus: '1 userInfo UserInfo',
  SelfSubjectRulesReview: `
    1 metadata ObjectMeta, 2 spec SelfSubjectRulesReviewSpec!, 3 status SubjectRulesReviewStatus`,
  SelfSubjectRulesReviewSpec: '1 namespace string',
  Subject: '1 kind string!, 2 apiGroup string, 3 name string!, 4 namespace string',
  SubjectAccessReview: `
    1 metadata ObjectMeta, 2 spec SubjectAccessReviewSpec!, 3 status SubjectAccessReviewStatus`,
  SubjectAccessReviewSpec: `
    1 resourceAttributes ?ResourceAttributes, 2 nonResourceAttributes ?NonResourceAttributes,
    3 user string, 4 groups [string], 5 extra {texts}, 6 uid string`,
  SubjectAccessReviewStatus: '1 allowed bool!, 4 denied bool, 2 reason string, 3 evaluationError string',
  SubjectRulesReviewStatus: `
    1 resourceRules [ResourceRule]!, 2 nonResourceRules [NonResourceRule]!, 3 incomplete bool!,
    4 evaluationError string`,
  TokenRequest: '1 metadata ObjectMeta, 2 spec TokenRequestSpec!, 3 status TokenRequestStatus',
  TokenRequestSpec: `
    1 audiences [string]!, 4 expirationSeconds ?long!, 3 boundObjectRef ?BoundObjectReference!`,
  TokenRequestStatus: '1 token string!, 2 expirationTimestamp time!',
  TokenReview: '1 metadata ObjectMeta, 2 spec TokenReviewSpec!, 3 status TokenReviewStatus',
  TokenReviewSpec: '1 token string, 2 audiences [string]',
  TokenReviewStatus: '1 authenticated bool, 2 user UserInfo, 4 audiences [string], 3 error string',
  UserInfo: '1 username string, 2 uid string, 3 groups [string], 4 extra {texts}',
};
