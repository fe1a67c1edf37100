/**
 * Manual changes to what a config put on the machine: the node reports them, and heals when they are repaired.
 */
import { describe, expect, it } from 'vitest';
import { event as eventKind } from '../../src/kubernetes/types/index.ts';
import { aUnit } from './a-config.ts';
import { NEW_OS } from './daemon-node.ts';
import type { JoinedNode } from './joined-node.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const { join, untilDegraded, condition, pass } = stories;

/** What the config contains, the manual change, the message, and the repair. */
const CHANGES: readonly {
  readonly what: string;
  readonly change: (node: JoinedNode['node']) => Promise<unknown>;
  readonly reason: RegExp;
  readonly mend: (node: JoinedNode['node']) => Promise<unknown>;
}[] = [
  {
    what: 'its contents',
    change: (node) => node.write('/etc/a', 'by hand'),
    reason: /content mismatch for file "\/etc\/a"$/,
    mend: (node) => node.write('/etc/a', 'one'),
  },
  {
    what: 'its mode',
    change: (node) => node.write('/etc/a', 'one', 0o755),
    reason:
      /mode mismatch for file: "\/etc\/a"; expected: -rw-r--r--\/420\/0644; received: -rwxr-xr-x\/493\/0755$/,
    mend: (node) => node.write('/etc/a', 'one'),
  },
  {
    what: 'that it is there',
    change: (node) => node.machine.host.files.remove('/etc/a'),
    reason: /could not stat file "\/etc\/a": lstat \/etc\/a: no such file or directory$/,
    mend: (node) => node.write('/etc/a', 'one'),
  },
  {
    what: 'a unit',
    change: (node) => node.write('/etc/systemd/system/a.service', 'nonsense'),
    reason: /content mismatch for file "\/etc\/systemd\/system\/a\.service"$/,
    mend: async (node) => {
      const { contents } = JSON.parse((await node.text('/etc/machine-config-daemon/currentconfig')) ?? '{}')
        .spec.config.systemd.units[0];
      await node.write('/etc/systemd/system/a.service', contents);
    },
  },
];

describe('a manual change', () => {
  it.each(CHANGES)('is reported at once, and so is its repair: $what', async ({ change, reason, mend }) => {
    const joined = await join({ files: { '/etc/a': 'one' }, units: [aUnit('a.service', 'one')] });
    const { node, first } = joined;
    const before = await node.machine.host.bootId();
    await change(node);
    await untilDegraded(joined, reason, 2_000);
    expect(await condition(joined, 'NodeDegraded')).toMatch(
      /^True NodeDegraded: Node \S+ upgrade failure\. /,
    );
    expect(await condition(joined, 'Updated')).toMatch(/^False/);
    // After a long time the next retry is far away.
    await pass(30 * 60_000);
    expect(await stories.cluster().annotation(node.name, 'reason')).toMatch(
      /^unexpected on-disk state validating against /,
    );
    await mend(node);
    await stories.cluster().untilDone(node.name, first, 3_000);
    expect(await stories.cluster().annotation(node.name, 'reason')).toBe('');
    expect(await node.machine.host.bootId()).toBe(before);
  });

  it('is reported as an event with details, and counted', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node, first } = joined;
    const drift = () =>
      node.metrics.families().find(({ name }) => name === 'mcd_config_drift')?.samples[0]?.value;
    expect(drift()).toBe(0);
    await node.write('/etc/a', 'by hand');
    await untilDegraded(joined, /content mismatch/);
    expect(drift()).toBeGreaterThan(0);
    await pass(60_000);
    const { items } = await stories.cluster().kube.list(eventKind);
    const warnings = items.filter((one) => one.involvedObject?.name === node.name && one.type === 'Warning');
    expect(warnings.map((one) => `${one.reason} ${one.message}`)).toContain(
      'ConfigDriftDetected content mismatch for file "/etc/a" (expected 3 bytes, got 7 bytes)',
    );
    await node.write('/etc/a', 'one');
    await stories.cluster().untilDone(node.name, first);
    expect(drift()).toBe(0);
  });

  it('blocks any other config until it is repaired', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node } = joined;
    await node.write('/etc/a', 'by hand');
    await untilDegraded(joined, /content mismatch/);
    const next = await joined.sendTo('next', { files: { '/etc/a': 'two' } });
    await pass(5 * 60_000);
    expect(await node.text('/etc/a')).toBe('by hand');
    expect((await stories.cluster().node(node.name)).spec.unschedulable ?? false).toBe(false);
    await node.write('/etc/a', 'one');
    await stories.cluster().untilDone(node.name, next);
  });

  it('is ignored outside of the config', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    await joined.node.write('/etc/b', 'whatever');
    await pass(60_000);
    expect(await stories.cluster().annotation(joined.node.name, 'state')).toBe('Done');
  });

  it('is found by the next daemon where none was running', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node } = joined;
    node.stopDaemon();
    await node.write('/etc/a', 'by hand');
    node.startDaemon();
    const reason = await untilDegraded(joined, /content mismatch/);
    expect(reason).toBe(
      `unexpected on-disk state validating against ${joined.first}: content mismatch for file "/etc/a"`,
    );
  });
});

describe('an OS that was booted manually', () => {
  it('is reported as a mismatch until the old one is booted again', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node, first } = joined;
    const { clock } = stories.cluster().env;
    const pivot = async (image: string) => {
      await clock.resolved(node.machine.host.os.rebase(image), 60_000);
      await node.machine.host.reboot('by hand');
      await clock.advance(60_000);
    };
    const old = (await node.machine.host.os.deployments())[0]?.image ?? '';
    await pivot(NEW_OS);
    expect(await untilDegraded(joined, /osImageURL/)).toBe(
      `unexpected on-disk state validating against ${first}: expected target osImageURL "${old}", have "${NEW_OS}"`,
    );
    await pivot(old);
    await stories.cluster().untilDone(node.name, first, 3 * 60_000);
  });
});
