/**
 * A daemon on the real implementation of a Linux host, over a folder as the root of a machine whose OS is made of packages: what
 * it does to files when the machine joins, and when a config takes over a file that was there.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { DaemonMetrics } from '../../src/node/daemon/index.ts';
import { COMMANDS, hasSystemctl, type LinuxScene, linuxScene } from '../host/linux-scene.ts';
import { aConfig } from './a-config.ts';
import { startDaemonProcess } from './daemon-node.ts';
import { differences, filesOf } from './files-of.ts';
import { type SmallCluster, startSmallCluster } from './small-cluster.ts';

const NAME = 'plain';
/** By default a change of this file needs neither a drain nor a reboot. */
const CREDENTIALS = '/var/lib/kubelet/config.json';

let cluster: SmallCluster;
let scene: LinuxScene;
let stopDaemon: () => Promise<void> = async () => undefined;
afterEach(async () => {
  // Its folder can be removed only after its last write.
  await stopDaemon();
  await cluster.stop();
  await scene.close();
});

/** Virtual time for the daemon, real time for the disk and its commands. */
async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  await cluster.until(what, async () => {
    await sleep(20);
    return await holds();
  });
}

const untilAt = (config: string) =>
  until(config, async () => {
    const annotation = (key: 'currentConfig' | 'state') => cluster.annotation(NAME, key);
    return (await annotation('currentConfig')) === config && (await annotation('state')) === 'Done';
  });

it.runIf(hasSystemctl).each([
  ['a machine', '0'],
  ['a machine in FIPS mode', '1'],
])(
  'the daemon of %s writes only to its own folder, and gives back a file that a config took over',
  async (_, fips) => {
    cluster = await startSmallCluster();
    scene = await linuxScene(COMMANDS);
    const { files } = scene.host;
    await writeFile(join(scene.root, 'proc/sys/crypto/fips_enabled'), `${fips}\n`);
    const bytes = new TextEncoder().encode('{"auths":{}}');
    await files.write(CREDENTIALS, { bytes, mode: 0o600, owner: scene.owner });
    await cluster.addNode(NAME);
    const [before, bootId] = [await filesOf(files), await scene.host.bootId()];
    const { spec } = await cluster.node(NAME);
    const lines: string[] = [];
    const { env, handle } = cluster;
    const metrics = new DaemonMetrics();
    stopDaemon = startDaemonProcess({ env, handle, name: NAME }, { host: scene.host, lines, metrics });

    await untilAt('mco-empty-mc');
    await cluster.addConfig(aConfig('rendered-empty', { osImage: '' }));
    await cluster.send(NAME, 'rendered-empty');
    await untilAt('rendered-empty');
    expect(differences(before, await filesOf(files))).toEqual([]);
    expect([await scene.host.bootId(), (await cluster.node(NAME)).spec]).toEqual([bootId, spec]);
    const changing =
      /systemctl (enable|disable|preset|mask|restart|reload|daemon-reload|reboot)|usermod|systemd-run/;
    expect((await scene.calls()).filter((call) => changing.test(call))).toEqual([]);

    await cluster.addConfig(aConfig('rendered-taken', { osImage: '', files: { [CREDENTIALS]: 'declared' } }));
    await cluster.send(NAME, 'rendered-taken');
    await untilAt('rendered-taken');
    expect(differences(before, await filesOf(files))).toEqual([CREDENTIALS]);
    const kept = await files.read(`/etc/machine-config-daemon/orig${CREDENTIALS}.mcdorig`);
    expect(new TextDecoder().decode(kept)).toBe('{"auths":{}}');
    await cluster.send(NAME, 'rendered-empty');
    await untilAt('rendered-empty');
    expect(differences(before, await filesOf(files))).toEqual([]);
  },
);
