/**
 * The values of an installation: everything that differs between clusters. `millwright install --values`, the Helm chart and
 * its JSON Schema, and the reference in docs/install-values.md all come from this file.
 */
import { NAMESPACE } from '../api/index.ts';
import {
  boolean,
  type Infer,
  int32,
  int64,
  intOrString,
  list,
  mapOf,
  nullable,
  object,
  oneOf,
  required,
  string,
} from '../kubernetes/schema/index.ts';

/** With a registry, and with a tag or a digest: a short name means another image on every node. */
const IMAGE =
  '^[a-z0-9.-]+(:[0-9]+)?(/[a-z0-9._-]+)+(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127}|@sha256:[0-9a-f]{64})$';

const NAMESPACE_NAME = '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$';

const image = (description: string) => required(string(description, { pattern: IMAGE, maxLength: 512 }));

/** Quantities of Kubernetes in the forms that fit: a thousandth of a byte (`512m`) is a mistake. */
const CPU = '^[0-9]+([.][0-9]+)?m?$';
const BYTES = '^[0-9]+([.][0-9]+)?([kMGTPE]|[KMGTPE]i)?$';

const quantity = (description: string, pattern: string) => ({
  ...intOrString(description, { pattern }),
  minimum: 0,
});

/** Other resources mean nothing to these programs. */
const amounts = (description: string) =>
  object(description, {
    cpu: quantity('Cores, such as 1 or 100m.', CPU),
    memory: quantity('Bytes, such as 512Mi.', BYTES),
    'ephemeral-storage': quantity('Bytes, such as 1Gi.', BYTES),
  });

const resources = (description: string) =>
  required(
    object(description, {
      requests: amounts('What the scheduler reserves.'),
      limits: amounts('What a container may use at most.'),
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

/** What Helm can check of it; `readValues` parses it. */
const IP_OR_EMPTY = '^(([0-9]{1,3}[.]){3}[0-9]{1,3}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)?$';

const URL_OR_EMPTY = '^(https://[^\\s]+)?$';

const MAX_REPLICAS = 5;
const [MIN_PORT, MAX_PORT] = [1, 65_535];

export const valuesSchema = object('The values of an installation of Millwright.', {
  namespace: required(
    string(
      'The namespace of the components, and of the Secrets and ConfigMaps for them. Cannot be changed by an upgrade: uninstall first.',
      { pattern: NAMESPACE_NAME, maxLength: 63 },
    ),
  ),
  image: image('The image of all components but the builder, with a registry and a tag or digest.'),
  builderImage: image('The image of the builder and of build pods: the same with buildah.'),
  imagePullPolicy: required(
    oneOf('When nodes pull these images.', ['Always', 'IfNotPresent', 'Never'] as const),
  ),
  imagePullSecrets: required(
    list(
      'Secrets with credentials for these images, in the namespace of the components.',
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
      'Requests and limits of each component. The heap of the operator, the controllers and the builder is three quarters of their memory limit. There are no limits for CPU: a leader that is throttled loses its Lease.',
      {
        operator: resources('Of machine-config-operator: 89 MiB at ten nodes.'),
        controller: resources('Of machine-config-controller: 95 MiB at ten nodes, 310 at 5,000.'),
        builder: resources('Of machine-os-builder: 91 MiB; build pods are not included.'),
        server: resources('Of machine-config-server: 80 MiB, and a few times the size of a rendered config.'),
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
      metricsPort: required(
        int32(
          'Port for /metrics over TLS, on all interfaces of every node. Where another program has it, the daemon goes on without.',
          { minimum: MIN_PORT, maximum: MAX_PORT },
        ),
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
  server: required(
    object(
      'The DaemonSet machine-config-server, which gives joining machines the config of their pool (docs/server.md).',
      {
        enabled: required(
          boolean(
            'Whether the server is installed. Only machines that boot with Ignition have a use for it.',
          ),
        ),
        port: required(
          int32('Its port on every control plane node, with TLS.', { minimum: MIN_PORT, maximum: MAX_PORT }),
        ),
        metricsPort: required(
          int32(
            'Port for /metrics over TLS, on all interfaces of its nodes, where the daemon has another one. Where another program has it, the server goes on without.',
            { minimum: MIN_PORT, maximum: MAX_PORT },
          ),
        ),
        url: required(
          string(
            'How machines reach it, such as https://api-int.example:22623; empty for the host of the API server on OpenShift, else the first control plane node.',
            { pattern: URL_OR_EMPTY, maxLength: 512 },
          ),
        ),
        apiServerUrl: required(
          string(
            'How new nodes reach the API server, such as https://api-int.example:6443. Required where the ControllerConfig does not have it: everywhere but on OpenShift.',
            { pattern: URL_OR_EMPTY, maxLength: 512 },
          ),
        ),
        requireToken: required(
          boolean(
            'Whether machines need a token. Pointer configs have it; what is served holds credentials of the cluster.',
          ),
        ),
        allowSources: required(
          string('Networks that machines may have, as CIDRs separated by commas; empty for all.', {
            pattern: '^[0-9A-Fa-f.:/,]*$',
            maxLength: 4096,
          }),
        ),
        nodeSelector: nodeSelector('Labels of the nodes that it runs on.'),
        tolerations: tolerations('Taints that it tolerates.'),
      },
    ),
  ),
  clusterDns: required(
    object('The DNS of the cluster, which the base coreos gives to kubelets.', {
      address: required(
        string(
          'Its IP address; empty to take that of the Service in kube-system with the label k8s-app=kube-dns.',
          { pattern: IP_OR_EMPTY, maxLength: 45 },
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
  clientCertificates: required(
    object('Client certificates of kubelets, with which they are nodes.', {
      approve: nullable(
        boolean(
          'Whether the controllers approve those of kubelets that join with the token of the machine config server, and their renewals; null for true with server.enabled and false without. Set it to false where you approve every machine yourself, or the cluster has an approver for them.',
        ),
      ),
    }),
  ),
  servingCertificates: required(
    object('Serving certificates of kubelets, which the base coreos asks the cluster for.', {
      approve: nullable(
        boolean(
          'Whether the controllers approve them, after checking the node and its addresses; null for true with the base coreos and false without. Set it to false where the cluster has an approver of its own.',
        ),
      ),
    }),
  ),
  metrics: required(
    object('Metrics for Prometheus, and alerts.', {
      enabled: required(
        boolean(
          'Whether every component serves /metrics over TLS on port 9001 (the daemon on daemon.metricsPort, the server on server.metricsPort), to users who may get the non-resource URL /metrics.',
        ),
      ),
      serviceMonitors: required(
        boolean('Whether ServiceMonitors are installed. They need the CRDs of Prometheus Operator.'),
      ),
      rules: required(
        boolean(
          'Whether the PrometheusRule with the alerts is installed. It needs the CRDs of Prometheus Operator.',
        ),
      ),
      labels: required(
        mapOf(
          'Labels of the ServiceMonitors and of the PrometheusRule, by which your Prometheus selects them.',
          string('The value of the label.', { maxLength: 63 }),
        ),
      ),
      prometheus: required(
        object('The account of Prometheus, which may read the metrics where serviceMonitors is true.', {
          serviceAccount: required(string('Its name.', { minLength: 1, maxLength: 253 })),
          namespace: required(string('Its namespace.', { pattern: NAMESPACE_NAME, maxLength: 63 })),
        }),
      ),
      runbooks: required(
        string('The address of docs/troubleshooting.md, for the links of alerts: wherever you serve it.', {
          minLength: 1,
          maxLength: 1024,
        }),
      ),
    }),
  ),
  networkPolicies: required(
    object('NetworkPolicies of the namespace: no connections to its pods but probes and metrics.', {
      enabled: required(boolean('Whether the NetworkPolicies are installed.')),
    }),
  ),
});

export type InstallValues = Infer<typeof valuesSchema>;

export function defaultValues(version: string): InstallValues {
  return {
    namespace: NAMESPACE,
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
      server: { requests: { cpu: '20m', memory: '100Mi' }, limits: { memory: '384Mi' } },
      daemon: { requests: { cpu: '20m', memory: '100Mi' }, limits: { memory: '1Gi' } },
    },
    daemon: {
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      tolerations: [{ operator: 'Exists' }],
      port: 8797,
      metricsPort: 9001,
    },
    builder: { enabled: true },
    server: {
      enabled: false,
      port: 22_623,
      metricsPort: 9002,
      url: '',
      apiServerUrl: '',
      requireToken: true,
      allowSources: '',
      nodeSelector: { 'node-role.kubernetes.io/control-plane': '' },
      tolerations: [{ operator: 'Exists' }],
    },
    clusterDns: { address: '', domain: '' },
    clientCertificates: { approve: null },
    servingCertificates: { approve: null },
    metrics: {
      enabled: true,
      serviceMonitors: false,
      rules: false,
      labels: {},
      prometheus: { serviceAccount: 'prometheus-k8s', namespace: 'monitoring' },
      runbooks: 'docs/troubleshooting.md',
    },
    networkPolicies: { enabled: true },
  };
}
