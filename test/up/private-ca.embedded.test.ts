/**
 * A mirror whose certificate is signed by a private CA: nodes pull from it once the CA has arrived, which takes no rollout and
 * waits for no paused pool, and no longer once it was removed. So do credentials and CAs of the cluster.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLog, systemClock, systemRandom } from '../../src/base/env.ts';
import { formatYaml } from '../../src/base/yaml/index.ts';
import {
  createAuthority,
  issueServerCertificate,
} from '../../src/embedded/apiserver/pki/certificates-node.ts';
import { createMemoryRegistryStore, createRegistry } from '../../src/embedded/registry/index.ts';
import {
  type RegistryServer,
  startRegistryServer,
} from '../../src/embedded/registry/registry-server-node.ts';
import { createTrustingTransport, pushImage } from '../../src/images/index.ts';
import { createNodeRegistryTransport } from '../../src/images/transport-node.ts';
import type { Node } from '../../src/kubernetes/types/index.ts';
import { eventually } from '../contract/eventually.ts';
import { osImage } from '../registry/base-os.ts';
import { client } from '../registry/registries.ts';
import { Cluster, withKubectl } from './cluster.ts';
import { bootId, currentConfig, isCordoned, nodesDuring } from './node-states.ts';
import { pause } from './pool-updates.ts';
import { packageRoot } from './program.ts';

const NODES = ['master-0', 'worker-0', 'worker-1'];
const env = { clock: systemClock, random: systemRandom, log: silentLog };
const authority = createAuthority(systemClock);

withKubectl('a mirror with a private CA', () => {
  let cluster: Cluster;
  let server: RegistryServer;
  let mirror = '';

  beforeAll(async () => {
    const { handle } = createRegistry({ store: createMemoryRegistryStore(), env });
    const certificate = issueServerCertificate(authority, { clock: systemClock });
    server = await startRegistryServer({ handle, env, port: 0, certificate });
    mirror = `localhost:${server.port}`;
    const sockets = createNodeRegistryTransport({ clock: systemClock });
    const pusher = client({
      transport: createTrustingTransport(sockets, authority.certPem),
      isPlainHttp: () => false,
    });
    await pushImage(pusher, { host: mirror, repository: 'hub/library/nginx', tag: '1.25' }, await osImage());
    sockets.close();
    cluster = await Cluster.start(['--speed', '50', '--control-plane', '1', '--workers', '2']);
    const spec = {
      imageTagMirrors: [
        { source: 'docker.io', mirrors: [`${mirror}/hub`], mirrorSourcePolicy: 'NeverContactSource' },
      ],
    };
    const metadata = { name: 'hub' };
    const mirrors = { apiVersion: 'config.openshift.io/v1', kind: 'ImageTagMirrorSet', metadata, spec };
    await cluster.rolledOut('worker', () => cluster.apply(JSON.stringify(mirrors)));
    await cluster.wait('mcp/master', '--for=condition=Updated');
  });
  afterAll(async () => {
    await cluster.end();
    await server.stop();
  });

  const pull = async (node: string) => {
    const args = ['node', node, 'pull', 'docker.io/library/nginx:1.25', '--data-dir', cluster.dataDir];
    const program = join(packageRoot, 'dist/main.js');
    return await promisify(execFile)(process.execPath, [program, ...args]);
  };
  const caOn = (node: string) => cluster.onNode(node, `etc/docker/certs.d/${mirror}/ca.crt`);
  const onAll = (what: string, isSo: (node: string) => boolean) =>
    eventually(what, async () => (NODES.every(isSo) ? true : undefined));
  const expectRefused = async (node: string) => {
    await expect(pull(node)).rejects.toThrow(
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    );
  };

  it('is not pulled from before the CA is known', async () => {
    await expectRefused('worker-0');
  });

  it('is pulled from once the CA has arrived, also by nodes of a paused pool, which are not touched', async () => {
    await pause(cluster, 'worker', true);
    const course = await nodesDuring(cluster, async () => {
      const key = mirror.replace(':', '..');
      const data = { [key]: authority.certPem };
      const metadata = { name: 'registry-cas', namespace: 'openshift-config' };
      await cluster.apply(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }));
      const trusted = JSON.stringify({ spec: { additionalTrustedCA: { name: 'registry-cas' } } });
      await cluster.kubectl([
        'patch',
        'image.config.openshift.io/cluster',
        '--type=merge',
        '--patch',
        trusted,
      ]);
      await onAll('the CA has arrived', (node) => existsSync(caOn(node)));
    });
    for (const node of NODES) {
      expect(readFileSync(caOn(node), 'utf8'), node).toBe(authority.certPem);
      expect(course.of(node, isCordoned), node).toEqual([false]);
      expect(course.of(node, bootId), node).toHaveLength(1);
      expect(course.of(node, currentConfig), node).toHaveLength(1);
      const { stdout, stderr } = await pull(node);
      expect(stderr).toContain(`Trying to pull ${mirror}/hub/library/nginx:1.25...\n`);
      expect(stdout).toMatch(/^Image is up to date for docker\.io\/library\/nginx@sha256:[0-9a-f]{64}\n$/);
    }
    expect(await cluster.kubectl(['get', 'mcp', 'master', '-o', 'wide'])).toMatch(/ True +False +False /);
  });

  it('is not all that reaches a paused pool: credentials and CAs of the cluster do, without a cordon, drain or reboot', async () => {
    const manifest = (kind: string, namespace: string, name: string, content: object) =>
      JSON.stringify({ apiVersion: 'v1', kind, metadata: { name, namespace }, ...content });
    const pullSecret = (auth: string) =>
      manifest('Secret', 'openshift-config', 'pull-secret', {
        type: 'kubernetes.io/dockerconfigjson',
        stringData: { '.dockerconfigjson': JSON.stringify({ auths: { 'a.example': { auth } } }) },
      });
    const bundle = (name: string, pem: string) =>
      manifest('ConfigMap', 'openshift-config-managed', name, { data: { 'ca-bundle.crt': pem } });
    const kubeconfig = (pem: string) =>
      formatYaml({
        clusters: [{ cluster: { 'certificate-authority-data': btoa(pem) }, name: 'local' }],
        kind: 'Config',
      });
    const read = (node: string, path: string) => {
      const file = cluster.onNode(node, path);
      return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    };
    const output = ['-o', 'jsonpath={.data.ca\\.crt}'];
    const present = await cluster.kubectl(['get', 'cm', 'kube-root-ca.crt', '-n', 'kube-system', ...output]);
    const both = `${authority.certPem}${present.trim()}\n`;
    for (const node of NODES) {
      writeFileSync(cluster.onNode(node, 'etc/kubernetes/kubeconfig'), kubeconfig(present));
      mkdirSync(cluster.onNode(node, 'var/lib/kubelet'), { recursive: true });
      writeFileSync(cluster.onNode(node, 'var/lib/kubelet/kubeconfig'), kubeconfig(present));
    }
    const course = await nodesDuring(cluster, async () => {
      await cluster.apply(pullSecret('YTph'), bundle('kube-apiserver-client-ca', authority.certPem));
      await cluster.apply(bundle('kube-apiserver-server-ca', both), pullSecret('Yjpi'));
      const credentials = '{"auths":{"a.example":{"auth":"Yjpi"}}}';
      await onAll('credentials and CAs have arrived', (node) => {
        const isRotated = ['etc/kubernetes/kubeconfig', 'var/lib/kubelet/kubeconfig'].every(
          (path) => read(node, path) === kubeconfig(both),
        );
        const isSynced = read(node, 'etc/mco/internal-registry-pull-secret.json') === credentials;
        return isRotated && isSynced && read(node, 'etc/kubernetes/kubelet-ca.crt') === authority.certPem;
      });
      // The pull secret of kubelets is rendered: it reaches the pool that is not paused.
      await eventually('it is rolled out', async () =>
        read('master-0', 'var/lib/kubelet/config.json') === `${credentials}\n` ? true : undefined,
      );
      await cluster.wait('mcp/master', '--for=condition=Updated');
    });
    const drains = ({ metadata }: Node) =>
      metadata.annotations?.['machineconfiguration.openshift.io/desiredDrain']?.startsWith('drain-') ?? false;
    for (const node of NODES) {
      expect(course.of(node, isCordoned), node).toEqual([false]);
      expect(course.of(node, drains), node).toEqual([false]);
      expect(course.of(node, bootId), node).toHaveLength(1);
      const log = readFileSync(join(cluster.dataDir, 'nodes', node, 'log'), 'utf8');
      expect(log.match(/Restarting kubelet: /g), node).toHaveLength(1);
    }
    for (const node of ['worker-0', 'worker-1']) {
      expect(course.of(node, currentConfig), node).toHaveLength(1);
      expect(read(node, 'var/lib/kubelet/config.json')).toBeUndefined();
    }
  });

  it('is reported where its key is mistyped, and the CA of the other key stays', async () => {
    const data = { 'mirror.example_5000': authority.certPem };
    await cluster.kubectl([
      'patch',
      'cm',
      'registry-cas',
      '-n',
      'openshift-config',
      '--type=merge',
      '-p',
      JSON.stringify({ data }),
    ]);
    await eventually('there is an event', async () => {
      const text = await cluster.kubectl(['describe', 'cm', 'registry-cas', '-n', 'openshift-config']);
      return /InvalidTrustedCA +.*key "mirror\.example_5000" is not a registry/.test(text) ? true : undefined;
    });
    expect(NODES.every((node) => existsSync(caOn(node)))).toBe(true);
  });

  it('is reported on the Image where the ConfigMap does not exist', async () => {
    const trust = async (name: string) => {
      const patch = JSON.stringify({ spec: { additionalTrustedCA: { name } } });
      await cluster.kubectl(['patch', 'image.config', 'cluster', '--type=merge', '-p', patch]);
    };
    await trust('lost');
    await eventually('there is an event', async () => {
      const text = await cluster.kubectl(['describe', 'image.config', 'cluster']);
      return /InvalidImageConfig +.*ConfigMap "lost" of spec\.additionalTrustedCA does not exist/.test(text)
        ? true
        : undefined;
    });
    await trust('registry-cas');
    await onAll('the CA is back', (node) => existsSync(caOn(node)));
  });

  it('is no longer pulled from once the CA was removed', async () => {
    await cluster.kubectl([
      'patch',
      'image.config',
      'cluster',
      '--type=merge',
      '-p',
      '{"spec":{"additionalTrustedCA":null}}',
    ]);
    await onAll(
      'the CA is gone',
      (node) => !existsSync(cluster.onNode(node, `etc/docker/certs.d/${mirror}`)),
    );
    await expectRefused('worker-0');
  });
});
