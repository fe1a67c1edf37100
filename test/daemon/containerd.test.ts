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
const mirrored = (mirror: string) =>
  `[[registry]]\nlocation = "quay.io"\n[[registry.mirror]]\nlocation = "${mirror}"\npull-from-mirror = "digest-only"\n`;

async function joinWith(runtime: string): Promise<JoinedNode> {
  const joined = await join({ files: { [CONF]: '' } });
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
