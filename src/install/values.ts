/**
 * The values of an installation: everything that differs between clusters. `millwright install --values`, the Helm chart and
 * its JSON Schema, and the reference in docs/install-values.md all come from this file.
 */
import {
  boolean,
  type Infer,
  int32,
  int64,
  intOrString,
  list,
  mapOf,
  object,
  oneOf,
  required,
  string,
} from '../kubernetes/schema/index.ts';

/** With a registry, and with a tag or a digest: a short name means another image on every node. */
const IMAGE =
  '^[a-z0-9.-]+(:[0-9]+)?(/[a-z0-9._-]+)+(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127}|@sha256:[0-9a-f]{64})$';

const image = (description: string) => required(string(description, { pattern: IMAGE, maxLength: 512 }));

const resources = (description: string) =>
  required(
    object(description, {
      requests: mapOf('What the scheduler reserves.', intOrString('A quantity, such as 100Mi.')),
      limits: mapOf('What a container may use at most.', intOrString('A quantity, such as 100Mi.')),
    }),
  );

const nodeSelector = (description: string) =>
  required(mapOf(description, string('The value of the label.', { maxLength: 63 })));

const tolerations = (description: string) =>
  required(
    list(
      description,
      object('One toleration.', {
        key: string('The key of the taint; without one, every key.'),
        operator: oneOf('How the value is compared.', ['Exists', 'Equal']),
        value: string('The value of the taint.'),
        effect: oneOf('The effect of the taint; without one, every effect.', [
          'NoSchedule',
          'PreferNoSchedule',
          'NoExecute',
        ]),
        tolerationSeconds: int64('How long a NoExecute taint is tolerated.'),
      }),
    ),
  );

const MAX_REPLICAS = 5;
const [MIN_PORT, MAX_PORT] = [1, 65_535];

export const valuesSchema = object('The values of an installation of Millwright.', {
  image: image('The image of all components but the builder, with a registry and a tag or digest.'),
  builderImage: image('The image of the builder and of build pods: the same with buildah.'),
  imagePullPolicy: required(
    oneOf('When nodes pull these images.', ['Always', 'IfNotPresent', 'Never'] as const),
  ),
  imagePullSecrets: required(
    list(
      'Secrets with credentials for these images, in the namespace openshift-machine-config-operator.',
      object('One Secret.', { name: required(string('Its name.', { minLength: 1, maxLength: 253 })) }),
    ),
  ),
  base: required(
    oneOf(
      'The configs that nodes get before anything is declared: none, or coreos for the base of OpenShift (kubelet, CRI-O, sysctls), which fits nodes of CoreOS only.',
      ['none', 'coreos'] as const,
    ),
  ),
  pauseMaster: required(
    boolean(
      'Whether the pool master is created paused, so that control plane nodes change only after you resume it. Has no effect on a pool that exists.',
    ),
  ),
  replicas: required(
    int32('Replicas of the operator, the controllers and the builder. One is active, the others wait.', {
      minimum: 1,
      maximum: MAX_REPLICAS,
    }),
  ),
  nodeSelector: nodeSelector(
    'Labels of the nodes on which the operator, the controllers and the builder run.',
  ),
  tolerations: tolerations('Taints that the operator, the controllers and the builder tolerate.'),
  resources: required(
    object(
      'Requests and limits of each component. There are no limits for CPU: a leader that is throttled loses its Lease.',
      {
        operator: resources('Of machine-config-operator: 89 MiB at ten nodes.'),
        controller: resources('Of machine-config-controller: 95 MiB at ten nodes, 300 at 5,000.'),
        builder: resources('Of machine-os-builder: 91 MiB; build pods are not included.'),
        daemon: resources(
          'Of machine-config-daemon: 88 MiB. The limit includes the programs that it starts on the node, such as rpm-ostree.',
        ),
      },
    ),
  ),
  daemon: required(
    object('The DaemonSet machine-config-daemon.', {
      nodeSelector: nodeSelector('Labels of the nodes that are managed: the others get no daemon.'),
      tolerations: tolerations(
        'Taints that the daemon tolerates: all, as a node in trouble may need it most.',
      ),
      port: required(
        int32('Port for /metrics and probes, on the loopback interface of every node.', {
          minimum: MIN_PORT,
          maximum: MAX_PORT,
        }),
      ),
    }),
  ),
  builder: required(
    object('The Deployment machine-os-builder, which builds OS images for image mode.', {
      enabled: required(
        boolean('Whether the builder is installed. Without MachineOSConfigs it does nothing.'),
      ),
    }),
  ),
  clusterDns: required(
    object('The DNS of the cluster, which the base coreos gives to kubelets.', {
      address: required(
        string(
          'Its IP address; empty to take that of the Service in kube-system with the label k8s-app=kube-dns.',
          { pattern: '^[0-9A-Fa-f.:]*$', maxLength: 45 },
        ),
      ),
      domain: required(
        string("Its domain; empty to take it from kubeadm's ConfigMap or from CoreDNS, else cluster.local.", {
          pattern: '^[a-z0-9.-]*$',
          maxLength: 253,
        }),
      ),
    }),
  ),
  servingCertificates: required(
    object('Serving certificates of kubelets, which the base coreos asks the cluster for.', {
      approve: required(
        boolean(
          'Whether the controllers approve them, after checking the node and its addresses. Set it with the base coreos, unless the cluster has an approver of its own.',
        ),
      ),
    }),
  ),
  networkPolicies: required(
    object('NetworkPolicies of the namespace: no connections to its pods but probes.', {
      enabled: required(boolean('Whether the NetworkPolicies are installed.')),
    }),
  ),
});

export type InstallValues = Infer<typeof valuesSchema>;

export function defaultValues(version: string): InstallValues {
  return {
    image: `registry.millwright.dev/millwright:${version}`,
    builderImage: `registry.millwright.dev/millwright-builder:${version}`,
    imagePullPolicy: 'IfNotPresent',
    imagePullSecrets: [],
    base: 'none',
    pauseMaster: true,
    replicas: 2,
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [
      { key: 'node-role.kubernetes.io/control-plane', operator: 'Exists', effect: 'NoSchedule' },
      { key: 'node-role.kubernetes.io/master', operator: 'Exists', effect: 'NoSchedule' },
      // Shorter than the default of 300: no updates happen while the leader is away.
      {
        key: 'node.kubernetes.io/unreachable',
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 120,
      },
      {
        key: 'node.kubernetes.io/not-ready',
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 120,
      },
    ],
    resources: {
      operator: { requests: { cpu: '20m', memory: '100Mi' }, limits: { memory: '384Mi' } },
      controller: { requests: { cpu: '20m', memory: '128Mi' }, limits: { memory: '512Mi' } },
      builder: { requests: { cpu: '20m', memory: '100Mi' }, limits: { memory: '384Mi' } },
      daemon: { requests: { cpu: '20m', memory: '100Mi' }, limits: { memory: '1Gi' } },
    },
    daemon: {
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      tolerations: [{ operator: 'Exists' }],
      port: 8797,
    },
    builder: { enabled: true },
    clusterDns: { address: '', domain: '' },
    servingCertificates: { approve: false },
    networkPolicies: { enabled: true },
  };
}
