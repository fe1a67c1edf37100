/**
 * Edge cases of a daemon, by the numbers of the specification's list. 13 and 14 (which policy matches, which
 * registries are safe) are tables beside their functions in `src/node/plan`.
 */
import { describe, expect, it } from 'vitest';
import { annotations, FORCE_FILE } from '../../src/api/index.ts';
import { aUnit, OTHER_POLICY, POLICY } from './a-config.ts';
import { NEW_OS } from './daemon-node.ts';
import { type JoinedNode, lingeringPod } from './joined-node.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const { join, untilDegraded, condition, pass, annotate } = stories;
const MINUTE = 60_000;

const reboots = ({ node }: JoinedNode) =>
  node.lines.filter((line) => line.includes('initiating reboot')).length;

/** Records every value of an annotation from now on. */
function valuesOf({ node }: JoinedNode, key: keyof typeof annotations): readonly string[] {
  const values: string[] = [];
  stories.cluster().nodes.onChange(({ after }) => {
    if (after?.metadata.name !== node.name) return;
    const value = after.metadata.annotations?.[annotations[key]] ?? '';
    if (values.at(-1) !== value) values.push(value);
  });
  return values;
}

describe('edge cases', () => {
  it('1: the config on the disk takes precedence over the annotation', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node, first } = joined;
    const next = await joined.sendTo('next', { files: { '/etc/a': 'two' } });
    await stories.cluster().untilDone(node.name, next);
    node.stopDaemon();
    await annotate(joined, { currentConfig: first });
    node.startDaemon();
    await stories.cluster().untilDone(node.name, next);
    expect(node.lines).toContain(
      `I Disk currentConfig "${next}" overrides node's currentConfig annotation "${first}"`,
    );
    expect(reboots(joined)).toBe(1);
  });

  it('2: a node with its desired config that is not Done runs an update', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node, first } = joined;
    node.stopDaemon();
    await annotate(joined, { state: 'Degraded', reason: 'set by the test' });
    node.startDaemon();
    await stories.cluster().untilDone(node.name, first);
    expect(await stories.cluster().annotation(node.name, 'reason')).toBe('');
    expect(node.lines).toContain(`W current+desiredConfig is ${first} but state is Degraded`);
    expect(reboots(joined)).toBe(0);
  });

  it('3: a retry does not hide that the node is degraded', async () => {
    const joined = await join();
    const { node } = joined;
    const mend = node.disk.addFault({ path: '/rootfs/etc/blocked', code: 'EEXIST', calls: ['rename'] });
    const states = valuesOf(joined, 'state');
    const next = await joined.sendTo('next', { files: { '/etc/blocked': 'x' } });
    await untilDegraded(joined, /file exists/);
    await pass(5 * MINUTE);
    mend();
    await stories.cluster().untilDone(node.name, next);
    expect(states).toEqual(['Done', 'Working', 'Degraded', 'Done']);
  });

  it('4: a failing write is rolled back, so that drift does not hide its cause', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    joined.node.disk.addFault({ path: '/rootfs/etc/blocked', code: 'EEXIST', calls: ['rename'] });
    const reasons = valuesOf(joined, 'reason');
    await joined.sendTo('next', { files: { '/etc/a': 'two', '/etc/blocked': 'x' } });
    await untilDegraded(joined, /file exists/);
    await pass(10 * MINUTE);
    expect(reasons.filter((reason) => reason !== '' && !/^rename .*: file exists$/.test(reason))).toEqual([]);
  });

  it('5: a failure after the config was stored rolls back the config as well', async () => {
    const path = '/etc/containers/policy.json';
    const joined = await join({ files: { [path]: POLICY } });
    const { node, first } = joined;
    node.machine.faults.failingUnits.add('crio.service');
    await joined.sendTo('next', { files: { [path]: OTHER_POLICY } });
    await untilDegraded(joined, /reloading crio/);
    expect(
      JSON.parse((await node.text('/etc/machine-config-daemon/currentconfig')) ?? '').metadata.name,
    ).toBe(first);
    expect(await node.text(path)).toBe(POLICY);
    node.machine.faults.failingUnits.clear();
  });

  it('6 and 7: a daemon that restarts before the machine goes down neither starts over nor reports a reboot', async () => {
    const joined = await join({}, { durations: { shutDownMs: 2 * MINUTE } });
    const { node } = joined;
    const next = await joined.sendTo('next', { files: { '/etc/a': 'x' } });
    await stories.cluster().until('rebooting', async () => reboots(joined) === 1);
    node.restartDaemon();
    await pass(30_000);
    expect(await condition(joined, 'RebootedNode')).toMatch(/^Unknown/);
    expect(await stories.cluster().annotation(node.name, 'postConfigAction')).toBe('Rebooting');
    expect(node.lines.filter((line) => line.includes('Starting update from'))).toHaveLength(1);
    await stories.cluster().untilDone(node.name, next);
    expect(await stories.cluster().annotation(node.name, 'postConfigAction')).toBe('');
  });

  it('8: a force file stays in effect until an update has succeeded', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node } = joined;
    const mend = node.disk.addFault({ path: '/rootfs/etc/blocked', code: 'EEXIST', calls: ['rename'] });
    node.stopDaemon();
    await node.write('/etc/a', 'by hand');
    await node.write(FORCE_FILE, '');
    const next = await joined.sendTo('next', { files: { '/etc/a': 'two', '/etc/blocked': 'x' } });
    node.startDaemon();
    await untilDegraded(joined, /file exists/);
    await pass(3 * MINUTE);
    // Without it the retry would fail on the manual change.
    mend();
    await stories.cluster().untilDone(node.name, next);
    expect(await node.text('/etc/a')).toBe('two');
    expect(await node.text(FORCE_FILE)).toBe(undefined);
  });

  it('9 and 10: past conditions get the name of their update, and the generation never decreases', async () => {
    const joined = await join();
    const { node } = joined;
    const generations: number[] = [];
    const times: string[] = [];
    stories.cluster().machineConfigNodes.onChange(({ before, after }) => {
      if (after?.metadata.name !== node.name) return;
      generations.push(after.status?.observedGeneration ?? 0);
      for (const now of after.status?.conditions ?? []) {
        const then = before?.status?.conditions?.find(({ type }) => type === now.type);
        const hasMoved = then !== undefined && then.lastTransitionTime !== now.lastTransitionTime;
        if (hasMoved && then.status === now.status) times.push(now.type);
      }
    });
    const next = await joined.sendTo('next', { files: { '/etc/a': 'x' } });
    await stories.cluster().untilDone(node.name, next);
    expect(await condition(joined, 'Cordoned')).toBe(
      `False UpdateExecutedCordoned: Action during update to ${next}: Cordoned node. The node is reporting Unschedulable = true`,
    );
    expect(generations).toEqual([...generations].sort((a, b) => a - b));
    expect(times).toEqual([]);
  });

  it('11: one changed file without a policy is enough for a reboot', async () => {
    const path = '/etc/containers/policy.json';
    const joined = await join({ files: { [path]: POLICY } });
    const next = await joined.sendTo('next', { files: { [path]: OTHER_POLICY, '/etc/other': 'x' } });
    await stories.cluster().untilDone(joined.node.name, next);
    expect(reboots(joined)).toBe(1);
  });

  it('12: another order of the same files needs no action', async () => {
    const joined = await join({ files: { '/etc/a': 'one', '/etc/b': 'two' } });
    const next = await joined.sendTo('next', { files: { '/etc/b': 'two', '/etc/a': 'one' } });
    await stories.cluster().untilDone(joined.node.name, next);
    expect(reboots(joined)).toBe(0);
    expect(joined.node.lines).toContain('I Changes do not require drain, skipping.');
  });

  it('14: a digest-only mirror needs no drain', async () => {
    const path = '/etc/containers/registries.conf';
    const registry = (mirrors: string) => `[[registry]]\nprefix = ""\nlocation = "example.com/a"\n${mirrors}`;
    const mirror = '[[registry.mirror]]\nlocation = "mirror.example/a"\npull-from-mirror = "digest-only"\n';
    const joined = await join({ files: { [path]: registry('') } });
    const next = await joined.sendTo('next', { files: { [path]: registry(mirror) } });
    await stories.cluster().untilDone(joined.node.name, next);
    expect(reboots(joined)).toBe(0);
    expect(joined.node.lines).toContain('I "crio service reloaded successfully!"');
    expect(joined.node.lines.some((line) => line.includes('requesting cordon and drain'))).toBe(false);
  });

  it('15: a file that is removed from the config is replaced by that of the OS, and CA bundles are never removed', async () => {
    const trust = '/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt';
    const joined = await join({ files: { '/etc/chrony.conf': 'ours', '/etc/plain': 'x', [trust]: 'pem' } });
    const { node } = joined;
    const next = await joined.sendTo('next', {});
    await stories.cluster().untilDone(node.name, next);
    expect(await node.text('/etc/chrony.conf')).toBe('pool default\n');
    expect(await node.text('/etc/plain')).toBe(undefined);
    expect(await node.text(trust)).toBe('pem');
    expect(await node.text('/etc/machine-config-daemon/orig/etc/chrony.conf.mcdorig')).toBe(undefined);
    expect(await node.text('/etc/machine-config-daemon/noorig/etc/plain.mcdnoorig')).toBe(undefined);
  });

  it('16: links of an enabled unit do not survive a change of WantedBy', async () => {
    const wantedBy = (target: string) => ({
      contents: `[Service]\nExecStart=/usr/bin/true\n[Install]\nWantedBy=${target}\n`,
    });
    const joined = await join({ units: [aUnit('a.service', '', wantedBy('multi-user.target'))] });
    const { node } = joined;
    const next = await joined.sendTo('next', {
      units: [
        aUnit('a.service', '', wantedBy('graphical.target')),
        { name: 'chronyd.service', dropins: [] },
        { name: 'no-such.service', enabled: true },
      ],
    });
    await stories.cluster().untilDone(node.name, next);
    const { files } = node.machine.host;
    expect(await files.stat('/etc/systemd/system/multi-user.target.wants/a.service')).toBe(undefined);
    expect(await files.stat('/etc/systemd/system/graphical.target.wants/a.service')).toMatchObject({
      kind: 'link',
    });
    // Its enablement is not set: the preset of the OS applies.
    expect(await node.machine.host.units.isEnabled('chronyd.service')).toBe('enabled');
  });

  it('17: kernel arguments keep their order, duplicates and quotes', async () => {
    const first = ['hugepagesz=1G', 'hugepages=4', 'a=1'];
    const second = ['hugepagesz=1G', 'hugepages=2', 'hugepagesz=2M', 'hugepages=2', 'x="a b"'];
    const joined = await join({ kernelArguments: first });
    const next = await joined.sendTo('next', { kernelArguments: second });
    await stories.cluster().untilDone(joined.node.name, next);
    expect(await joined.node.machine.host.os.kernelArguments()).toEqual(['rw', ...second]);
  });

  it('19: after a drain that takes too long the node waits, and then continues', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node } = joined;
    const remove = await lingeringPod(stories.cluster(), node.name);
    const next = await joined.sendTo('next', { files: { '/etc/a': 'two' } });
    const reason = await untilDegraded(joined, /./, 70 * MINUTE);
    expect(reason).toBe(
      `failed to drain node: ${node.name} after 1 hour. Please see machine-config-controller logs for more information`,
    );
    await pass(30 * MINUTE);
    expect(node.lines.filter((line) => line.includes('Starting update from'))).toHaveLength(1);
    await remove();
    await stories.cluster().untilDone(node.name, next, 20 * MINUTE);
    expect(await node.text('/etc/a')).toBe('two');
  });

  it('20: in image mode the image must be booted, and the config keeps its own', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node, first } = joined;
    await annotate(joined, { desiredImage: NEW_OS });
    await stories
      .cluster()
      .until(
        'the image is booted',
        async () => (await stories.cluster().annotation(node.name, 'currentImage')) === NEW_OS,
      );
    await stories.cluster().untilDone(node.name, first);
    expect(await node.text('/etc/machine-config-daemon/currentimage')).toBe(NEW_OS);
    const stored = JSON.parse((await node.text('/etc/machine-config-daemon/currentconfig')) ?? '');
    expect(stored.spec.osImageURL).not.toBe(NEW_OS);
    await node.write('/etc/a', 'by hand');
    await untilDegraded(
      joined,
      new RegExp(`^unexpected on-disk state validating against ${NEW_OS}: content mismatch`),
    );
  });

  it('22: a long reason is cut in the annotation and complete in the MachineConfigNode', async () => {
    const joined = await join();
    const path = `/etc/${`${'x'.repeat(240)}/`.repeat(10)}file`;
    joined.node.disk.addFault({ path: `/rootfs${path}`, code: 'EEXIST', calls: ['rename'] });
    await joined.sendTo('next', { files: { [path]: 'x' } });
    const reason = await untilDegraded(joined, /^rename /);
    expect(reason).toHaveLength(2000);
    expect((await condition(joined, 'NodeDegraded')).length).toBeGreaterThan(2500);
  });

  it('24: a missing kubeconfig is no failure', async () => {
    const joined = await join();
    const next = await joined.sendTo('next', { files: { '/etc/a': 'x' } });
    expect(await joined.node.text('/etc/kubernetes/kubeconfig')).toBe(undefined);
    await stories.cluster().untilDone(joined.node.name, next);
  });

  it('an empty desired image, which the daemon may not remove, holds up no update', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    await annotate(joined, { desiredImage: '' });
    const next = await joined.sendTo('next', { files: { '/etc/a': 'two' } });
    await stories.cluster().untilDone(joined.node.name, next);
  });
});
