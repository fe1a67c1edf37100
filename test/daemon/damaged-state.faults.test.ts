/**
 * The power is cut at every call of the disk with which damaged state is repaired: the next boot finds either what was damaged or what
 * was repaired, and the node ends with its desired config.
 */
import { describe, expect, it } from 'vitest';
import { CURRENT_CONFIG, JOURNAL, JOURNAL_TO } from '../../src/node/daemon/index.ts';
import { aUnit } from './a-config.ts';
import { NO_TIME } from './daemon-node.ts';
import type { JoinedNode } from './joined-node.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const MINUTE = 60_000;
const STATE = '/etc/machine-config-daemon';
/** The repair is over by then; what follows is an update, whose cuts are tested elsewhere. */
const CALLS = 45;
/** By default every third call is cut; `MILLWRIGHT_EVERY_CUT=1` cuts them all. */
const STRIDE = process.env.MILLWRIGHT_EVERY_CUT === '1' ? 1 : 3;

const FIRST = {
  files: { '/etc/a': 'one', '/etc/chrony.conf': 'ours' },
  units: [aUnit('old.service', 'one')],
};
const NEXT = {
  files: { '/etc/a': 'two', '/etc/b': 'new', '/etc/chrony.conf': 'ours' },
  units: [aUnit('new.service', 'two')],
};

type Scene = {
  readonly joined: JoinedNode;
  readonly target: string;
  /** At the end, of /etc/a and /etc/b. */
  readonly texts: readonly (string | undefined)[];
};

async function idle(): Promise<Scene> {
  const joined = await stories.join(FIRST, { durations: NO_TIME, isQuiet: true });
  joined.node.stopDaemon();
  return { joined, target: joined.first, texts: ['one', undefined] };
}

/** All steps are done but the reboot. */
async function midUpdate(): Promise<Scene> {
  const durations = { ...NO_TIME, shutDownMs: 60 * MINUTE };
  const joined = await stories.join(FIRST, { durations, isQuiet: true });
  const { node } = joined;
  await node.write('/etc/b', 'by hand');
  const target = await joined.sendTo('next', NEXT);
  const isQueued = async () => node.lines.includes('I "reboot successful"');
  await stories.cluster().until('the reboot is queued', isQueued);
  node.stopDaemon();
  return { joined, target, texts: ['two', 'new'] };
}

/** The same, and the config is taken back. */
async function takenBack(): Promise<Scene> {
  const { joined } = await midUpdate();
  await stories.cluster().send(joined.node.name, joined.first);
  return { joined, target: joined.first, texts: ['one', 'by hand'] };
}

const inPlaceOf =
  (path: string, kind: 'file' | 'folder') =>
  async ({ joined: { node } }: Scene) => {
    const { files } = node.machine.host;
    await files.removeFolder(path);
    if (kind === 'folder') await files.makeFolder(`${path}/inside`, { mode: 0o755 });
    else await node.write(path, 'in the way');
  };

describe('a power cut while damaged state is repaired', () => {
  it.each<[string, () => Promise<Scene>, (scene: Scene) => Promise<void>]>([
    ['a folder as currentconfig', idle, inPlaceOf(CURRENT_CONFIG, 'folder')],
    ['a broken currentconfig', idle, inPlaceOf(CURRENT_CONFIG, 'file')],
    ['a broken journal without an update', idle, inPlaceOf(JOURNAL, 'file')],
    ['a folder as the journal of an update', takenBack, inPlaceOf(JOURNAL, 'folder')],
    ['a broken journal of an update', takenBack, inPlaceOf(JOURNAL, 'file')],
    ['a folder as a config of an update', midUpdate, inPlaceOf(JOURNAL_TO, 'folder')],
    ['a folder as currentconfig in an update', midUpdate, inPlaceOf(CURRENT_CONFIG, 'folder')],
    ['a file as the folder of originals', idle, inPlaceOf(`${STATE}/orig`, 'file')],
    ['a file as the folder of marks in an update', midUpdate, inPlaceOf(`${STATE}/noorig`, 'file')],
    ['a file as the folder of all state', idle, inPlaceOf(STATE, 'file')],
  ])('loses nothing: %s', async (_, prepare, damage) => {
    const faults: string[] = [];
    for (let call = 1; call <= CALLS; call += STRIDE) {
      const scene = await prepare();
      await damage(scene);
      faults.push(...(await cutAt(scene, call)).map((fault) => `call ${call}: ${fault}`));
      if (faults.length > 0) break;
    }
    expect(faults).toEqual([]);
  });
});

async function cutAt({ joined: { node }, target, texts }: Scene, call: number): Promise<readonly string[]> {
  const { disk, machine } = node;
  disk.planCut({ call, when: call % 4 === 1 ? 'before' : 'within', remains: 'nothing' });
  node.startDaemon();
  const isThere = async () =>
    (await stories.cluster().annotation(node.name, 'currentConfig')) === target &&
    (await stories.cluster().annotation(node.name, 'state')) === 'Done' &&
    (await node.machine.host.files.stat(CURRENT_CONFIG))?.kind === 'file';
  const isOver = async () => !disk.isOn || (await isThere());
  // A node that was done all the time is not over before the cut.
  await stories.pass(5_000);
  await stories
    .cluster()
    .until('cut, or done', isOver, 5 * MINUTE)
    .catch(() => undefined);
  disk.planCut(undefined);
  if (!disk.isOn) {
    machine.cutPower();
    await machine.boot();
  }
  const faults: string[] = [];
  await stories
    .cluster()
    .until('done', isThere, 6 * 60 * MINUTE)
    .catch((error: unknown) => faults.push(`${String(error)}\n${node.lines.slice(-15).join('\n')}`));
  if (faults.length > 0) return faults;
  node.stopDaemon();
  const found = await Promise.all(['/etc/a', '/etc/b'].map((path) => node.text(path)));
  return found.join() === texts.join() ? [] : [`found ${found.join()}, expected ${texts.join()}`];
}
