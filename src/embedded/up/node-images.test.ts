import { afterEach, beforeEach, expect, test } from 'vitest';
import { type SandboxNodeScene, sandboxNode } from '../../../test/support/sandbox-node.ts';
import { Failure } from '../../base/errors.ts';
import {
  createRegistryClient,
  type RegistryAccess,
  type RegistryClient,
  type RegistryTransport,
} from '../../images/index.ts';
import { linkCredentials } from '../../node/host/index.ts';
import { createNodeImages } from './node-images.ts';

const PLATFORM = { os: 'linux', architecture: 'amd64' };
const CONF = `
[[registry]]
location = "quay.io"
[[registry.mirror]]
location = "mirror.example/quay"
insecure = true
`;

let scene: SandboxNodeScene;
beforeEach(async () => {
  scene = await sandboxNode('worker-0');
  await scene.write('/etc/containers/registries.conf', CONF);
});
afterEach(() => scene.env.stop());

const images = (insecureClient?: RegistryClient) =>
  createNodeImages({
    clientFor: ({ isInsecure }) => (isInsecure ? (insecureClient ?? scene.client) : scene.client),
    platform: PLATFORM,
  });

test('a new machine pulls its OS image without mirrors', async () => {
  await scene.push('mirror.example/quay/os:1');
  await expect(images().pullerFor(() => undefined)('quay.io/os:1')).rejects.toThrow(
    'reading manifest 1 in quay.io/os: manifest unknown',
  );
  await scene.push('quay.io/os:1');
  expect(await images().pullerFor(() => undefined)('quay.io/os:1')).toMatchObject({ tree: new Map() });
});

test('a machine pulls its OS image through its current mirrors', async () => {
  const digest = await scene.push('mirror.example/quay/os:1');
  const pull = images().pullerFor(() => scene.host);
  expect(await pull('quay.io/os:1')).toMatchObject({ digest });
  await scene.write('/etc/containers/registries.conf', '');
  await expect(pull('quay.io/os:1')).rejects.toThrow('reading manifest 1 in quay.io/os: manifest unknown');
});

test('an insecure registry is contacted with the insecure client', async () => {
  await scene.push('quay.io/os:1');
  const asked: string[] = [];
  const transport: RegistryTransport = {
    async send({ url }) {
      asked.push(url);
      throw new Failure('transient', 'Unreachable', 'connection refused');
    },
  };
  const insecure = createRegistryClient({ transport, env: scene.env, limits: { attempts: 1 } });
  await images(insecure).pullerFor(() => scene.host)('quay.io/os:1');
  expect(asked).toEqual(['https://mirror.example/v2/quay/os/manifests/1']);
});

test('a registry is contacted with the CA that the machine has for it', async () => {
  await scene.push('mirror.example/quay/os:1');
  await scene.write('/etc/containers/registries.conf', CONF.replace('insecure = true', ''));
  const asked: Omit<RegistryAccess, 'credentialsFor'>[] = [];
  const { pullerFor } = createNodeImages({
    clientFor: ({ credentialsFor: _, ...trust }) => {
      asked.push(trust);
      return scene.client;
    },
    platform: PLATFORM,
  });
  await pullerFor(() => scene.host)('quay.io/os:1');
  await scene.write('/etc/docker/certs.d/mirror.example/ca.crt', 'ca');
  await pullerFor(() => scene.host)('quay.io/os:1');
  await scene.write('/etc/containers/registries.conf', CONF);
  await pullerFor(() => scene.host)('quay.io/os:1');
  expect(asked).toEqual([
    { isInsecure: false },
    { isInsecure: false, authorityPem: 'ca' },
    { isInsecure: true },
  ]);
});

test('a machine pulls its OS image with the credentials that rpm-ostree is linked to, and others with those of the kubelet', async () => {
  await scene.push('quay.io/os:1');
  await scene.write('/etc/containers/registries.conf', '');
  const asked: (string | undefined)[] = [];
  const { pullerFor, pull } = createNodeImages({
    clientFor: ({ credentialsFor }) => {
      asked.push(credentialsFor('quay.io/os')?.username);
      return scene.client;
    },
    platform: PLATFORM,
  });
  const pullOs = () => pullerFor(() => scene.host)('quay.io/os:1');
  const authFile = (user: string) => JSON.stringify({ auths: { 'quay.io': { auth: btoa(`${user}:x`) } } });
  await pullOs();
  await scene.write('/var/lib/kubelet/config.json', authFile('kubelet'));
  await linkCredentials(scene.host.files, '/run/ostree/auth.json');
  await pullOs();
  await scene.write('/etc/mco/internal-registry-pull-secret.json', authFile('node'));
  await linkCredentials(scene.host.files, '/run/ostree/auth.json');
  await pullOs();
  await pull(scene.host, 'quay.io/os:1', { report: () => undefined, signal: new AbortController().signal });
  await scene.write('/etc/mco/internal-registry-pull-secret.json', '[]');
  await pullOs();
  expect(asked).toEqual([undefined, 'kubelet', 'node', 'kubelet', undefined]);
});
