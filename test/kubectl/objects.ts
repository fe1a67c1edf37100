/** What the stories apply, as people write it. */

export const configMap = (name: string, data: string): string => `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
  labels: {app: story}
data:
  k: ${data}
`;

export const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: main, image: example.com/web:1}
      - {name: side, image: example.com/side:1}
`;

export const pod = (name: string, node: string): string => `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  labels: {app: guarded}
  ownerReferences:
  - {apiVersion: apps/v1, kind: ReplicaSet, name: guarded, uid: guarded, controller: true}
spec:
  automountServiceAccountToken: false
  nodeName: ${node}
  containers:
  - {name: main, image: example.com/main:1}
`;

export const replicaSet = `apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: guarded}
spec:
  selector: {matchLabels: {app: guarded}}
  template:
    metadata: {labels: {app: guarded}}
    spec: {containers: [{name: main, image: example.com/main:1}]}
`;

export const budget = `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: guard}
spec:
  minAvailable: 1
  selector: {matchLabels: {app: guarded}}
`;

export const node = (name: string, port: number): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'node-role.kubernetes.io/worker': '' } },
    status: {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
      conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ready' }],
      nodeInfo: {
        machineID: '',
        systemUUID: '',
        bootID: '',
        kernelVersion: '6.1.0',
        osImage: 'Story Linux',
        containerRuntimeVersion: 'cri-o://1.33.0',
        kubeletVersion: 'v1.33.0',
        kubeProxyVersion: '',
        operatingSystem: 'linux',
        architecture: 'amd64',
      },
    },
  });

/** A kind with a rule. */
export const definition = (group: string): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boxes.${group}}
spec:
  group: ${group}
  scope: Namespaced
  names: {plural: boxes, singular: box, kind: Box, shortNames: [bx]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    additionalPrinterColumns:
    - {name: Low, type: integer, jsonPath: .spec.low}
    - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status'}
    - {name: Note, type: string, jsonPath: .spec.note, priority: 1}
    schema:
      openAPIV3Schema:
        type: object
        description: A box with two ends.
        properties:
          spec:
            type: object
            description: What the box holds.
            properties:
              low: {type: integer, description: The lower end.}
              high: {type: integer, default: 10}
              note: {type: string}
            x-kubernetes-validations:
            - {rule: 'self.low <= self.high', message: low must not exceed high}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`;

export const box = (group: string, low: number): string => `apiVersion: ${group}/v1
kind: Box
metadata: {name: one}
spec: {low: ${low}, note: hello}
`;

/** Forbids a label, in one namespace. */
export const policy = (
  name: string,
  namespace: string,
): string => `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: ${name}}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [''], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}
  validations:
  - expression: "!has(object.metadata.labels) || !('forbidden' in object.metadata.labels)"
    message: the label forbidden is not allowed
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: ${name}}
spec:
  policyName: ${name}
  validationActions: [Deny]
  matchResources:
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ${namespace}}}
`;
