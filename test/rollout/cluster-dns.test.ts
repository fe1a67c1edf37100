/** The DNS of the cluster on its way to the kubelets: from the Service, through the ControllerConfig, to the files of nodes. */
import { afterEach, describe, expect, it } from 'vitest';
import { controllerConfig, machineConfig } from '../../src/api/index.ts';
import { configMap, type Service, service } from '../../src/kubernetes/types/index.ts';
import type { World } from './build-world.ts';
import { eventsAbout, firstConfig, HOUR, MINUTE, target } from './story-steps.ts';
import { startWorld } from './world.ts';

const CONFIG = 'machine-config-controller';
const KUBE_DNS = { name: 'kube-dns', namespace: 'kube-system' };

function dnsService(clusterIP: string): Service {
  const metadata = { ...KUBE_DNS, labels: { 'k8s-app': 'kube-dns' } };
  const ports = [{ name: 'dns', port: 53, protocol: 'UDP' }] as const;
  return { apiVersion: 'v1', kind: 'Service', metadata, spec: { clusterIP, ports } };
}

describe('the DNS of the cluster', () => {
  let world: World;
  afterEach(() => world.stop());

  const begin = async (before: () => Promise<unknown>, given = {}) => {
    world = await startWorld({ masters: 0, workers: 2 });
    await before();
    await world.startControllers(undefined, { settings: { clusterDns: given } });
    await world.startDaemons();
    await firstConfig(world);
  };
  /** The lines about DNS in kubelet.conf of the rendered config of worker. */
  const linesOfKubelet = async () => {
    const rendered = await world.kube.get(machineConfig, { name: await target(world, 'worker') });
    const { files = [] } = (rendered?.spec?.config as { storage?: Files } | undefined)?.storage ?? {};
    const { source = '' } = files.find(({ path }) => path === '/etc/kubernetes/kubelet.conf')?.contents ?? {};
    const text = new TextDecoder().decode(await (await fetch(source)).arrayBuffer());
    return text.split('\n').filter((line) => /^(clusterD| {2}- "\d)/.test(line));
  };
  const specOf = async () => (await world.kube.get(controllerConfig, { name: CONFIG }))?.spec;
  const warnings = async () =>
    (await eventsAbout(world, controllerConfig.kind, CONFIG)).map(
      ({ reason, message }) => `${reason}: ${message}`,
    );

  it('reaches kubelets with the first config, from the Service and the ConfigMap of kubeadm', async () => {
    await begin(async () => {
      await world.kube.create(service, dnsService('10.96.0.10'));
      const data = { ClusterConfiguration: 'networking:\n  dnsDomain: k8s.example\n' };
      const metadata = { name: 'kubeadm-config', namespace: 'kube-system' };
      await world.kube.create(configMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
    });
    expect(await linesOfKubelet()).toEqual([
      'clusterDNS:',
      '  - "10.96.0.10"',
      'clusterDomain: "k8s.example"',
    ]);
    expect(await warnings()).toEqual([]);
    const rendered = (await world.kube.list(machineConfig)).items.filter(({ metadata }) =>
      metadata.name.startsWith('rendered-worker-'),
    );
    expect(rendered).toHaveLength(1);
  });

  it('is rolled out again when the Service gets another address', async () => {
    await begin(() => world.kube.create(service, dnsService('10.96.0.10')));
    expect(await linesOfKubelet()).toEqual([
      'clusterDNS:',
      '  - "10.96.0.10"',
      'clusterDomain: cluster.local',
    ]);
    const before = await target(world, 'worker');
    await world.kube.delete(service, KUBE_DNS);
    await world.env.clock.advance(MINUTE);
    // Without a Service nothing changes on nodes.
    expect([await target(world, 'worker'), (await specOf())?.clusterDNSIP]).toEqual([before, '10.96.0.10']);
    await world.kube.create(service, dnsService('10.96.0.53'));
    await world.until('it is rendered', async () => (await target(world, 'worker')) !== before, HOUR);
    await world.untilUpdated(['worker'], HOUR);
    expect(await linesOfKubelet()).toEqual([
      'clusterDNS:',
      '  - "10.96.0.53"',
      'clusterDomain: cluster.local',
    ]);
  });

  it('is left out with a warning on the ControllerConfig where it is not found', async () => {
    await begin(async () => undefined);
    expect(await linesOfKubelet()).toEqual(['clusterDomain: cluster.local']);
    expect(await warnings()).toEqual([
      'ClusterDNSUnknown: there is no Service of the cluster DNS in kube-system (label k8s-app=kube-dns): kubelets get no clusterDNS, and pods that start on their nodes cannot resolve the names of Services: give it to the operator with --cluster-dns',
    ]);
  });

  it('is what the administrator gave', async () => {
    const given = { address: '10.0.0.53', domain: 'given.example' };
    await begin(() => world.kube.create(service, dnsService('10.96.0.10')), given);
    expect(await linesOfKubelet()).toEqual([
      'clusterDNS:',
      '  - "10.0.0.53"',
      'clusterDomain: "given.example"',
    ]);
    expect(await warnings()).toEqual([]);
  });
});

type Files = {
  readonly files?: readonly { readonly path: string; readonly contents?: { readonly source?: string } }[];
};
