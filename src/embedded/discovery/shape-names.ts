/**
 * How Kubernetes calls the shapes inside its kinds.
 *
 * The schemas of our built-in kinds hold one another; documents refer to shared shapes by name
 * (`io.k8s.api.core.v1.PodSpec`), and people know those names: `kubectl explain` shows them, generated clients are
 * made of them. A test compares the table with the documents that Kubernetes publishes.
 */
import { own } from '../../base/json.ts';
import { coreShapes, type Shapes } from './core-shapes.ts';

/** `core.PodSpec` → `io.k8s.api.core.v1.PodSpec`. Inside this module shapes go by their short names. */
export function definitionName(shape: string): string {
  const [inside, name] = split(shape);
  return `${packages.get(inside) ?? `io.k8s.api.${inside}.v1`}.${name}`;
}

/** The shape of a kind: `Role` of `rbac.authorization.k8s.io` → `rbac.Role`. */
export function shapeOfKind({ group, kind }: { readonly group: string; readonly kind: string }): string {
  const [first = ''] = group.split('.');
  return `${first === '' ? 'core' : first}.${kind}`;
}

type Place = { readonly owner: string; readonly field: string };

/** The shape of a field that holds objects, if it has a name. */
export function shapeOfField({ owner, field }: Place): string | undefined {
  const [inside, name] = split(owner);
  const fields = shapes.get(inside)?.[name];
  const known = fields === undefined ? undefined : own(fields, field);
  if (typeof known === 'string') return known.includes('.') ? known : `${inside}.${known}`;
  switch (field) {
    case 'metadata':
      return 'meta.ObjectMeta';
    case 'spec':
      return `${owner}Spec`;
    case 'status':
      return `${owner}Status`;
    default:
      return undefined;
  }
}

function split(shape: string): readonly [inside: string, name: string] {
  const [inside = '', name = ''] = shape.split('.');
  return [inside, name];
}

const packages = new Map([
  ['meta', 'io.k8s.apimachinery.pkg.apis.meta.v1'],
  ['apiextensions', 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1'],
  ['resource', 'io.k8s.apimachinery.pkg.api.resource'],
  ['intstr', 'io.k8s.apimachinery.pkg.util.intstr'],
  ['runtime', 'io.k8s.apimachinery.pkg.runtime'],
  ['version', 'io.k8s.apimachinery.pkg.version'],
]);

/** Beside `spec`, `status` and `metadata`, which follow from the name of the owner. */
const otherShapes: { readonly [inside: string]: Shapes } = {
  admissionregistration: {
    MatchResources: {
      excludeResourceRules: 'NamedRuleWithOperations',
      namespaceSelector: 'meta.LabelSelector',
      objectSelector: 'meta.LabelSelector',
      resourceRules: 'NamedRuleWithOperations',
    },
    ParamRef: { selector: 'meta.LabelSelector' },
    TypeChecking: { expressionWarnings: 'ExpressionWarning' },
    ValidatingAdmissionPolicyBindingSpec: { matchResources: 'MatchResources', paramRef: 'ParamRef' },
    ValidatingAdmissionPolicySpec: {
      auditAnnotations: 'AuditAnnotation',
      matchConditions: 'MatchCondition',
      matchConstraints: 'MatchResources',
      paramKind: 'ParamKind',
      validations: 'Validation',
      variables: 'Variable',
    },
    ValidatingAdmissionPolicyStatus: { conditions: 'meta.Condition', typeChecking: 'TypeChecking' },
  },
  apiextensions: {
    CustomResourceConversion: { webhook: 'WebhookConversion' },
    CustomResourceDefinitionSpec: {
      conversion: 'CustomResourceConversion',
      names: 'CustomResourceDefinitionNames',
      versions: 'CustomResourceDefinitionVersion',
    },
    CustomResourceDefinitionStatus: {
      acceptedNames: 'CustomResourceDefinitionNames',
      conditions: 'CustomResourceDefinitionCondition',
    },
    CustomResourceDefinitionVersion: {
      additionalPrinterColumns: 'CustomResourceColumnDefinition',
      schema: 'CustomResourceValidation',
      selectableFields: 'SelectableField',
      subresources: 'CustomResourceSubresources',
    },
    CustomResourceSubresources: {
      scale: 'CustomResourceSubresourceScale',
      status: 'CustomResourceSubresourceStatus',
    },
    CustomResourceValidation: { openAPIV3Schema: 'JSONSchemaProps' },
    WebhookClientConfig: { service: 'ServiceReference' },
    WebhookConversion: { clientConfig: 'WebhookClientConfig' },
  },
  apps: {
    DaemonSetSpec: {
      selector: 'meta.LabelSelector',
      template: 'core.PodTemplateSpec',
      updateStrategy: 'DaemonSetUpdateStrategy',
    },
    DaemonSetStatus: { conditions: 'DaemonSetCondition' },
    DaemonSetUpdateStrategy: { rollingUpdate: 'RollingUpdateDaemonSet' },
    DeploymentSpec: {
      selector: 'meta.LabelSelector',
      strategy: 'DeploymentStrategy',
      template: 'core.PodTemplateSpec',
    },
    DeploymentStatus: { conditions: 'DeploymentCondition' },
    DeploymentStrategy: { rollingUpdate: 'RollingUpdateDeployment' },
    ReplicaSetSpec: { selector: 'meta.LabelSelector', template: 'core.PodTemplateSpec' },
    ReplicaSetStatus: { conditions: 'ReplicaSetCondition' },
  },
  authentication: {
    SelfSubjectReviewStatus: { userInfo: 'UserInfo' },
    TokenRequestSpec: { boundObjectRef: 'BoundObjectReference' },
    TokenReviewStatus: { user: 'UserInfo' },
  },
  authorization: {
    FieldSelectorAttributes: { requirements: 'meta.FieldSelectorRequirement' },
    LabelSelectorAttributes: { requirements: 'meta.LabelSelectorRequirement' },
    LocalSubjectAccessReview: { spec: 'SubjectAccessReviewSpec', status: 'SubjectAccessReviewStatus' },
    ResourceAttributes: {
      fieldSelector: 'FieldSelectorAttributes',
      labelSelector: 'LabelSelectorAttributes',
    },
    SelfSubjectAccessReview: { status: 'SubjectAccessReviewStatus' },
    SelfSubjectAccessReviewSpec: {
      nonResourceAttributes: 'NonResourceAttributes',
      resourceAttributes: 'ResourceAttributes',
    },
    SelfSubjectRulesReview: { status: 'SubjectRulesReviewStatus' },
    SubjectAccessReviewSpec: {
      nonResourceAttributes: 'NonResourceAttributes',
      resourceAttributes: 'ResourceAttributes',
    },
    SubjectRulesReviewStatus: { nonResourceRules: 'NonResourceRule', resourceRules: 'ResourceRule' },
  },
  batch: {
    JobSpec: {
      podFailurePolicy: 'PodFailurePolicy',
      selector: 'meta.LabelSelector',
      successPolicy: 'SuccessPolicy',
      template: 'core.PodTemplateSpec',
    },
    JobStatus: { conditions: 'JobCondition', uncountedTerminatedPods: 'UncountedTerminatedPods' },
    PodFailurePolicy: { rules: 'PodFailurePolicyRule' },
    PodFailurePolicyRule: {
      onExitCodes: 'PodFailurePolicyOnExitCodesRequirement',
      onPodConditions: 'PodFailurePolicyOnPodConditionsPattern',
    },
    SuccessPolicy: { rules: 'SuccessPolicyRule' },
  },
  coordination: {
    LeaseSpec: { acquireTime: 'meta.MicroTime', renewTime: 'meta.MicroTime' },
  },
  events: {
    Event: {
      deprecatedSource: 'core.EventSource',
      eventTime: 'meta.MicroTime',
      regarding: 'core.ObjectReference',
      related: 'core.ObjectReference',
      series: 'EventSeries',
    },
    EventSeries: { lastObservedTime: 'meta.MicroTime' },
  },
  meta: {
    APIGroup: {
      preferredVersion: 'GroupVersionForDiscovery',
      serverAddressByClientCIDRs: 'ServerAddressByClientCIDR',
      versions: 'GroupVersionForDiscovery',
    },
    APIGroupList: { groups: 'APIGroup' },
    APIResourceList: { resources: 'APIResource' },
    APIVersions: { serverAddressByClientCIDRs: 'ServerAddressByClientCIDR' },
    DeleteOptions: { preconditions: 'Preconditions' },
    LabelSelector: { matchExpressions: 'LabelSelectorRequirement' },
    ManagedFieldsEntry: { fieldsV1: 'FieldsV1' },
    ObjectMeta: { managedFields: 'ManagedFieldsEntry', ownerReferences: 'OwnerReference' },
    Status: { details: 'StatusDetails', metadata: 'ListMeta' },
    StatusDetails: { causes: 'StatusCause' },
    WatchEvent: { object: 'runtime.RawExtension' },
  },
  policy: {
    Eviction: { deleteOptions: 'meta.DeleteOptions' },
    PodDisruptionBudgetSpec: { selector: 'meta.LabelSelector' },
    PodDisruptionBudgetStatus: { conditions: 'meta.Condition' },
  },
  rbac: {
    AggregationRule: { clusterRoleSelectors: 'meta.LabelSelector' },
    ClusterRole: { aggregationRule: 'AggregationRule', rules: 'PolicyRule' },
    ClusterRoleBinding: { roleRef: 'RoleRef', subjects: 'Subject' },
    Role: { rules: 'PolicyRule' },
    RoleBinding: { roleRef: 'RoleRef', subjects: 'Subject' },
  },
};

const shapes = new Map(Object.entries({ core: coreShapes, ...otherShapes }));
