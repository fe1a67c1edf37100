/**
 * CAs of the API server in the kubeconfigs of a node: new ones are added at once, the kubelet is restarted, and nothing else happens
 * to the node. On a cluster whose kubelets have their own kubeconfigs these are not touched.
 */
import { describe, expect, it } from 'vitest';
import { annotations, controllerConfig as controllerConfigKind } from '../../src/api/index.ts';
import { formatYaml } from '../../src/base/yaml/index.ts';
import { EMPTY_CONTROLLER_CONFIG_SPEC } from '../support/controller-config-spec.ts';
import { aUnit } from './a-config.ts';
import type { JoinedNode } from './joined-node.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const NAME = 'machine-config-controller';
const BOOTSTRAP = '/etc/kubernetes/kubeconfig';
const KUBELET = '/var/lib/kubelet/kubeconfig';
const NOTE = '/etc/machine-config-daemon/kubelet-restart';

const pem = (name: string) =>
  `-----BEGIN CERTIFICATE-----\n${btoa(name.padEnd(9))}\n-----END CERTIFICATE-----\n`;
const [OLD, NEW, NEWER] = [pem('old'), pem('new'), pem('newer')];

const kubeconfig = (...authorities: readonly string[]) =>
  formatYaml({
    apiVersion: 'v1',
    clusters: [
      {
        cluster: { 'certificate-authority-data': btoa(authorities.join('')), server: 'https://api-int:6443' },
        name: 'local',
      },
    ],
    contexts: [{ context: { cluster: 'local', user: 'kubelet' }, name: 'kubelet' }],
    'current-context': 'kubelet',
    kind: 'Config',
    users: [{ name: 'kubelet', user: { token: 'secret' } }],
  });

/** Writes the CAs of the API server; returns the version of the ControllerConfig. */
async function setAuthorities(bundle: string, isFollowed = 'true'): Promise<string> {
  const { kube } = stories.cluster();
  const metadata = { name: NAME, annotations: { [annotations.serviceCaRotate]: isFollowed } };
  const spec = { rootCAData: btoa(bundle) };
  const existing = await kube.get(controllerConfigKind, { name: NAME });
  const written =
    existing === undefined
      ? await kube.create(controllerConfigKind, {
          ...{ apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'ControllerConfig', metadata },
          spec: { ...EMPTY_CONTROLLER_CONFIG_SPEC, kubeAPIServerServingCAData: btoa('ca'), ...spec },
        })
      : await kube.patch(controllerConfigKind, { name: NAME }, { type: 'merge', body: { metadata, spec } });
  return written.metadata.resourceVersion ?? '';
}

const untilSynced = ({ node }: JoinedNode, version: string) =>
  stories.cluster().until('synced', async () => {
    const annotation = 'lastSyncedControllerConfigResourceVersion';
    return (await stories.cluster().annotation(node.name, annotation)) === version;
  });
const sync = async (joined: JoinedNode, bundle: string, isFollowed?: string) =>
  untilSynced(joined, await setAuthorities(bundle, isFollowed));

const filesOf = async ({ node }: JoinedNode) => [await node.text(BOOTSTRAP), await node.text(KUBELET)];
const starts = async ({ node }: JoinedNode) =>
  (await node.machine.services()).find(({ name }) => name === 'kubelet.service')?.starts ?? 0;

/** With the kubeconfigs of a machine that has joined through the server. */
async function joinWith(authorities: string, parts = {}): Promise<JoinedNode> {
  await setAuthorities(authorities);
  const joined = await stories.join({ units: [aUnit('kubelet.service', 'kubelet')], ...parts });
  await joined.node.write(BOOTSTRAP, kubeconfig(authorities), 0o600);
  await joined.node.write(KUBELET, kubeconfig(authorities), 0o640);
  return joined;
}

describe('a new CA of the API server', () => {
  it('is added to both kubeconfigs, and the kubelet is restarted once, without an update', async () => {
    const joined = await joinWith(OLD);
    const { node, first } = joined;
    const [bootId, before] = [await node.machine.host.bootId(), await starts(joined)];
    await sync(joined, OLD + NEW);
    expect(await filesOf(joined)).toEqual([kubeconfig(OLD, NEW), kubeconfig(OLD, NEW)]);
    const modes = await Promise.all([BOOTSTRAP, KUBELET].map((path) => node.machine.host.files.stat(path)));
    expect(modes.map((stat) => stat?.mode)).toEqual([0o600, 0o640]);
    expect(await starts(joined)).toBe(before + 1);
    // The old one stays: the API server may still have a certificate of it.
    await sync(joined, NEW);
    expect(await filesOf(joined)).toEqual([kubeconfig(OLD, NEW), kubeconfig(OLD, NEW)]);
    node.restartDaemon();
    await stories.pass(10 * 60_000);
    expect(await starts(joined)).toBe(before + 1);
    expect(await node.machine.host.files.stat(NOTE)).toBeUndefined();
    expect(await node.machine.host.bootId()).toBe(bootId);
    const cluster = stories.cluster();
    expect(await cluster.annotation(node.name, 'state')).toBe('Done');
    expect(await cluster.annotation(node.name, 'currentConfig')).toBe(first);
    expect(await cluster.annotation(node.name, 'desiredDrain')).not.toContain('drain-rendered');
    expect(node.lines.join('\n')).not.toContain('secret');
  });

  it('reaches no node whose kubelet has its own kubeconfig', async () => {
    const joined = await joinWith(OLD);
    const before = await starts(joined);
    await sync(joined, OLD + NEW, 'false');
    expect(await filesOf(joined)).toEqual([kubeconfig(OLD), kubeconfig(OLD)]);
    expect(await starts(joined)).toBe(before);
  });

  it('is no reason to create a kubeconfig', async () => {
    await setAuthorities(OLD);
    const joined = await stories.join();
    const before = await starts(joined);
    await sync(joined, OLD + NEW);
    expect(await filesOf(joined)).toEqual([undefined, undefined]);
    expect(await starts(joined)).toBe(before);
  });

  it('leaves a kubeconfig of the config to the config, and is no drift', async () => {
    const joined = await joinWith(OLD, {
      files: { [BOOTSTRAP]: kubeconfig(OLD) },
      modes: { [BOOTSTRAP]: 0o600 },
    });
    await sync(joined, OLD + NEW);
    expect(await filesOf(joined)).toEqual([kubeconfig(OLD), kubeconfig(OLD, NEW)]);
    await stories.pass(60_000);
    expect(await stories.cluster().annotation(joined.node.name, 'state')).toBe('Done');
    expect(joined.node.lines).toContain(`W Not syncing "${BOOTSTRAP}": the config has this file`);
  });

  it('leaves a file that is no kubeconfig as it is, with a line in the log', async () => {
    const joined = await joinWith(OLD);
    await joined.node.write(BOOTSTRAP, 'mine');
    await sync(joined, OLD + NEW);
    expect(await filesOf(joined)).toEqual(['mine', kubeconfig(OLD, NEW)]);
    expect(joined.node.lines).toContain(`W Not syncing "${BOOTSTRAP}": it is no kubeconfig`);
  });

  it('restarts the kubelet also where that failed first and the daemon was killed meanwhile', async () => {
    const joined = await joinWith(OLD);
    const { node } = joined;
    node.machine.faults.failingUnits.add('kubelet.service');
    const version = await setAuthorities(OLD + NEW + NEWER);
    await stories.untilDegraded(joined, /restart kubelet\.service/);
    expect(await filesOf(joined)).toEqual([kubeconfig(OLD, NEW, NEWER), kubeconfig(OLD, NEW, NEWER)]);
    node.machine.faults.failingUnits.clear();
    const before = await starts(joined);
    node.restartDaemon();
    await untilSynced(joined, version);
    expect(await starts(joined)).toBe(before + 1);
    await stories.cluster().untilDone(node.name, joined.first);
  });

  it('needs no restart of a kubelet that has started with it since the power was cut', async () => {
    const joined = await joinWith(OLD);
    const { node } = joined;
    node.machine.faults.failingUnits.add('kubelet.service');
    const version = await setAuthorities(OLD + NEW);
    await stories.untilDegraded(joined, /restart kubelet\.service/);
    node.machine.faults.failingUnits.clear();
    node.machine.cutPower();
    await node.machine.boot();
    const before = await starts(joined);
    await untilSynced(joined, version);
    expect(await starts(joined)).toBe(before);
    expect(await node.machine.host.files.stat(NOTE)).toBeUndefined();
  });
});
