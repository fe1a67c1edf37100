/**
 * Objects with a secret wherever a cluster may have one, each of them unique.
 */
import { gzipSync } from 'node:zlib';
import { NAMESPACE } from '../../src/api/index.ts';
import type { Json } from '../../src/base/json.ts';
import { EMPTY_CONTROLLER_CONFIG_SPEC } from '../support/controller-config-spec.ts';

/** By where it was planted. */
export const planted = new Map<string, string>();

/** A secret that occurs nowhere else. */
function plant(where: string, make: (unique: string) => string = (unique) => `pl4nted${unique}`): string {
  const unique = `${planted.size.toString(36).padStart(2, '0')}Zq8vKw3xN${planted.size}mT5`;
  if (planted.has(where)) throw new Error(`${where} has a secret already`);
  const secret = make(unique);
  // What is searched for is the part that nothing else contains.
  planted.set(where, unique);
  return secret;
}

export const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64');
const pullSecret = (where: string) =>
  JSON.stringify({ auths: { 'r.example': { auth: base64(`ann:${plant(where)}`) } } });
const privateKey = (where: string) =>
  `-----BEGIN OPENSSH PRIVATE KEY-----\n${base64(plant(where))}\n${base64(plant(`${where}, second line`))}\n-----END OPENSSH PRIVATE KEY-----\n`;
const kubeconfigOf = (where: string) =>
  `apiVersion: v1\nkind: Config\nusers:\n- name: ann\n  user:\n    token: ${plant(`${where}, token`)}\n    client-key-data: ${base64(privateKey(`${where}, key`))}\n`;
/** A JSON Web Token. */
const jwt = (where: string) =>
  plant(where, (unique) => `eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0${unique}.c2lnbmF0dXJl`);

const dataUrl = (text: string) => ({ source: `data:,${encodeURIComponent(text)}` });
const dataUrl64 = (text: string | Uint8Array) => ({
  source: `data:text/plain;charset=utf-8;base64,${base64(text)}`,
});
const packed = (text: string) => ({ ...dataUrl64(gzipSync(text)), compression: 'gzip' });
const aFile = (path: string, mode: number, contents: object) => ({ path, mode, overwrite: true, contents });

type AnObject = { readonly [key: string]: Json } & { readonly metadata: { readonly [key: string]: Json } };

const machineConfig = (name: string, spec: object): AnObject =>
  ({
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name, labels: { 'machineconfiguration.openshift.io/role': 'worker' } },
    spec,
  }) as unknown as AnObject;

const nested = () => ({
  ignition: { version: '3.4.0' },
  passwd: {
    users: [{ name: 'core', passwordHash: `$6$salt$${plant('a password hash in a merged config')}` }],
  },
  storage: { files: [aFile('/etc/a', 0o600, dataUrl(plant('a file in a merged config')))] },
});

const config = () => ({
  ignition: {
    version: '3.4.0',
    config: { merge: [dataUrl(JSON.stringify(nested()))] },
    proxy: { httpProxy: `http://ann:${plant('the proxy of Ignition')}@proxy.example:3128` },
    security: {
      tls: { certificateAuthorities: [{ source: `https://ann:${plant('a URL of a CA')}@ca.example/` }] },
    },
  },
  passwd: {
    users: [
      {
        name: 'core',
        passwordHash: `$y$j9T$${plant('a password hash')}$x`,
        sshAuthorizedKeys: ['ssh-ed25519 AAAAC3Nz public'],
      },
      { name: 'old', passwordHash: plant('a password hash of DES', (unique) => unique) },
    ],
    groups: [{ name: 'g', passwordHash: `$1$a$${plant('a password hash of a group')}` }],
  },
  storage: {
    files: [
      aFile('/var/lib/kubelet/config.json', 0o600, dataUrl64(pullSecret('a pull secret'))),
      aFile('/etc/app/registry-login', 0o644, dataUrl64(pullSecret('a pull secret that all may read'))),
      aFile('/etc/app/packed-login', 0o644, packed(pullSecret('a packed pull secret that all may read'))),
      aFile('/etc/kubernetes/kubeconfig', 0o644, dataUrl(kubeconfigOf('a kubeconfig'))),
      aFile('/opt/access.yaml', 0o644, packed(kubeconfigOf('a packed kubeconfig under another name'))),
      aFile('/etc/ssh/ssh_host_ed25519_key', 0o600, dataUrl(privateKey('an SSH host key'))),
      aFile('/opt/deploy', 0o644, dataUrl64(privateKey('an SSH key that all may read'))),
      aFile('/etc/chrony.keys', 0o640, dataUrl(`1 SHA256 HEX:${plant('a file of a group')}`)),
      aFile('/etc/app.conf', 0o644, dataUrl(`[db]\nhost = db\npassword = ${plant('a setting in a file')}\n`)),
      aFile('/etc/app.json', 0o644, packed(JSON.stringify({ apiKey: plant('a setting in a packed file') }))),
      aFile(
        '/etc/profile.d/proxy.sh',
        0o644,
        dataUrl(`export https_proxy=http://ann:${plant('a proxy in a file')}@p:1\n`),
      ),
      aFile('/etc/app.b64', 0o644, dataUrl(base64(`SECRET_KEY=${plant('a setting in base64 in a file')}`))),
      { path: '/etc/more', mode: 0o644, append: [dataUrl(`token=${plant('an appended setting')}`)] },
      {
        ...aFile('/etc/remote', 0o644, { source: `https://r.example/f?token=${plant('a token in a URL')}` }),
      },
      aFile('/etc/remote2', 0o644, {
        source: `https://ann:${plant('a password in a URL of a file')}@r.example/f`,
        httpHeaders: [{ name: 'X-Access', value: plant('a header', (unique) => unique) }],
      }),
    ],
    luks: [
      {
        name: 'data',
        device: '/dev/vdb',
        keyFile: dataUrl64(plant('a key file of a volume', (unique) => unique)),
      },
    ],
  },
  systemd: {
    units: [
      {
        name: 'agent.service',
        contents: `[Service]\nEnvironment="AGENT_TOKEN=${plant('a variable of a unit')}"\nExecStart=/bin/agent --password=${plant('an option of a unit')} --token ${plant('another option of a unit')} -u ann:${plant('a login of a unit')}\n`,
        dropins: [{ name: 'a.conf', contents: `[Service]\nEnvironment=API_KEY='${plant('a drop-in')}'\n` }],
      },
    ],
  },
});

const KERNEL_ARGUMENTS = () => [
  `rd.iscsi.password=${plant('a kernel argument')}`,
  `systemd.set_credential=passwd.plaintext-password.root:${plant('a credential for systemd')}`,
  `inst.rootpw=${plant('a kernel argument of an installer')}`,
  'quiet',
];

const containerfile = () =>
  [
    'FROM configs AS final',
    `ENV API_TOKEN=${plant('ENV of a Containerfile')}`,
    `ENV DB_PASSWORD ${plant('ENV of a Containerfile in its old form')}`,
    `ARG REPO_SECRET="${plant('ARG of a Containerfile')}"`,
    `RUN subscription-manager register --username ann --password ${plant('RUN of a Containerfile')}`,
    `RUN curl -u ann:${plant('curl in a Containerfile')} https://r.example/x`,
    `RUN curl -H "Authorization: Bearer ${jwt('a header in a Containerfile')}" https://r.example/x`,
    `RUN curl -H 'X-Api-Key: ${plant('another header in a Containerfile')}' https://r.example/x`,
    `RUN git clone https://ann:${plant('git in a Containerfile')}@git.example/x`,
    `RUN echo 'core:${plant('chpasswd in a Containerfile')}' | chpasswd`,
    `RUN dnf config-manager --setopt=r.password=${plant('dnf in a Containerfile')}`,
    `RUN echo ${base64(pullSecret('a login in a Containerfile'))} | base64 -d > /root/.docker/config.json`,
  ].join('\n');

const message = (where: string) =>
  `pulling failed: Get "https://ann:${plant(`${where}: a URL`)}@r.example/v2/": Authorization: Basic ${base64(`ann:${plant(`${where}: a header`)}`)}, token ${jwt(`${where}: a token`)}; tried ghp_${plant(`${where}: a token of GitHub`, (unique) => `${'a'.repeat(20)}${unique}`)} and https://s3.example/os?X-Amz-Signature=${plant(`${where}: a signature`)}`;

const podSpec = (where: string) => ({
  containers: [
    {
      name: 'app',
      image: 'registry.example/app:1',
      env: [{ name: 'ANYTHING', value: plant(`a variable of ${where}`, (unique) => unique) }],
      command: ['sh', '-c', `buildah push --creds ann:${plant(`a command of ${where}`)} x`],
      args: [
        '--token',
        plant(`an argument of ${where}`),
        `--api-key=${plant(`another argument of ${where}`)}`,
      ],
    },
  ],
});

const annotated = (where: string, object: AnObject): AnObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    annotations: {
      'example.com/api-token': plant(`an annotation of ${where}`, (unique) => unique),
      'example.com/settings': JSON.stringify({ password: plant(`JSON in an annotation of ${where}`) }),
      // As k3s has it on Nodes.
      'k3s.io/node-args': JSON.stringify([
        'agent',
        '--token',
        plant(`arguments in an annotation of ${where}`),
      ]),
    },
  },
});

/** With the manifest as kubectl keeps it. */
const applied = (object: AnObject): AnObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    annotations: {
      ...(object.metadata.annotations as object),
      'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(object),
    } as Json,
  },
});

const inOurs = (apiVersion: string, kind: string, name: string, rest: object): AnObject =>
  ({ apiVersion, kind, metadata: { name, namespace: NAMESPACE }, ...rest }) as unknown as AnObject;

const template = (where: string) => ({
  selector: { matchLabels: { app: 'x' } },
  template: { metadata: { labels: { app: 'x' } }, spec: podSpec(where) },
});

/** Under its API path. */
export const OBJECTS: readonly (readonly [path: string, make: () => AnObject, status?: () => object])[] = [
  [
    `/api/v1/namespaces/${NAMESPACE}/secrets`,
    () =>
      applied(
        inOurs('v1', 'Secret', 'push', {
          type: 'kubernetes.io/dockerconfigjson',
          data: { '.dockerconfigjson': base64(pullSecret('a Secret')) },
        }),
      ),
  ],
  [
    `/api/v1/namespaces/${NAMESPACE}/configmaps`,
    () =>
      applied(
        inOurs('v1', 'ConfigMap', 'settings', {
          data: { 'app.ini': plant('a ConfigMap', (unique) => unique) },
          binaryData: { bytes: base64(plant('binary data of a ConfigMap', (unique) => unique)) },
        }),
      ),
  ],
  [
    '/apis/machineconfiguration.openshift.io/v1/machineconfigs',
    () =>
      applied(
        annotated(
          'a MachineConfig',
          machineConfig('50-all', { config: config(), kernelArguments: KERNEL_ARGUMENTS() }),
        ),
      ),
  ],
  [
    '/apis/machineconfiguration.openshift.io/v1/controllerconfigs',
    () =>
      applied({
        apiVersion: 'machineconfiguration.openshift.io/v1',
        kind: 'ControllerConfig',
        metadata: { name: 'machine-config-controller' },
        spec: {
          ...EMPTY_CONTROLLER_CONFIG_SPEC,
          kubeAPIServerServingCAData: base64('public'),
          rootCAData: base64('public'),
          proxy: {
            httpProxy: `http://ann:${plant('the proxy of the ControllerConfig')}@proxy.example`,
            httpsProxy: `http://bob%40corp:${plant('the escaped proxy of the ControllerConfig')}%21@proxy.example`,
            noProxy: '.svc',
          },
          internalRegistryPullSecret: base64(pullSecret('the internal pull secret of the ControllerConfig')),
          cloudProviderConfig: `[Global]\nsecret-id = x\npassword = "${plant('the cloud provider config')}"\naadClientSecret: ${plant('another line of the cloud provider config')}\n`,
        } as unknown as Json,
      } as unknown as AnObject),
  ],
  [
    '/apis/machineconfiguration.openshift.io/v1/machineosconfigs',
    () =>
      applied({
        apiVersion: 'machineconfiguration.openshift.io/v1',
        kind: 'MachineOSConfig',
        metadata: { name: 'worker' },
        spec: {
          machineConfigPool: { name: 'worker' },
          imageBuilder: { imageBuilderType: 'Job' },
          renderedImagePushSecret: { name: 'push' },
          renderedImagePushSpec: 'r.example/ns/os:latest',
          containerFile: [{ content: containerfile() }],
        },
      } as unknown as AnObject),
  ],
  [
    '/apis/machineconfiguration.openshift.io/v1/machineconfigpools',
    () =>
      applied(
        annotated('a MachineConfigPool', {
          apiVersion: 'machineconfiguration.openshift.io/v1',
          kind: 'MachineConfigPool',
          metadata: { name: 'worker' },
          spec: {
            machineConfigSelector: { matchLabels: { 'machineconfiguration.openshift.io/role': 'worker' } },
            nodeSelector: { matchLabels: { 'node-role.kubernetes.io/worker': '' } },
          },
        } as unknown as AnObject),
      ),
    () => ({
      conditions: [
        {
          type: 'RenderDegraded',
          status: 'True',
          reason: '',
          lastTransitionTime: '2026-01-01T00:00:00Z',
          message: message('a condition of a pool'),
        },
      ],
    }),
  ],
  [
    '/apis/machineconfiguration.openshift.io/v1/kubeletconfigs',
    () =>
      ({
        apiVersion: 'machineconfiguration.openshift.io/v1',
        kind: 'KubeletConfig',
        metadata: { name: 'k' },
        spec: {
          kubeletConfig: {
            staticPodURL: `https://ann:${plant('a URL of a KubeletConfig')}@pods.example`,
            staticPodURLHeader: { 'X-Access': [plant('a header of a KubeletConfig', (unique) => unique)] },
          },
        },
      }) as unknown as AnObject,
  ],
  [
    '/api/v1/nodes',
    () =>
      applied(
        annotated('a Node', {
          apiVersion: 'v1',
          kind: 'Node',
          metadata: { name: 'worker-0' },
        } as unknown as AnObject),
      ),
  ],
  [
    `/api/v1/namespaces/${NAMESPACE}/events`,
    () =>
      inOurs('v1', 'Event', 'e', {
        involvedObject: { kind: 'Pod', name: 'x', namespace: NAMESPACE },
        reason: 'Failed',
        message: message('an event'),
      }),
  ],
  [
    `/api/v1/namespaces/${NAMESPACE}/pods`,
    () => applied(annotated('our pod', inOurs('v1', 'Pod', 'ours', { spec: podSpec('our pod') }))),
  ],
  [
    '/api/v1/namespaces/shop/pods',
    () =>
      applied(
        annotated('another pod', {
          ...inOurs('v1', 'Pod', 'theirs', { spec: podSpec('another pod') }),
          metadata: { name: 'theirs', namespace: 'shop' },
        }),
      ),
  ],
  [
    `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`,
    () =>
      applied(
        annotated('a Deployment', inOurs('apps/v1', 'Deployment', 'd', { spec: template('a Deployment') })),
      ),
  ],
  [
    `/apis/apps/v1/namespaces/${NAMESPACE}/daemonsets`,
    () =>
      applied(
        annotated('a DaemonSet', inOurs('apps/v1', 'DaemonSet', 'd', { spec: template('a DaemonSet') })),
      ),
  ],
  [
    `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`,
    () =>
      applied(
        annotated(
          'a Job',
          inOurs('batch/v1', 'Job', 'build-x', {
            spec: { template: { spec: { ...podSpec('a Job'), restartPolicy: 'Never' } } },
          }),
        ),
      ),
  ],
  [
    '/apis/policy/v1/namespaces/shop/poddisruptionbudgets',
    () =>
      applied(
        annotated('a budget', {
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
          metadata: { name: 'b', namespace: 'shop' },
          spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } },
        } as unknown as AnObject),
      ),
  ],
  [
    `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`,
    () => annotated('a Lease', inOurs('coordination.k8s.io/v1', 'Lease', 'l', { spec: {} })),
  ],
];
