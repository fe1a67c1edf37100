/**
 * One node, its real daemon and the real drain controller: what happens on the machine, and what is reported.
 */
import { describe, expect, it } from 'vitest';
import { FORCE_FILE, machineConfiguration as machineConfigurationKind } from '../../src/api/index.ts';
import { event as eventKind, node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { aUnit, type ConfigParts, OTHER_POLICY, POLICY } from './a-config.ts';
import { GONE_OS, NEW_OS } from './daemon-node.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const { join, condition, untilDegraded, pass, annotate } = stories;
const SETTINGS = {
  apiVersion: 'operator.openshift.io/v1',
  kind: 'MachineConfiguration',
  metadata: { name: 'cluster' },
};
const KEY = 'ssh-ed25519 AAAA someone';

describe('an update that fails', () => {
  it('keeps its first cause during the rollback', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node } = joined;
    node.disk.addFault({ path: '/rootfs/etc/blocked', code: 'EEXIST', calls: ['rename'] });
    await joined.sendTo('bad', { files: { '/etc/a': 'two', '/etc/blocked': 'no' } });
    const reason = await untilDegraded(joined, /^rename \/etc\/\.blocked\d+ \/etc\/blocked: file exists$/);
    expect(await node.text('/etc/a')).toBe('one');
    await pass(4 * 60_000);
    expect(await stories.cluster().annotation(node.name, 'reason')).toMatch(/file exists$/);
    expect(reason).not.toMatch(/on-disk state/);
  });

  it('succeeds within one retry once its cause is gone', async () => {
    const joined = await join();
    const { node } = joined;
    const mend = node.disk.addFault({ path: '/rootfs/etc/blocked', code: 'EEXIST', calls: ['rename'] });
    const next = await joined.sendTo('bad', { files: { '/etc/blocked': 'yes' } });
    await untilDegraded(joined, /file exists$/);
    await pass(10 * 60_000);
    mend();
    await stories.cluster().untilDone(node.name, next, 3 * 60_000);
    expect(await node.text('/etc/blocked')).toBe('yes');
  });

  it('is healed by reverting the config', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node, first } = joined;
    await joined.sendTo('bad', { files: { '/etc/a': 'two' }, osImage: GONE_OS });
    await untilDegraded(
      joined,
      /^Failed to update OS to .* after retries: timed out waiting for the condition; last error: /,
    );
    expect(await condition(joined, 'NodeDegraded')).toMatch(
      /^True NodeDegraded: Node \S+ upgrade failure\. Failed to update OS/,
    );
    await stories.cluster().send(node.name, first);
    await stories.cluster().untilDone(node.name, first);
    expect(await node.text('/etc/a')).toBe('one');
    expect(await condition(joined, 'NodeDegraded')).toMatch(/^False/);
  });

  it('does not count as a failure of the OS where the image appears in time', async () => {
    const joined = await join();
    const next = await joined.sendTo('late', { osImage: GONE_OS });
    await stories
      .cluster()
      .until('the first try', async () => joined.node.lines.some((line) => line.includes('(will retry)')));
    const image = joined.images[NEW_OS];
    if (image !== undefined) joined.images[GONE_OS] = { ...image, digest: `sha256:${'c'.repeat(64)}` };
    await stories.cluster().untilDone(joined.node.name, next);
    expect(joined.node.lines.some((line) => line.includes('Marking Degraded'))).toBe(false);
  });

  it('rolls back when a service cannot be reloaded', async () => {
    const path = '/etc/containers/policy.json';
    const joined = await join({ files: { [path]: POLICY } });
    const { node, first } = joined;
    node.machine.faults.failingUnits.add('crio.service');
    const next = await joined.sendTo('next', { files: { [path]: OTHER_POLICY } });
    const reason = await untilDegraded(joined, /./);
    expect(reason).toMatch(/^could not apply update: reloading crio\.service configuration failed\. Error: /);
    expect(await node.text(path)).toBe(POLICY);
    expect(await node.text('/etc/machine-config-daemon/currentconfig')).toContain(first);
    node.machine.faults.failingUnits.clear();
    await stories.cluster().untilDone(node.name, next);
  });

  it('rolls back when the machine refuses to reboot', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node } = joined;
    node.machine.faults.isRebootRefused = true;
    const next = await joined.sendTo('next', { files: { '/etc/a': 'two' }, osImage: NEW_OS });
    await untilDegraded(joined, /^reboot command failed, something is seriously wrong$/);
    expect(await node.text('/etc/a')).toBe('one');
    expect(
      node.metrics.families().find(({ name }) => name === 'mcd_reboots_failed_total')?.samples[0]?.value,
    ).toBeGreaterThan(0);
    node.machine.faults.isRebootRefused = false;
    await stories.cluster().untilDone(node.name, next);
  });

  it('restores a password that is in no config', async () => {
    const joined = await join({ sshKeys: [KEY] });
    const { node } = joined;
    const { accounts } = node.machine.host;
    await accounts.setPasswordHash('core', '$6$by-hand');
    node.machine.faults.isRebootRefused = true;
    await joined.sendTo('next', { sshKeys: [KEY], passwordHash: '$6$ours', osImage: NEW_OS });
    await stories.cluster().until('it reboots', async () => {
      return node.lines.some((line) => line.includes('Password has been configured'));
    });
    await untilDegraded(joined, /^reboot command failed/);
    expect(await accounts.passwordHash('core')).toBe('$6$by-hand');
    node.machine.faults.isRebootRefused = false;
  });

  it('is Unreconcilable where the node cannot apply the config, and changes nothing', async () => {
    const joined = await join();
    const { node, first } = joined;
    const next = await joined.sendTo('fips', { extra: { fips: true } });
    const reason = await untilDegraded(joined, /FIPS/);
    expect(reason).toMatch(`can't reconcile config ${first} with ${next}: `);
    expect(await stories.cluster().annotation(node.name, 'state')).toBe('Unreconcilable');
    expect(await condition(joined, 'UpdatePrepared')).toMatch(
      /^Unknown UpdatePrepared: Update Failed compatibility validation\./,
    );
    expect((await stories.cluster().node(node.name)).spec.unschedulable ?? false).toBe(false);
    await stories.cluster().send(node.name, first);
    await stories.cluster().untilDone(node.name, first);
  });

  it('names a missing config', async () => {
    const joined = await join();
    await stories.cluster().send(joined.node.name, 'rendered-nowhere');
    await untilDegraded(
      joined,
      /^machineconfig\.machineconfiguration\.openshift\.io "rendered-nowhere" not found$/,
    );
    await stories.cluster().send(joined.node.name, joined.first);
    await stories.cluster().untilDone(joined.node.name, joined.first);
  });
});

describe('an update without a reboot', () => {
  it('writes SSH keys', async () => {
    const joined = await join({ sshKeys: [KEY] });
    const { node } = joined;
    const before = await node.machine.host.bootId();
    const next = await joined.sendTo('keys', { sshKeys: [KEY, `${KEY}-else`] });
    await stories.cluster().untilDone(node.name, next);
    expect(await node.text('/home/core/.ssh/authorized_keys.d/ignition')).toBe(`${KEY}\n${KEY}-else\n`);
    expect(await node.machine.host.files.stat('/home/core/.ssh/authorized_keys.d/ignition')).toMatchObject({
      mode: 0o600,
      owner: { uid: 1000, gid: 1000 },
    });
    expect(await node.machine.host.bootId()).toBe(before);
  });

  it('reloads the service of a policy of the cluster', async () => {
    const { kube } = stories.cluster();
    const settings = {
      ...SETTINGS,
      spec: {
        nodeDisruptionPolicy: {
          files: [
            { path: '/etc/app', actions: [{ type: 'Restart', restart: { serviceName: 'crio.service' } }] },
          ],
        },
      },
    };
    await kube.apply(machineConfigurationKind, settings);
    const joined = await join({ files: { '/etc/app/settings': 'one' } });
    const { node } = joined;
    const next = await joined.sendTo('next', { files: { '/etc/app/settings': 'two' } });
    await stories.cluster().untilDone(node.name, next);
    expect(node.lines).toContain('I "crio.service service restarted successfully!"');
    expect((await node.machine.services()).find(({ name }) => name === 'crio.service')?.starts).toBe(2);
    // /etc/application is not below /etc/app.
    const after = await joined.sendTo('other', {
      files: { '/etc/app/settings': 'two', '/etc/application': 'x' },
    });
    await stories.cluster().untilDone(node.name, after);
    expect(node.lines.filter((line) => line.includes('initiating reboot'))).toHaveLength(1);
  });
});

describe('a change of the desired config', () => {
  it('during the drain requests another drain for the new config', async () => {
    const { lingeringPod } = await import('./joined-node.ts');
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node } = joined;
    const remove = await lingeringPod(stories.cluster(), node.name);
    const second = await joined.sendTo('second', { files: { '/etc/a': 'two' } });
    await stories
      .cluster()
      .until(
        'asked',
        async () => (await stories.cluster().annotation(node.name, 'desiredDrain')) === `drain-${second}`,
      );
    const third = await joined.sendTo('third', { files: { '/etc/a': 'three' } });
    await stories
      .cluster()
      .until(
        'asked anew',
        async () => (await stories.cluster().annotation(node.name, 'desiredDrain')) === `drain-${third}`,
      );
    await remove();
    await stories.cluster().untilDone(node.name, third);
    expect(await node.text('/etc/a')).toBe('three');
    expect(node.lines.some((line) => line.includes(`reboot into config ${second}`))).toBe(false);
  });

  it('while an image cannot be fetched is applied without a failure', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node } = joined;
    await joined.sendTo('second', { files: { '/etc/a': 'two', '/etc/only-second': 'x' }, osImage: GONE_OS });
    await stories
      .cluster()
      .until('the first try', async () => node.lines.some((line) => line.includes('(will retry)')));
    const third = await joined.sendTo('third', { files: { '/etc/a': 'three' } });
    await stories.cluster().untilDone(node.name, third);
    expect(await node.text('/etc/a')).toBe('three');
    expect(await node.text('/etc/only-second')).toBe(undefined);
    expect(node.lines.some((line) => line.includes('Marking Degraded'))).toBe(false);
  });

  it('during the reboot is applied after it', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node } = joined;
    await joined.sendTo('second', { files: { '/etc/a': 'two' } });
    await stories.cluster().until('rebooting', async () => !node.machine.isUp);
    const third = await joined.sendTo('third', { files: { '/etc/a': 'three' } });
    await stories.cluster().untilDone(node.name, third);
    expect(node.lines.filter((line) => line.includes('initiating reboot'))).toHaveLength(2);
    expect(await node.text('/etc/a')).toBe('three');
  });
});

describe('a force file', () => {
  it('makes a node write everything again and reboot, despite manual changes', async () => {
    const joined = await join({ files: { '/etc/a': 'one' }, units: [aUnit('a.service', 'one')] });
    const { node, first } = joined;
    const before = await node.machine.host.bootId();
    await node.write('/etc/a', 'by hand');
    await untilDegraded(joined, /content mismatch for file "\/etc\/a"$/);
    await node.write(FORCE_FILE, '');
    await stories
      .cluster()
      .until('another boot', async () => node.machine.isUp && (await node.machine.host.bootId()) !== before);
    await stories.cluster().untilDone(node.name, first);
    expect(await node.text('/etc/a')).toBe('one');
    expect(await node.text(FORCE_FILE)).toBe(undefined);
    expect(node.lines).toContain(`I Skipping preflight config drift check; ${FORCE_FILE} present`);
  });
});

describe('the daemon', () => {
  it('emits the events of upstream', async () => {
    const joined = await join();
    const next = await joined.sendTo('next', { files: { '/etc/a': 'x' }, osImage: NEW_OS });
    await stories.cluster().untilDone(joined.node.name, next);
    await pass(60_000);
    const { items } = await stories.cluster().kube.list(eventKind);
    const reasons = new Set(
      items.filter((one) => one.involvedObject?.name === joined.node.name).map((one) => one.reason),
    );
    for (const reason of [
      'AddSigtermProtection',
      'RemoveSigtermProtection',
      'Cordon',
      'Drain',
      'OSUpdateStarted',
      'OSUpdateStaged',
      'OSUpgradeApplied',
      'InClusterUpgrade',
      'Reboot',
      'Uncordon',
      'NodeDone',
    ]) {
      expect(reasons).toContain(reason);
    }
  });

  it.each<[string, ConfigParts, boolean]>([
    ['succeeds', { sshKeys: ['ssh-ed25519 AAAA one'] }, true],
    ['fails', { files: { '/etc/containers/policy.json': POLICY } }, false],
  ])(
    'says when an update that %s is protected from SIGTERM, and when it no longer is',
    async (_, parts, succeeds) => {
      const joined = await join();
      joined.node.machine.faults.failingUnits.add('crio.service');
      const next = await joined.sendTo('next', parts);
      if (succeeds) await stories.cluster().untilDone(joined.node.name, next);
      else await untilDegraded(joined, /crio/);
      await pass(500);
      const { items } = await stories.cluster().kube.list(eventKind, {
        namespace: 'openshift-machine-config-operator',
        fieldSelector: `involvedObject.name=${joined.node.name}`,
      });
      const protection = items.filter(({ reason = '' }) => reason.includes('Sigterm'));
      expect(protection.map(({ type, reason, message }) => `${type} ${reason}: ${message}`).sort()).toEqual([
        'Normal AddSigtermProtection: Adding SIGTERM protection',
        'Normal RemoveSigtermProtection: Removing SIGTERM protection',
      ]);
    },
  );

  it('stops when its Node is deleted, and continues when it is recreated', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node, first } = joined;
    const { kube } = stories.cluster();
    await kube.delete(nodeKind, { name: node.name });
    await pass(5_000);
    await kube.create(nodeKind, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: node.name },
      spec: {},
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
    await stories.cluster().untilDone(node.name, first);
    expect(await stories.cluster().annotation(node.name, 'desiredConfig')).toBe(first);
  });

  it('writes nothing while nothing changes', async () => {
    const joined = await join();
    const { name } = joined.node;
    const version = async () => [
      (await stories.cluster().node(name)).metadata.resourceVersion,
      (await stories.cluster().machineConfigNode(name)).metadata.resourceVersion,
    ];
    await pass(60_000);
    const before = await version();
    joined.node.restartDaemon();
    await annotate(joined, { 'some-other-word': 'x' });
    await annotate(joined, { 'some-other-word': null });
    const afterwards = await version();
    await pass(10 * 60_000);
    expect(await version()).toEqual(afterwards);
    expect(afterwards[1]).toBe(before[1]);
  });
});
