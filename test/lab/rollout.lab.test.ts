/** Rollouts on small real machines: they boot their desired configs, report failures, and heal. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { type Lab, startLab } from './lab.ts';
import {
  aConfig,
  change,
  eventually,
  mostDown,
  nodeAnnotation,
  nodeCondition,
  output,
  poolCondition,
  target,
  untilUpdated,
} from './lab-actions.ts';
import type { Machine } from './machine.ts';
import { whatTheLabLacks } from './needs.ts';
import { BOOT_LOG } from './os-files.ts';

const lacks = await whatTheLabLacks();
const NAMES = ['worker-0', 'worker-1'];

describe.skipIf(lacks !== undefined)(
  `machines of the lab${lacks === undefined ? '' : ` (${lacks.unavailable})`}`,
  () => {
    let lab: Lab;

    beforeAll(async () => {
      lab = await startLab(NAMES);
      await Promise.all(lab.machines.map((machine) => machine.start()));
    });

    afterAll(async () => {
      await lab?.stop();
    });

    it('apply the first config of their pool', async () => {
      await eventually(lab, 'the pool has a config', async () => (await target(lab)) !== '');
      const first = await target(lab);
      await untilUpdated(lab);
      for (const machine of lab.machines) {
        expect(await nodeAnnotation(lab, machine.name, 'currentConfig')).toBe(first);
        expect(await output(machine, 'systemctl', 'is-enabled', 'kubelet.service')).toBe('enabled');
        expect(await output(machine, 'systemctl', 'is-active', 'kubelet.service')).toBe('active');
      }
    });

    it('reboot one at a time into a new OS with a file, a unit and a kernel argument', async () => {
      const since = lab.machines.map(({ history }) => history.length);
      const boots = lab.machines.map((machine) => machine.boots);
      const bootIds = await Promise.all(lab.machines.map(bootId));
      await change(lab, storyConfig(lab));
      expect(await untilUpdated(lab)).toBe(1);
      expect(mostDown(lab.machines, since)).toBe(1);
      for (const [index, machine] of lab.machines.entries()) {
        expect(machine.boots).toBe((boots[index] ?? 0) + 1);
        expect(await bootId(machine)).not.toBe(bootIds[index]);
        expect(await output(machine, 'cat', '/usr/share/lab/version')).toBe('2.0');
        expect(await output(machine, 'cat', '/etc/story')).toBe('once upon a time');
        expect(await output(machine, 'systemctl', 'is-active', 'story.service')).toBe('active');
        expect(await output(machine, 'cat', '/run/story')).toBe('applied');
        expect((await output(machine, 'cat', '/proc/cmdline')).split(' ')).toContain('story=applied');
        expect((await output(machine, 'rpm-ostree', 'kargs')).split(' ')).toContain('story=applied');
        await expectBothDeployments(lab, machine);
        await expectInService(lab, machine);
      }
    });

    it('report a unit that cannot be enabled, and recover when it is reverted', async () => {
      const before = await target(lab);
      const broken = '[Service]\nExecStart=/bin/true\n[Install]\nAlias=broken.mount\n';
      await change(
        lab,
        aConfig('60-broken', { files: { '/etc/half': 'done' }, units: { 'broken.service': broken } }),
      );
      await eventually(lab, 'a node is degraded', async () =>
        /^True/.test(await poolCondition(lab, 'NodeDegraded')),
      );
      const failure =
        'error enabling units: Failed to enable unit: Cannot alias broken.service as broken.mount.';
      expect(await poolCondition(lab, 'NodeDegraded')).toContain(failure);
      expect(await change(lab, { remove: '60-broken' })).toBe(before);
      await untilUpdated(lab);
      for (const machine of lab.machines) {
        await expectInService(lab, machine);
        const left = 'ls -d /etc/half /etc/systemd/system/broken.*';
        expect((await machine.run(['sh', '-c', left], { allowsFailure: true })).stdout).toBe('');
      }
    });

    it('report a missing image, and recover when it is reverted', async () => {
      const before = await target(lab);
      const boots = lab.machines.map((machine) => machine.boots);
      const image = `${lab.repository}@sha256:${'0'.repeat(64)}`;
      await change(lab, aConfig('60-missing', { osImageURL: image }));
      const failure = `Failed to update OS to ${image} after retries: timed out waiting for the condition`;
      await eventually(lab, 'a node is degraded', async () =>
        /^True/.test(await poolCondition(lab, 'NodeDegraded')),
      );
      expect(await poolCondition(lab, 'NodeDegraded')).toContain(failure);
      const reason = `reading manifest sha256:${'0'.repeat(64)} in ${lab.repository}: manifest unknown`;
      expect(await poolCondition(lab, 'NodeDegraded')).toContain(reason);
      // It is fetched before the drain.
      for (const { name } of lab.machines) {
        const node = await lab.controlPlane.kube.get(nodeKind, { name });
        expect([name, node?.spec.unschedulable ?? false]).toEqual([name, false]);
      }
      expect(await change(lab, { remove: '60-missing' })).toBe(before);
      await untilUpdated(lab);
      expect(lab.machines.map((machine) => machine.boots)).toEqual(boots);
      for (const machine of lab.machines) await expectInService(lab, machine);
    });

    it.each([
      ['while it pulls its OS', ['pgrep', '-x', 'skopeo']],
      ['while its OS is staged', ['test', '-e', '/run/ostree/staged-deployment']],
    ])('converge when the power of one is cut %s', async (when, isNow) => {
      const before = await output(first(lab), 'cat', '/usr/share/lab/version');
      const version = before === '2.0' ? '1.0' : '2.0';
      await change(
        lab,
        aConfig('50-story', { osImageURL: lab.image(version), files: { '/etc/story': when } }),
      );
      const victim = await firstOf(lab, isNow);
      await victim.cutPower();
      await victim.start();
      // The new OS was not finalized: the machine boots the previous one.
      expect(await output(victim, 'cat', '/usr/share/lab/version')).toBe(before);
      await untilUpdated(lab);
      for (const machine of lab.machines) {
        expect(await output(machine, 'cat', '/usr/share/lab/version')).toBe(version);
        expect(await output(machine, 'cat', '/etc/story')).toBe(when);
        // Files that only the previous config had are gone.
        expect(await output(machine, 'cat', '/proc/cmdline')).not.toContain('story=applied');
        const unit = await machine.run(['systemctl', 'is-active', 'story.service'], { allowsFailure: true });
        expect(unit.stdout.trim()).toBe('inactive');
        await expectInService(lab, machine);
      }
    });
  },
);

function first({ machines: [machine] }: Lab): Machine {
  if (machine === undefined) throw new Error('there is no machine');
  return machine;
}

/** The first machine on which a command succeeds. */
async function firstOf(lab: Lab, command: readonly string[]): Promise<Machine> {
  let found: Machine | undefined;
  await eventually(lab, `${command.join(' ')} succeeds on a machine`, async () => {
    for (const machine of lab.machines) {
      const { exitCode } = await machine
        .run(command, { allowsFailure: true })
        .catch(() => ({ exitCode: -1 }));
      if (exitCode === 0) found = machine;
    }
    return found !== undefined;
  });
  return found ?? first(lab);
}

const STORY_UNIT = `[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c 'echo applied >/run/story'

[Install]
WantedBy=multi-user.target
`;

function storyConfig(lab: Lab) {
  return aConfig('50-story', {
    osImageURL: lab.image('2.0'),
    kernelArguments: ['story=applied'],
    files: { '/etc/story': 'once upon a time' },
    units: { 'story.service': STORY_UNIT },
  });
}

function bootId(machine: Machine): Promise<string> {
  return output(machine, 'cat', '/proc/sys/kernel/random/boot_id');
}

/** The output of `rpm-ostree status` after the boot, before the daemon started. */
async function expectBothDeployments(lab: Lab, machine: Machine): Promise<void> {
  const status = (await machine.readVar(BOOT_LOG)).split('State: idle').at(-1) ?? '';
  const rows = status.split('\n').filter((row) => row.includes('ostree-unverified-registry:'));
  expect(rows).toEqual([
    `* ostree-unverified-registry:${lab.image('2.0')}`,
    `  ostree-unverified-registry:${lab.image('1.0')}`,
  ]);
}

/** The machine has the config of its pool, and reports it. */
async function expectInService(lab: Lab, { name }: Machine): Promise<void> {
  const node = await lab.controlPlane.kube.get(nodeKind, { name });
  expect(node?.spec.unschedulable ?? false).toBe(false);
  expect(await nodeAnnotation(lab, name, 'state')).toBe('Done');
  expect(await nodeAnnotation(lab, name, 'reason')).toBe('');
  expect(await nodeAnnotation(lab, name, 'currentConfig')).toBe(await target(lab));
  // It is written after the Node, which the status of the pool depends on.
  const isUpdated = async () => (await nodeCondition(lab, name, 'Updated')).startsWith('True');
  await eventually(lab, `the MachineConfigNode of ${name} is Updated`, isUpdated);
  expect(await nodeCondition(lab, name, 'NodeDegraded')).toMatch(/^False/);
}
