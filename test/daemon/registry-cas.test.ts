/**
 * CAs of registries on a node: they follow the ControllerConfig at once, beside the config of the node and without an update.
 */
import { describe, expect, it } from 'vitest';
import { type JoinedNode, lingeringPod } from './joined-node.ts';
import { caPath, type RegistryCas, setRegistryCas } from './registry-cas.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();

const A = caPath('a.example:5000');
const B = caPath('b.example');

async function synced({ node }: JoinedNode, cas: RegistryCas): Promise<void> {
  const version = await setRegistryCas(stories.cluster(), cas);
  await stories.cluster().until('synced', async () => {
    const annotation = 'lastSyncedControllerConfigResourceVersion';
    return (await stories.cluster().annotation(node.name, annotation)) === version;
  });
}

const registriesOn = ({ node }: JoinedNode) => node.machine.host.files.list('/etc/docker/certs.d');

/** The node is as it was: no update, no drain, no drift. */
async function expectUndisturbed(joined: JoinedNode, bootId: string): Promise<void> {
  const { node, first } = joined;
  await stories.pass(60_000);
  const cluster = stories.cluster();
  expect(await node.machine.host.bootId()).toBe(bootId);
  expect(await cluster.annotation(node.name, 'state')).toBe('Done');
  expect(await cluster.annotation(node.name, 'currentConfig')).toBe(first);
  expect(await cluster.annotation(node.name, 'desiredDrain')).not.toContain('drain-rendered');
  expect((await cluster.node(node.name)).spec?.unschedulable ?? false).toBe(false);
}

describe('the CA of a registry in the ControllerConfig', () => {
  it('reaches the node, is replaced and is removed, without an update', async () => {
    const joined = await stories.join({ files: { '/etc/docker/certs.d/.create': '' } });
    const { node } = joined;
    const bootId = await node.machine.host.bootId();
    await synced(joined, { 'a.example..5000': 'one', 'b.example': 'two' });
    expect([await node.text(A), await node.text(B)]).toEqual(['one', 'two']);
    expect((await node.machine.host.files.stat(A))?.mode).toBe(0o644);
    expect((await node.machine.host.files.stat('/etc/docker/certs.d/a.example:5000'))?.mode).toBe(0o755);
    await synced(joined, { 'a.example..5000': 'one, renewed' });
    expect(await node.text(A)).toBe('one, renewed');
    expect(await registriesOn(joined)).toEqual(['.create', 'a.example:5000']);
    await synced(joined, {});
    expect(await registriesOn(joined)).toEqual(['.create']);
    await expectUndisturbed(joined, bootId);
  });

  it('leaves what administrators placed there by hand, also beside it in the same folder', async () => {
    const joined = await stories.join();
    const { node } = joined;
    await node.write(caPath('mine.example'), 'mine');
    await node.write('/etc/docker/certs.d/b.example/client.cert', 'mine');
    await synced(joined, { 'b.example': 'two' });
    await synced(joined, {});
    expect(await registriesOn(joined)).toEqual(['b.example', 'mine.example']);
    expect(await node.machine.host.files.list('/etc/docker/certs.d/b.example')).toEqual(['client.cert']);
  });

  it('is written again by the next daemon where the disk has lost it', async () => {
    const joined = await stories.join();
    const { node } = joined;
    await synced(joined, { 'b.example': 'two' });
    await node.machine.host.files.removeFolder('/etc/docker/certs.d');
    node.restartDaemon();
    await stories.cluster().until('written', async () => (await node.text(B)) === 'two');
  });

  it('is removed by the next daemon where it was taken away in between', async () => {
    const joined = await stories.join();
    const { node } = joined;
    await synced(joined, { 'b.example': 'two' });
    node.stopDaemon();
    await setRegistryCas(stories.cluster(), {});
    node.startDaemon();
    await stories.cluster().until('removed', async () => (await node.text(B)) === undefined);
  });

  it('is synced during an update that waits for its drain', async () => {
    const joined = await stories.join();
    const { node } = joined;
    const release = await lingeringPod(stories.cluster(), node.name);
    const next = await joined.sendTo('next', { kernelArguments: ['quiet'] });
    await stories
      .cluster()
      .until('it drains', async () =>
        (await stories.cluster().annotation(node.name, 'desiredDrain')).includes(next),
      );
    await synced(joined, { 'b.example': 'two' });
    expect(await node.text(B)).toBe('two');
    await release();
    await stories.cluster().untilDone(node.name, next);
    expect(await node.text(B)).toBe('two');
  });

  it('that is a file of the config as well is left to the config, and is no drift', async () => {
    const joined = await stories.join({ files: { [B]: 'from the config' } });
    const bootId = await joined.node.machine.host.bootId();
    await synced(joined, { 'b.example': 'two' });
    expect(await joined.node.text(B)).toBe('from the config');
    await expectUndisturbed(joined, bootId);
    expect(joined.node.lines).toContain(`W Not syncing "${B}": the config has this file`);
  });

  it('takes over a file that leaves the config, without a moment in which there is none', async () => {
    const joined = await stories.join({ files: { [B]: 'from the config' } });
    await synced(joined, { 'b.example': 'two' });
    const next = await joined.sendTo('without', {});
    await stories.cluster().untilDone(joined.node.name, next);
    await stories.cluster().until('taken over', async () => (await joined.node.text(B)) === 'two');
  });

  it('removes a file that leaves the config where no CA is synced to it', async () => {
    await setRegistryCas(stories.cluster(), {});
    const joined = await stories.join({ files: { [B]: 'from the config' } });
    const next = await joined.sendTo('without', {});
    await stories.cluster().untilDone(joined.node.name, next);
    await stories.cluster().until('removed', async () => (await joined.node.text(B)) === undefined);
  });

  it('with an invalid name is left out and logged, and the others are synced', async () => {
    const joined = await stories.join();
    await synced(joined, { '../../../etc/evil': 'evil', 'b.example': 'two' });
    expect(await joined.node.text(B)).toBe('two');
    expect(await registriesOn(joined)).toEqual(['b.example']);
    expect(await joined.node.text('/etc/evil/ca.crt')).toBeUndefined();
    expect(joined.node.lines).toContain('W Ignoring CA bundle "../../../etc/evil": it names no registry');
  });
});
