/**
 * Nodes that run containerd: the daemon translates registries.conf into `hosts.toml` files, which are files of the config as any other.
 */
import { describe, expect, it } from 'vitest';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import type { JoinedNode } from './joined-node.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const { join, untilDegraded, condition } = stories;

const CONF = '/etc/containers/registries.conf';
const HOSTS = '/etc/containerd/certs.d/quay.io/hosts.toml';
const CONTAINERD =
  'version = 2\n[plugins."io.containerd.grpc.v1.cri".registry]\nconfig_path = "/etc/containerd/certs.d"\n';
const mirrored = (mirror: string) =>
  `[[registry]]\nlocation = "quay.io"\n[[registry.mirror]]\nlocation = "${mirror}"\npull-from-mirror = "digest-only"\n`;

async function joinWith(runtime: string, { config = CONTAINERD } = {}): Promise<JoinedNode> {
  const joined = await join({ files: { [CONF]: '' } });
  await joined.node.write('/etc/containerd/config.toml', config);
  const body = { status: { nodeInfo: { containerRuntimeVersion: runtime } } };
  const place = { name: joined.node.name };
  await stories.cluster().kube.patch(nodeKind, place, { type: 'merge', body }, { subresource: 'status' });
  return joined;
}

describe('a node that runs containerd', () => {
  it('gets a hosts.toml with the mirrors of registries.conf, without a reboot or a reload of CRI-O', async () => {
    const joined = await joinWith('containerd://1.6.20');
    const { node } = joined;
    const before = await node.machine.host.bootId();
    const next = await joined.sendTo('next', { files: { [CONF]: mirrored('m.example/q') } });
    await stories.cluster().untilDone(node.name, next);
    expect(await node.text(HOSTS)).toBe(
      '# quay.io, from /etc/containers/registries.conf. Written by the machine config daemon.\n\n[host."https://m.example/v2/q"]\n  capabilities = [ "pull" ]\n  override_path = true\n',
    );
    expect(await node.text(CONF)).toBe(mirrored('m.example/q'));
    expect(await node.machine.host.bootId()).toBe(before);
    expect(await condition(joined, 'UpdatePostActionComplete')).toBe(
      `False None: Action during update to ${next}: Changes do not require a reboot`,
    );
  });

  it('reports a change of it by hand, also after a restart of the daemon', async () => {
    const joined = await joinWith('containerd://1.6.20');
    const { node } = joined;
    const next = await joined.sendTo('next', { files: { [CONF]: mirrored('m.example') } });
    await stories.cluster().untilDone(node.name, next);
    const text = (await node.text(HOSTS)) ?? '';
    node.stopDaemon();
    await node.write(HOSTS, 'by hand');
    node.startDaemon();
    await untilDegraded(
      joined,
      /content mismatch for file "\/etc\/containerd\/certs\.d\/quay\.io\/hosts\.toml"$/,
    );
    await node.write(HOSTS, text);
    await stories.cluster().untilDone(node.name, next);
  });

  it('is not drained for mirrors that its containerd would not use, and goes on once the line is there', async () => {
    const joined = await joinWith('containerd://1.6.20', { config: 'version = 2\n' });
    const { node, first } = joined;
    const next = await joined.sendTo('next', {
      files: { [CONF]: mirrored('m.example').replace('digest', 'tag') },
    });
    const reason = await untilDegraded(joined, /./);
    expect(reason).toMatch(
      /^pre-flight refuses this config, and the node is not drained: \/etc\/containerd\/config\.toml: there is no config_path, .*add \[plugins\."io\.containerd\.grpc\.v1\.cri"\.registry\] config_path = "\/etc\/containerd\/certs\.d" and restart containerd/,
    );
    expect(await node.text(HOSTS)).toBeUndefined();
    expect(await stories.cluster().annotation(node.name, 'desiredDrain')).toBe(`uncordon-${first}`);
    await node.write('/etc/containerd/config.toml', CONTAINERD);
    await stories.cluster().untilDone(node.name, next, 10 * 60_000);
    expect(await node.text(HOSTS)).toContain('m.example');
  });

  it('names in its MachineConfigNode what containerd does not do', async () => {
    const joined = await joinWith('containerd://1.6.20');
    const text = mirrored('m.example').replace('quay.io', 'quay.io/team');
    const next = await joined.sendTo('next', { files: { [CONF]: text } });
    await stories.cluster().untilDone(joined.node.name, next);
    const prepared = await condition(joined, 'UpdatePrepared');
    expect(prepared).toContain('Update Compatible. Post Cfg Actions: [] Drain Required: false');
    expect(prepared).toContain(
      '/etc/containers/registries.conf: containerd has settings for whole registries only: "quay.io/team" is not applied',
    );
    expect(await joined.node.text('/etc/containerd/certs.d/quay.io/hosts.toml')).toBeUndefined();
  });

  it('gets back the hosts.toml that it had before once the mirror is gone', async () => {
    const joined = await joinWith('containerd://1.6.20');
    const { node, first } = joined;
    await node.write(HOSTS, 'by the administrator');
    const next = await joined.sendTo('next', { files: { [CONF]: mirrored('m.example') } });
    await stories.cluster().untilDone(node.name, next);
    expect(await node.text(HOSTS)).toContain('m.example');
    await stories.cluster().send(node.name, first);
    await stories.cluster().untilDone(node.name, first);
    expect(await node.text(HOSTS)).toBe('by the administrator');
  });

  it('has no hosts.toml any more once the mirror is gone', async () => {
    const joined = await joinWith('containerd://2.1.0');
    const { node, first } = joined;
    const next = await joined.sendTo('next', { files: { [CONF]: mirrored('m.example') } });
    await stories.cluster().untilDone(node.name, next);
    expect(await node.text(HOSTS)).toContain('m.example');
    await stories.cluster().send(node.name, first);
    await stories.cluster().untilDone(node.name, first);
    expect(await node.text(HOSTS)).toBeUndefined();
  });
});

describe('a node that runs CRI-O', () => {
  it('gets no hosts.toml, and CRI-O is reloaded', async () => {
    const joined = await joinWith('cri-o://1.33.1');
    const { node } = joined;
    const next = await joined.sendTo('next', { files: { [CONF]: mirrored('m.example') } });
    await stories.cluster().untilDone(node.name, next);
    expect(await node.text(HOSTS)).toBeUndefined();
    expect(await condition(joined, 'UpdatePostActionComplete')).toBe(
      `False UpdatePostActionComplete: Action during update to ${next}: Node has reloaded service crio`,
    );
  });
});
