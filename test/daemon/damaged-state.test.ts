/**
 * State files of the daemon that something else has damaged: they are rebuilt where it is certain what they said, with an event;
 * where it is not, the node degrades and names the command that mends it.
 */
import { describe, expect, it } from 'vitest';
import { FORCE_FILE } from '../../src/api/index.ts';
import { event as eventKind } from '../../src/kubernetes/types/index.ts';
import {
  BACKUPS,
  CURRENT_CONFIG,
  INITIAL_ANNOTATIONS,
  JOURNAL,
  JOURNAL_FROM,
  JOURNAL_TO,
} from '../../src/node/daemon/index.ts';
import { aConfig, aUnit, type ConfigParts } from './a-config.ts';
import { createDaemonNode, NEW_OS, OLD_OS, osImages } from './daemon-node.ts';
import { type JoinedNode, lingeringPod } from './joined-node.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const { join, untilDegraded, annotate, pass } = stories;
const cluster = () => stories.cluster();
const MINUTE = 60_000;
const STATE = '/etc/machine-config-daemon';
const CURRENT_IMAGE = `${STATE}/currentimage`;
const FORCE = `millwright retry --force, or touch ${FORCE_FILE} on the node`;

type Damage = (joined: JoinedNode, path: string) => Promise<void>;
const written =
  (text: string): Damage =>
  ({ node }, path) =>
    node.write(path, text);
const folder: Damage = async ({ node }, path) => {
  const { files } = node.machine.host;
  await files.removeFolder(path);
  await files.makeFolder(`${path}/inside`, { mode: 0o755 });
};
const truncated: Damage = async ({ node }, path) => {
  const text = (await node.text(path)) ?? '';
  await node.write(path, text.slice(0, Math.floor(text.length / 2)));
};
const circle: Damage = async ({ node }, path) => {
  await node.machine.host.files.removeFolder(path);
  await node.machine.host.files.link(path, path.slice(path.lastIndexOf('/') + 1));
};
const DAMAGES: readonly [string, Damage][] = [
  ['truncated', truncated],
  ['empty', written('')],
  ['no JSON', written('\0\x01garbage')],
  ['another object', written('{"kind":"Pod","metadata":{}}')],
  ['null', written('null')],
  ['a folder', folder],
  ['a circular link', circle],
];

/** Damages the disk while no daemon runs. */
async function whileStopped(joined: JoinedNode, change: () => Promise<unknown>): Promise<void> {
  joined.node.stopDaemon();
  await pass(1_000);
  await change();
  joined.node.startDaemon();
}

const repairs = async ({ node }: JoinedNode) => {
  const { items } = await cluster().kube.list(eventKind, { namespace: 'default' });
  return items
    .filter(
      ({ reason, involvedObject }) => reason === 'DaemonStateRepaired' && involvedObject.name === node.name,
    )
    .map(({ message = '' }) => message);
};
const untilRepaired = async (joined: JoinedNode, text: RegExp) => {
  await cluster().until(`${text} is reported`, async () =>
    (await repairs(joined)).some((one) => text.test(one)),
  );
};
const storedName = async ({ node }: JoinedNode) =>
  JSON.parse((await node.text(CURRENT_CONFIG)) ?? '{}').metadata?.name;
const bootedImage = async ({ node }: JoinedNode) =>
  (await node.machine.host.os.deployments()).find(({ isBooted }) => isBooted)?.image;
const state = ({ node }: JoinedNode) => cluster().annotation(node.name, 'state');

/** The node is in order: nothing is left, and it follows the next config and the one after that. */
async function expectUsable(joined: JoinedNode, word = 'later'): Promise<void> {
  const { node, first } = joined;
  const later = await joined.sendTo(word, { files: { '/etc/a': word } });
  await cluster().untilDone(node.name, later);
  await cluster().send(node.name, first);
  await cluster().untilDone(node.name, first);
  for (const path of [JOURNAL, JOURNAL_FROM, JOURNAL_TO, BACKUPS]) {
    expect([path, await node.machine.host.files.stat(path)]).toEqual([path, undefined]);
  }
}

describe('a damaged currentconfig', () => {
  it.each(DAMAGES)('that is %s is rebuilt where the disk matches what the Node names', async (_, damage) => {
    const joined = await join({ files: { '/etc/a': 'one', '/etc/chrony.conf': 'ours' } });
    await whileStopped(joined, () => damage(joined, CURRENT_CONFIG));
    await untilRepaired(
      joined,
      /currentconfig.* it was rebuilt from rendered-.*-first, which the Node names and the disk matches; the damaged state is kept in \/etc\/machine-config-daemon\/damaged$/,
    );
    expect(await storedName(joined)).toBe(joined.first);
    expect(await joined.node.machine.host.files.stat(`${STATE}/damaged/currentconfig`)).toBeDefined();
    expect(await state(joined)).toBe('Done');
    await expectUsable(joined);
  });

  it('that is missing is rebuilt as well', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    await whileStopped(joined, () => joined.node.machine.host.files.remove(CURRENT_CONFIG));
    await untilRepaired(joined, /currentconfig is missing; it was rebuilt/);
    expect(await storedName(joined)).toBe(joined.first);
    await expectUsable(joined);
  });

  it('is not guessed where the disk does not match, and the force file mends it', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node, first } = joined;
    await whileStopped(joined, async () => {
      await truncated(joined, CURRENT_CONFIG);
      await node.write('/etc/a', 'by hand');
    });
    const reason = await untilDegraded(joined, /currentconfig cannot be read/);
    expect(reason).toBe(
      `${CURRENT_CONFIG} cannot be read: it is not JSON; the node should have ${first}, but content mismatch for file "/etc/a"; to apply the desired config in full, whatever is there: ${FORCE}`,
    );
    await pass(5 * MINUTE);
    expect(await node.text('/etc/a')).toBe('by hand');
    await node.write(FORCE_FILE, '');
    await cluster().untilDone(node.name, first);
    expect(await node.text('/etc/a')).toBe('one');
    await expectUsable(joined);
  });

  it('is not guessed where the Node does not say which config it has', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node, first } = joined;
    await whileStopped(joined, async () => {
      await truncated(joined, CURRENT_CONFIG);
      await annotate(joined, { currentConfig: null, desiredConfig: null, state: null });
    });
    await untilDegraded(joined, /which config the node has is unknown; .*machine-config-daemon-force/);
    await node.write(FORCE_FILE, '');
    await cluster().until(
      'it has the empty config',
      async () => (await cluster().annotation(node.name, 'currentConfig')) !== '',
    );
    await cluster().send(node.name, first);
    await cluster().untilDone(node.name, first);
    expect(await storedName(joined)).toBe(first);
    await expectUsable(joined);
  });

  it('is not guessed where the cluster does not have the config any more', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    await whileStopped(joined, async () => {
      await truncated(joined, CURRENT_CONFIG);
      await annotate(joined, { currentConfig: 'rendered-worker-gone' });
    });
    await untilDegraded(joined, /which config the node has is unknown/);
  });

  it.each<[string, Damage]>([
    ['a folder', folder],
    ['several words', written('no image of any kind\n')],
    ['much', written('x'.repeat(5000))],
  ])('with an image that is %s gets the one that the Node names', async (_, damage) => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    await whileStopped(joined, () => damage(joined, CURRENT_IMAGE));
    await untilRepaired(joined, /currentimage.* it was rebuilt from rendered-.*-first/);
    expect(await joined.node.machine.host.files.stat(CURRENT_IMAGE)).toBe(undefined);
    await expectUsable(joined);
  });

  it('is restored from the update in progress', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node } = joined;
    const release = await lingeringPod(cluster(), node.name);
    const next = await joined.sendTo('next', { files: { '/etc/a': 'two' } });
    await cluster().until('it waits', async () => (await node.text(JOURNAL)) !== undefined);
    await whileStopped(joined, () => folder(joined, CURRENT_CONFIG));
    await untilRepaired(
      joined,
      /it was rebuilt from rendered-.*-first of the update in progress, which goes on/,
    );
    expect(await storedName(joined)).toBe(joined.first);
    await release();
    await cluster().untilDone(node.name, next);
    await expectUsable(joined);
  });
});

/** A node in the middle of an update: its daemon is stopped. */
async function midUpdate(phase: 'draining' | 'rebooting' | 'booted', first: ConfigParts, next: ConfigParts) {
  const joined = await join(first, phase === 'draining' ? {} : { durations: { shutDownMs: 60 * MINUTE } });
  const { node } = joined;
  const release = phase === 'draining' ? await lingeringPod(cluster(), node.name) : async () => undefined;
  const target = await joined.sendTo('next', next);
  if (phase === 'draining') {
    await cluster().until('it drains', async () => (await node.text(JOURNAL)) !== undefined);
  } else {
    await cluster().until('the reboot is queued', async () => node.lines.includes('I "reboot successful"'));
  }
  node.stopDaemon();
  await pass(1_000);
  if (phase === 'booted') {
    await node.machine.shutDown();
    await node.machine.boot();
  }
  return { joined, target, release };
}

/** The update runs again after its rollback; reboots of this machine take an hour. */
async function untilThere({ node }: JoinedNode, target: string): Promise<void> {
  await cluster().untilDone(node.name, target, 12 * 60 * MINUTE);
}

const FIRST: ConfigParts = {
  files: { '/etc/a': 'one', '/etc/chrony.conf': 'ours', '/etc/gone': 'x' },
  units: [aUnit('old.service', 'one')],
  sshKeys: ['ssh-ed25519 one'],
  passwordHash: '$6$one',
};
const NEXT: ConfigParts = {
  files: { '/etc/a': 'two', '/etc/b': 'new', '/etc/by-hand': 'ours' },
  units: [aUnit('new.service', 'two')],
  sshKeys: ['ssh-ed25519 two'],
  passwordHash: '$6$two',
};

describe('a damaged journal', () => {
  const phases = ['draining', 'rebooting', 'booted'] as const;
  const cases = phases.flatMap((phase) =>
    DAMAGES.filter(([name]) => ['truncated', 'a folder', 'another object'].includes(name)).map(
      ([name, damage]) => [name, phase, damage] as const,
    ),
  );
  it.each(cases)(
    'that is %s while a node is %s leads to a rollback, and the update runs again',
    async (_, phase, damage) => {
      const { joined, target, release } = await midUpdate(phase, FIRST, NEXT);
      const { node } = joined;
      await damage(joined, JOURNAL);
      node.startDaemon();
      await untilRepaired(
        joined,
        /journal\.json.* the update to rendered-.*-next is rolled back, and tried again/,
      );
      await release();
      await untilThere(joined, target);
      expect(await node.text('/etc/b')).toBe('new');
      expect(await node.machine.host.accounts.passwordHash('core')).toBe('$6$two');
      await cluster().send(node.name, joined.first);
      await untilThere(joined, joined.first);
      for (const path of ['/etc/b', '/etc/by-hand']) expect(await node.text(path)).toBe(undefined);
    },
  );

  it('does not lose what the update had overwritten', async () => {
    const joined = await join(FIRST, { durations: { shutDownMs: 60 * MINUTE } });
    const { node, first } = joined;
    await node.write('/etc/by-hand', 'mine');
    await joined.sendTo('next', NEXT);
    await cluster().until('the reboot is queued', async () => node.lines.includes('I "reboot successful"'));
    expect(await node.text('/etc/by-hand')).toBe('ours');
    await whileStopped(joined, async () => {
      await truncated(joined, JOURNAL);
      await cluster().send(node.name, first);
    });
    await cluster().untilDone(node.name, first);
    expect(await node.text('/etc/by-hand')).toBe('mine');
    expect(await node.text('/etc/a')).toBe('one');
    expect(await node.text('/etc/gone')).toBe('x');
    expect(await node.text('/etc/b')).toBe(undefined);
    expect(await node.machine.host.accounts.passwordHash('core')).toBe('$6$one');
    expect(await node.machine.host.units.isEnabled('old.service')).toBe('enabled');
    expect(await node.machine.host.units.isKnown('new.service')).toBe(false);
  });

  it.each<[string, ConfigParts]>([
    ['another OS', { ...NEXT, osImage: NEW_OS }],
    ['other kernel arguments', { ...NEXT, kernelArguments: ['a=2'] }],
    ['both', { ...NEXT, osImage: NEW_OS, kernelArguments: ['a=2'] }],
  ])('after a boot into %s leads back to the OS before', async (_, next) => {
    const first = { ...FIRST, kernelArguments: ['a=1'] };
    const { joined } = await midUpdate('booted', first, next);
    const { node } = joined;
    await truncated(joined, JOURNAL);
    await cluster().send(node.name, joined.first);
    node.startDaemon();
    await untilThere(joined, joined.first);
    expect(await bootedImage(joined)).toBe(OLD_OS);
    expect(await node.machine.host.os.kernelArguments()).toEqual(['rw', 'a=1']);
    expect(await node.text('/etc/a')).toBe('one');
  });

  it('before a boot restores no kernel argument twice', async () => {
    const { joined } = await midUpdate(
      'rebooting',
      { ...FIRST, kernelArguments: ['a=1'] },
      { ...NEXT, kernelArguments: ['a=2'] },
    );
    const { node } = joined;
    await truncated(joined, JOURNAL);
    await cluster().send(node.name, joined.first);
    node.startDaemon();
    await cluster().untilDone(node.name, joined.first);
    expect(await node.machine.host.os.kernelArguments()).toEqual(['rw', 'a=1']);
    expect((await node.machine.host.os.deployments()).some(({ isStaged }) => isStaged)).toBe(false);
  });

  it.each(DAMAGES)('that is %s without an update is moved out of the way', async (_, damage) => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    await whileStopped(joined, () => damage(joined, JOURNAL));
    await untilRepaired(
      joined,
      /journal\.json.* no update was in progress, and the disk matches the current config/,
    );
    expect(await state(joined)).toBe('Done');
    await expectUsable(joined);
  });

  it('whose configs are damaged too is not guessed, and the force file mends it', async () => {
    const { joined, target, release } = await midUpdate('draining', FIRST, NEXT);
    const { node } = joined;
    await truncated(joined, JOURNAL);
    await folder(joined, JOURNAL_FROM);
    node.startDaemon();
    await untilDegraded(
      joined,
      /an update was in progress, and its configs cannot be read either; to apply the desired config in full, whatever is there: millwright retry --force, or touch/,
    );
    await release();
    await node.write(FORCE_FILE, '');
    await cluster().untilDone(node.name, target);
    await expectUsable(joined);
  });
});

describe('a damaged config of the update in progress', () => {
  const places = [JOURNAL_FROM, JOURNAL_TO].flatMap((path) =>
    (['draining', 'rebooting', 'booted'] as const).map((phase) => [path, phase] as const),
  );
  it.each(places)('at %s while the node is %s is fetched, and the update completes', async (path, phase) => {
    const { joined, target, release } = await midUpdate(phase, FIRST, NEXT);
    const { node } = joined;
    await (phase === 'booted' ? folder : truncated)(joined, path);
    node.startDaemon();
    await untilRepaired(
      joined,
      phase === 'draining'
        ? /had changed nothing yet, and starts again/
        : /it was rebuilt from the config of that name, and the update goes on/,
    );
    await release();
    await untilThere(joined, target);
    expect(await node.text('/etc/b')).toBe('new');
    await cluster().send(node.name, joined.first);
    await untilThere(joined, joined.first);
    expect(await node.text('/etc/gone')).toBe('x');
  });

  it('that is another config is noticed', async () => {
    const { joined, target } = await midUpdate('rebooting', FIRST, NEXT);
    const { node } = joined;
    await node.machine.host.files.copy(JOURNAL_FROM, JOURNAL_TO);
    node.startDaemon();
    await untilRepaired(
      joined,
      /journal-to\.json cannot be read: it is rendered-.*-first, not rendered-.*-next/,
    );
    await untilThere(joined, target);
  });
});

describe('damaged copies of the OS’s own files', () => {
  it.each([
    ['a file in the place of the folder of copies', `${STATE}/orig`],
    ['a file in the place of a folder within', `${STATE}/orig/etc`],
    ['a file in the place of the folder of marks', `${STATE}/noorig`],
  ])('are made again: %s', async (_, path) => {
    const joined = await join({ files: { '/etc/a': 'one', '/etc/chrony.conf': 'ours', '/etc/b': 'ours' } });
    const { node } = joined;
    await whileStopped(joined, async () => {
      await node.machine.host.files.removeFolder(path);
      await node.write(path, 'in the way');
    });
    await untilRepaired(
      joined,
      new RegExp(`^${path} cannot be read; the OS's own files were copied again from its defaults`),
    );
    expect(await node.text(`${STATE}/orig/etc/chrony.conf.mcdorig`)).toBe('pool default\n');
    expect(await node.text(`${STATE}/noorig/etc/b.mcdnoorig`)).toBe('');
    const next = await joined.sendTo('next', { files: { '/etc/a': 'one' } });
    await cluster().untilDone(node.name, next);
    expect(await node.text('/etc/chrony.conf')).toBe('pool default\n');
    expect(await node.text('/etc/b')).toBe(undefined);
  });

  it.each([`${STATE}/orig/etc/chrony.conf.mcdorig`, `${STATE}/noorig/etc/b.mcdnoorig`])(
    'are made again: a folder in the place of %s',
    async (path) => {
      const joined = await join({ files: { '/etc/chrony.conf': 'ours', '/etc/b': 'ours' } });
      const { node } = joined;
      await whileStopped(joined, () => folder(joined, path));
      await untilRepaired(joined, /were copied again/);
      const next = await joined.sendTo('next', { files: { '/etc/a': 'x' } });
      await cluster().untilDone(node.name, next);
      expect(await node.text('/etc/chrony.conf')).toBe('pool default\n');
      expect(await node.text('/etc/b')).toBe(undefined);
    },
  );

  it('do not stop an update where a file is in the place of its backups', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    await whileStopped(joined, () => joined.node.write(BACKUPS, 'in the way'));
    await expectUsable(joined);
  });
});

describe('a file in the place of the daemon’s folder', () => {
  it('is moved out of the way, and the state rebuilt', async () => {
    const joined = await join({ files: { '/etc/a': 'one', '/etc/chrony.conf': 'ours' } });
    const { node } = joined;
    await whileStopped(joined, async () => {
      await node.machine.host.files.removeFolder(STATE);
      await node.write(STATE, 'in the way');
    });
    await untilRepaired(
      joined,
      /^\/etc\/machine-config-daemon is no folder; a new folder takes its place; the damaged state is kept in \/etc\/machine-config-daemon-damaged$/,
    );
    await untilRepaired(joined, /currentconfig is missing; it was rebuilt/);
    await expectUsable(joined);
  });
});

describe('damaged initial annotations', () => {
  const installed = async (name: string, text: string) => {
    await cluster().addNode(name);
    const node = await createDaemonNode({ ...cluster(), name, images: osImages(), image: OLD_OS });
    await node.write(INITIAL_ANNOTATIONS, text);
    node.startDaemon();
    return { node, first: '', images: {}, sendTo: async () => '' } satisfies JoinedNode;
  };

  it('are not guessed on a new machine, and the force file has its pool’s config applied', async () => {
    const joined = await installed('nameless', '["no"]');
    const { node } = joined;
    const reason = await untilDegraded(joined, /node-annotations\.json cannot be read/);
    expect(reason).toBe(
      `${INITIAL_ANNOTATIONS} cannot be read: it is no map of texts that names a config; with which config the machine was installed is unknown; to apply the desired config in full, whatever is there: ${FORCE}`,
    );
    await node.write(FORCE_FILE, '');
    await cluster().until(
      'it has the empty config',
      async () => (await cluster().annotation(node.name, 'currentConfig')) === 'mco-empty-mc',
    );
    await cluster().addConfig(aConfig('rendered-nameless', { files: { '/etc/a': 'x' } }));
    await cluster().send(node.name, 'rendered-nameless');
    await cluster().untilDone(node.name, 'rendered-nameless');
    expect(await node.text('/etc/a')).toBe('x');
    node.stopDaemon();
  });

  it('are not needed where the disk has the config', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    await whileStopped(joined, async () => {
      await joined.node.write(INITIAL_ANNOTATIONS, '{');
      await annotate(joined, { currentConfig: null, desiredConfig: null, state: null });
    });
    await untilRepaired(joined, /node-annotations\.json.* the node has joined with the config on its disk/);
    await cluster().untilDone(joined.node.name, joined.first);
    await expectUsable(joined);
  });

  it.each(DAMAGES)('that are %s do not matter where the Node has annotations', async (_, damage) => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    await whileStopped(joined, () => damage(joined, INITIAL_ANNOTATIONS));
    await cluster().until(
      'it has joined again',
      async () => (await joined.node.machine.host.files.stat(INITIAL_ANNOTATIONS)) === undefined,
    );
    await cluster().untilDone(joined.node.name, joined.first);
    expect(joined.node.lines.some((line) => line.includes('Marking Degraded'))).toBe(false);
    await expectUsable(joined);
  });
});

describe('folders in the place of files that a daemon removes', () => {
  it.each([
    '/etc/systemd/system-preset/20-ignition.preset',
    '/etc/ignition-machine-config-encapsulated.json',
    '/etc/ignition-machine-config-encapsulated.json.bak',
    `${STATE}/node-annotation.json.bak`,
    JOURNAL_FROM,
    JOURNAL_TO,
    `${STATE}/retried`,
    FORCE_FILE,
  ])('do not stop it: %s', async (path) => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node } = joined;
    await whileStopped(joined, async () => {
      await folder(joined, path);
      if (path.endsWith('.bak')) await node.write('/etc/ignition-machine-config-encapsulated.json', '{}');
    });
    await expectUsable(joined);
    expect(node.lines.some((line) => line.startsWith('F '))).toBe(false);
  });
});
