/** Decoding failures, recorded from kube-apiserver 1.33. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import { type AnyBody, findBuiltin, pod } from '../../../kubernetes/types/index.ts';
import { decodeBuiltin } from './decode-builtin.ts';

const ROWS: readonly (readonly [kind: string, sent: JsonObject, message: string])[] = [
  [
    'ConfigMap',
    { data: 'x' },
    'json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string',
  ],
  [
    'ConfigMap',
    { data: ['x'] },
    'json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string',
  ],
  [
    'ConfigMap',
    { data: { k: 1 } },
    'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
  ],
  [
    'ConfigMap',
    { data: { k: true } },
    'json: cannot unmarshal bool into Go struct field ConfigMap.data of type string',
  ],
  [
    'ConfigMap',
    { data: { k: {} } },
    'json: cannot unmarshal object into Go struct field ConfigMap.data of type string',
  ],
  [
    'ConfigMap',
    { immutable: 'x' },
    'json: cannot unmarshal string into Go struct field ConfigMap.immutable of type bool',
  ],
  [
    'ConfigMap',
    { binaryData: { k: 1 } },
    'json: cannot unmarshal number into Go struct field ConfigMap.binaryData of type []uint8',
  ],
  [
    'ConfigMap',
    { binaryData: { k: ['1'] } },
    'json: cannot unmarshal string into Go struct field ConfigMap.binaryData of type uint8',
  ],
  [
    'ConfigMap',
    { binaryData: { k: [256] } },
    'json: cannot unmarshal number 256 into Go struct field ConfigMap.binaryData of type uint8',
  ],
  ['ConfigMap', { binaryData: { k: 'ab%=' } }, 'illegal base64 data at input byte 2'],
  ['ConfigMap', { binaryData: { k: 'abc' } }, 'illegal base64 data at input byte 0'],
  [
    'ConfigMap',
    { metadata: 'x' },
    'json: cannot unmarshal string into Go struct field ConfigMap.metadata of type v1.ObjectMeta',
  ],
  [
    'ConfigMap',
    { metadata: { name: 1 } },
    'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string',
  ],
  [
    'ConfigMap',
    { metadata: { labels: { x: 1 } } },
    'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
  ],
  [
    'ConfigMap',
    { metadata: { labels: [] } },
    'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
  ],
  [
    'ConfigMap',
    { metadata: { finalizers: 'x' } },
    'json: cannot unmarshal string into Go struct field ObjectMeta.metadata.finalizers of type []string',
  ],
  [
    'ConfigMap',
    { metadata: { finalizers: [1] } },
    'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.finalizers of type string',
  ],
  [
    'ConfigMap',
    { metadata: { ownerReferences: ['x'] } },
    'json: cannot unmarshal string into Go struct field ObjectMeta.metadata.ownerReferences of type v1.OwnerReference',
  ],
  [
    'ConfigMap',
    { metadata: { ownerReferences: [{ uid: 1 }] } },
    'json: cannot unmarshal number into Go struct field OwnerReference.metadata.ownerReferences.uid of type types.UID',
  ],
  [
    'ConfigMap',
    { metadata: { ownerReferences: [{ controller: 'x' }] } },
    'json: cannot unmarshal string into Go struct field OwnerReference.metadata.ownerReferences.controller of type bool',
  ],
  [
    'ConfigMap',
    { metadata: { creationTimestamp: 'x' } },
    'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
  ],
  [
    'ConfigMap',
    { metadata: { creationTimestamp: 1 } },
    'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
  ],
  [
    'ConfigMap',
    { metadata: { generation: '7' } },
    'json: cannot unmarshal string into Go struct field ObjectMeta.metadata.generation of type int64',
  ],
  [
    'ConfigMap',
    { metadata: { generation: 7.5 } },
    'json: cannot unmarshal number 7.5 into Go struct field ObjectMeta.metadata.generation of type int64',
  ],
  [
    'ConfigMap',
    { metadata: { managedFields: [{ operation: 1 }] } },
    'json: cannot unmarshal number into Go struct field ManagedFieldsEntry.metadata.managedFields.operation of type v1.ManagedFieldsOperationType',
  ],
  [
    'Pod',
    { spec: { containers: [{ name: 'a', resources: { limits: { cpu: 'x' } } }] } },
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  [
    'Pod',
    { spec: { containers: [{ name: 'a', resources: { limits: { cpu: true } } }] } },
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  [
    'Pod',
    { spec: { containers: [{ name: 'a', resources: { limits: 'x' } }] } },
    'json: cannot unmarshal string into Go struct field ResourceRequirements.spec.containers.resources.limits of type v1.ResourceList',
  ],
  [
    'Pod',
    { spec: { containers: [{ name: 'a', resources: 'x' }] } },
    'json: cannot unmarshal string into Go struct field Container.spec.containers.resources of type v1.ResourceRequirements',
  ],
  [
    'Pod',
    { spec: { containers: [{ name: 'a', env: [{ value: 1 }] }] } },
    'json: cannot unmarshal number into Go struct field EnvVar.spec.containers.env.value of type string',
  ],
  [
    'Pod',
    { spec: { containers: [{ name: 'a', env: { A: '1' } }] } },
    'json: cannot unmarshal object into Go struct field Container.spec.containers.env of type []v1.EnvVar',
  ],
  [
    'Pod',
    { spec: { containers: [{ name: 'a', env: ['A=1'] }] } },
    'json: cannot unmarshal string into Go struct field Container.spec.containers.env of type v1.EnvVar',
  ],
  [
    'Pod',
    { spec: { containers: [{ name: 'a', command: 'x' }] } },
    'json: cannot unmarshal string into Go struct field Container.spec.containers.command of type []string',
  ],
  [
    'Pod',
    { spec: { containers: [{ name: 'a', command: [1] }] } },
    'json: cannot unmarshal number into Go struct field Container.spec.containers.command of type string',
  ],
  [
    'Pod',
    { spec: { containers: [{ name: 'a', ports: [{ containerPort: '80' }] }] } },
    'json: cannot unmarshal string into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
  ],
  [
    'Pod',
    { spec: { containers: [{ name: 'a', ports: [{ containerPort: 99999999999 }] }] } },
    'json: cannot unmarshal number 99999999999 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
  ],
  [
    'Pod',
    { spec: { containers: [{ name: 'a', imagePullPolicy: true }] } },
    'json: cannot unmarshal bool into Go struct field Container.spec.containers.imagePullPolicy of type v1.PullPolicy',
  ],
  [
    'Pod',
    { spec: { containers: [{ name: 'a', livenessProbe: { httpGet: { port: true } } }] } },
    'json: cannot unmarshal bool into Go struct field HTTPGetAction.spec.containers.livenessProbe.httpGet.port of type int32',
  ],
  [
    'Pod',
    { spec: { containers: [{ name: 'a', livenessProbe: { httpGet: { port: 1.5 } } }] } },
    'json: cannot unmarshal number 1.5 into Go struct field HTTPGetAction.spec.containers.livenessProbe.httpGet.port of type int32',
  ],
  [
    'Pod',
    { spec: { containers: [{ name: 'a', restartPolicy: 1 }] } },
    'json: cannot unmarshal number into Go struct field Container.spec.containers.restartPolicy of type v1.ContainerRestartPolicy',
  ],
  [
    'Pod',
    { spec: { containers: {} } },
    'json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container',
  ],
  [
    'Pod',
    { spec: { containers: ['x'] } },
    'json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type v1.Container',
  ],
  ['Pod', { spec: 'x' }, 'json: cannot unmarshal string into Go struct field Pod.spec of type v1.PodSpec'],
  [
    'Pod',
    { spec: { nodeSelector: { a: true } } },
    'json: cannot unmarshal bool into Go struct field PodSpec.spec.nodeSelector of type string',
  ],
  [
    'Pod',
    { spec: { volumes: [{ configMap: { items: [{ path: 1 }] } }] } },
    'json: cannot unmarshal number into Go struct field KeyToPath.spec.volumes.configMap.items.path of type string',
  ],
  [
    'Pod',
    {
      spec: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 1 }] }],
            },
          },
        },
      },
    },
    'json: cannot unmarshal number into Go struct field NodeSelectorRequirement.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.matchExpressions.key of type string',
  ],
  [
    'Service',
    { spec: { type: 1 } },
    'json: cannot unmarshal number into Go struct field ServiceSpec.spec.type of type v1.ServiceType',
  ],
  [
    'Service',
    { spec: { ports: [{ targetPort: false }] } },
    'json: cannot unmarshal bool into Go struct field ServicePort.spec.ports.targetPort of type int32',
  ],
  [
    'Service',
    { spec: { ipFamilies: [1] } },
    'json: cannot unmarshal number into Go struct field ServiceSpec.spec.ipFamilies of type v1.IPFamily',
  ],
  ['Secret', { data: { k: '%' } }, 'illegal base64 data at input byte 0'],
  [
    'Secret',
    { type: 1 },
    'json: cannot unmarshal number into Go struct field Secret.type of type v1.SecretType',
  ],
  [
    'Lease',
    { spec: { renewTime: '2020-01-01T01:00:00Z' } },
    'parsing time "2020-01-01T01:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
  ],
  [
    'Lease',
    { spec: { renewTime: 5 } },
    'json: cannot unmarshal number into Go struct field LeaseSpec.spec.renewTime of type string',
  ],
  [
    'Lease',
    { spec: { leaseDurationSeconds: '5' } },
    'json: cannot unmarshal string into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32',
  ],
  [
    'Node',
    { status: { capacity: { cpu: '1x' } } },
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  [
    'Node',
    { spec: { taints: [{ effect: 1 }] } },
    'json: cannot unmarshal number into Go struct field Taint.spec.taints.effect of type v1.TaintEffect',
  ],
  [
    'Node',
    { status: { conditions: [{ lastHeartbeatTime: 1 }] } },
    'json: cannot unmarshal number into Go struct field NodeCondition.status.conditions.lastHeartbeatTime of type string',
  ],
  [
    'Deployment',
    { spec: { replicas: '3' } },
    'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
  ],
  [
    'Deployment',
    { spec: { template: { spec: { containers: [{ image: 1 }] } } } },
    'json: cannot unmarshal number into Go struct field Container.spec.template.spec.containers.image of type string',
  ],
  [
    'Deployment',
    { spec: { strategy: { rollingUpdate: { maxSurge: {} } } } },
    'json: cannot unmarshal object into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
  ],
  [
    'Namespace',
    { spec: { finalizers: [1] } },
    'json: cannot unmarshal number into Go struct field NamespaceSpec.spec.finalizers of type v1.FinalizerName',
  ],
  [
    'ClusterRole',
    { rules: [{ verbs: 'get' }] },
    'json: cannot unmarshal string into Go struct field PolicyRule.rules.verbs of type []string',
  ],
  [
    'Event',
    { series: { lastObservedTime: 'x' } },
    'parsing time "x" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "x" as "2006"',
  ],
  [
    'ConfigMap',
    { data: { a: 1 }, immutable: 'x' },
    'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
  ],
  [
    'ConfigMap',
    { immutable: 'x', data: { a: 1 } },
    'json: cannot unmarshal string into Go struct field ConfigMap.immutable of type bool',
  ],
];

const API_VERSIONS = ['v1', 'apps/v1', 'coordination.k8s.io/v1', 'rbac.authorization.k8s.io/v1'];

function schemaOf(kind: string): AnyBody {
  return (
    API_VERSIONS.map((version) => findBuiltin(version, kind)).find((found) => found !== undefined) ?? pod
  );
}

describe('decodeBuiltin', () => {
  it.each(ROWS)('fails with the messages of Go: %s %j', (kind, sent, message) => {
    const decode = decodeBuiltin(schemaOf(kind).schema);
    expect(decode({ metadata: { name: 'a' }, ...sent })).toEqual({ kind: 'failed', message });
  });
});
