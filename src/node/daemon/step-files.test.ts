/** The step that writes files, and its undo, on a disk in memory and on a real file system. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { problem, sceneFor, textAt } from '../../../test/host/contract-fixtures.ts';
import { sandboxScene } from '../../../test/host/sandbox-scene.ts';
import { aNodeConfig } from '../../../test/support/a-node-config.ts';
import { aFile } from '../../../test/support/build.ts';
import { seededRandom } from '../../../test/support/virtual-env.ts';
import { systemClock } from '../../base/env.ts';
import { createDirectoryDisk } from '../../embedded/sandbox/directory-node.ts';
import { createMemoryDisk } from '../../embedded/sandbox/index.ts';
import type { HostScene } from '../host/contract.ts';
import { createDaemonLog } from './context.ts';
import { removeJournalFiles } from './open-journal.ts';
import { prepareFiles, undoFiles, writeFiles } from './step-files.ts';

const ROOTS: readonly [string, () => Promise<HostScene>][] = [
  ['in memory', () => sandboxScene({ disk: createMemoryDisk() })],
  [
    'on a real file system',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'millwright-files-'));
      return await sandboxScene({
        disk: createDirectoryDisk({ folder, random: seededRandom(3) }),
        close: () => rm(folder, { recursive: true, force: true }),
      });
    },
  ],
];

const LONG = `/etc/${'x'.repeat(255)}`;
const NOT_ASCII = `/etc/${'ü'.repeat(127)}`;
const DEEP = `/etc${`/${'d'.repeat(200)}`.repeat(20)}`;
const PATHS = ['/etc/short', LONG, NOT_ASCII, DEEP];
const STATE = '/etc/machine-config-daemon';

const config = (name: string, files: Readonly<Record<string, string>>) =>
  aNodeConfig(name, { storage: { files: Object.entries(files).map(([path, text]) => aFile(path, text)) } });
const eachAs = (text: string) => Object.fromEntries(PATHS.map((path) => [path, text]));

describe.each(ROOTS)('the files of a config %s', (_, create) => {
  const at = sceneFor(create);
  const log = createDaemonLog(
    () => undefined,
    async () => undefined,
  );
  const work = () => ({ host: at.host, log, env: { clock: systemClock } });
  const write = (path: string, text: string) =>
    at.host.files.write(path, { bytes: new TextEncoder().encode(text), mode: 0o644 });
  const texts = () => Promise.all(PATHS.map((path) => textAt(at.host, path)));
  const [before, after] = [config('before', { '/etc/a': 'one' }), config('after', eachAs('ours'))];

  it('are written and removed with names and paths of any length', async () => {
    await writeFiles(work(), { from: before, to: after, units: [] });
    expect(await texts()).toEqual(PATHS.map(() => 'ours'));
    await writeFiles(work(), { from: after, to: before, units: [] });
    expect(await texts()).toEqual(PATHS.map(() => undefined));
  });

  it('are rolled back to what was there, with names and paths of any length', async () => {
    for (const path of PATHS) await write(path, 'by hand');
    await prepareFiles(work(), { from: before, to: after });
    await writeFiles(work(), { from: before, to: after, units: [] });
    await undoFiles(work(), { from: before, to: after, units: [] });
    expect(await texts()).toEqual(PATHS.map(() => 'by hand'));
    await removeJournalFiles(at.host);
    expect(((await at.host.files.list(STATE)) ?? []).filter((name) => name.startsWith('journal'))).toEqual(
      [],
    );
  });

  it('are rolled back where the first write has failed already', async () => {
    const impossible = config('after', { ...eachAs('ours'), '/etc/hosts/below': 'x' });
    for (const path of PATHS) await write(path, 'by hand');
    await prepareFiles(work(), { from: before, to: impossible });
    expect(await problem(writeFiles(work(), { from: before, to: impossible, units: [] }))).toMatch(
      /not a directory/,
    );
    await undoFiles(work(), { from: before, to: impossible, units: [] });
    expect(await texts()).toEqual(PATHS.map(() => 'by hand'));
  });

  it('that no machine takes are no hindrance to a rollback', async () => {
    const tooLong = config('after', { '/etc/b': 'x', [`/etc/${'y'.repeat(256)}`]: 'x' });
    await prepareFiles(work(), { from: before, to: tooLong });
    expect(await problem(writeFiles(work(), { from: before, to: tooLong, units: [] }))).toMatch(/too long$/);
    await undoFiles(work(), { from: before, to: tooLong, units: [] });
    expect(await textAt(at.host, '/etc/b')).toBe(undefined);
    expect(await textAt(at.host, '/etc/a')).toBe('one');
  });
});
