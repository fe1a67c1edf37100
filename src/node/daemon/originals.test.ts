import { beforeEach, describe, expect, it } from 'vitest';
import { anImage, pullFrom } from '../../../test/host/an-image.ts';
import { virtualEnv } from '../../../test/support/virtual-env.ts';
import { createMemoryDisk, createSandboxMachine } from '../../embedded/sandbox/index.ts';
import type { Host } from '../host/index.ts';
import {
  backUpFiles,
  forgetOriginals,
  keepOriginal,
  keepOriginalUnit,
  restoreFiles,
  revertFile,
} from './originals.ts';
import { noOriginalPath, originalPath } from './state-paths.ts';

const IMAGE = 'registry.example/os:one';
let host: Host;
const write = (path: string, text: string) =>
  host.files.write(path, { bytes: new TextEncoder().encode(text), mode: 0o644 });
const text = async (path: string) => {
  const bytes = await host.files.read(path);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
};

beforeEach(async () => {
  const { clock, random } = virtualEnv();
  const files = { '/etc/chrony.conf': 'default' };
  const pullImage = pullFrom({ [IMAGE]: anImage({ files }) });
  const machine = createSandboxMachine({ disk: createMemoryDisk(), clock, random, pullImage });
  await machine.provision({ image: IMAGE });
  await machine.boot();
  host = machine.host;
});

describe('a file of the OS', () => {
  const path = '/etc/chrony.conf';
  it('is copied once, and restored', async () => {
    await write(path, 'changed by hand');
    await keepOriginal(host, path);
    await write(path, 'ours');
    await keepOriginal(host, path);
    expect(await text(originalPath(path))).toBe('changed by hand');
    expect(await revertFile(host, path)).toBe('kept');
    expect(await text(path)).toBe('changed by hand');
  });
  it('is restored by every repetition', async () => {
    await keepOriginal(host, path);
    await write(path, 'ours');
    await revertFile(host, path);
    await revertFile(host, path);
    expect(await text(path)).toBe('default');
    await forgetOriginals(host, [path]);
    expect(await text(originalPath(path))).toBe(undefined);
  });
  it('is copied from /usr/etc where it was removed from /etc', async () => {
    await host.files.remove(path);
    await keepOriginal(host, path);
    expect(await text(originalPath(path))).toBe('default');
  });
});

describe('a path without a file of the OS', () => {
  it('gets a marker, and is removed by revertFile', async () => {
    await keepOriginal(host, '/etc/new');
    await write('/etc/new', 'ours');
    expect(await text(noOriginalPath('/etc/new'))).toBe('');
    expect(await revertFile(host, '/etc/new')).toBe('removed');
    expect(await revertFile(host, '/etc/new')).toBe('nothing');
    expect(await text(noOriginalPath('/etc/new'))).toBe(undefined);
  });
  it('is ignored where it is a folder', async () => {
    await host.files.makeFolder('/etc/folder', { mode: 0o755 });
    await keepOriginal(host, '/etc/folder');
    expect(await revertFile(host, '/etc/folder')).toBe('nothing');
    expect((await host.files.stat('/etc/folder'))?.kind).toBe('folder');
  });
});

describe('a file of someone else, at a path that is new in the config', () => {
  const path = '/etc/by-hand';
  const foreign = { isForeign: true };
  it('is kept once with its mode, and restored by every repetition until it is forgotten', async () => {
    await host.files.write(path, { bytes: new TextEncoder().encode('manual'), mode: 0o600 });
    await keepOriginal(host, path, foreign);
    await write(path, 'ours');
    // As a step that is repeated after a power cut: what it finds now is the config's.
    await keepOriginal(host, path, foreign);
    expect(await revertFile(host, path)).toBe('kept');
    expect(await revertFile(host, path)).toBe('kept');
    expect([await text(path), (await host.files.stat(path))?.mode]).toEqual(['manual', 0o600]);
    await forgetOriginals(host, [path]);
    expect([await text(originalPath(path)), await text(noOriginalPath(path))]).toEqual([
      undefined,
      undefined,
    ]);
  });
  it('is copied again where a power cut came before the mark', async () => {
    await write(path, 'older');
    await host.files.copy(path, originalPath(path));
    await write(path, 'newer');
    await keepOriginal(host, path, foreign);
    await write(path, 'ours');
    await revertFile(host, path);
    expect(await text(path)).toBe('newer');
  });
  it('is kept where it is a link', async () => {
    await host.files.link(path, '/etc/chrony.conf');
    await keepOriginal(host, path, foreign);
    await write(path, 'ours');
    await revertFile(host, path);
    expect((await host.files.stat(path))?.target).toBe('/etc/chrony.conf');
  });
  it('leaves nothing behind when the update is undone', async () => {
    await write(path, 'manual');
    await backUpFiles(host, [path]);
    await keepOriginal(host, path, foreign);
    await write(path, 'ours');
    expect(await revertFile(host, path, { isUndo: true })).toBe('kept');
    expect([await text(path), await text(originalPath(path)), await text(noOriginalPath(path))]).toEqual([
      'manual',
      undefined,
      undefined,
    ]);
  });
  it('is a unit: the file is kept, and where there is none it is removed again', async () => {
    const [unit, another] = ['/etc/systemd/system/a.service', '/etc/systemd/system/b.service'];
    await write(unit, 'manual');
    for (const one of [unit, another]) {
      await keepOriginalUnit(host, one, foreign);
      await write(one, 'ours');
      await keepOriginalUnit(host, one, foreign);
    }
    expect(await revertFile(host, unit, { isUnit: true })).toBe('kept');
    expect(await revertFile(host, another, { isUnit: true })).toBe('removed');
    expect([await text(unit), await text(another)]).toEqual(['manual', undefined]);
  });
});

describe('a file that neither the OS nor a config owns', () => {
  it('is restored by the undo of the update that overwrites it', async () => {
    await write('/etc/by-hand', 'manual');
    await backUpFiles(host, ['/etc/by-hand', '/etc/chrony.conf', '/etc/nothing']);
    await keepOriginal(host, '/etc/by-hand');
    await write('/etc/by-hand', 'ours');
    await revertFile(host, '/etc/by-hand');
    await restoreFiles(host, ['/etc/by-hand', '/etc/chrony.conf', '/etc/nothing']);
    expect(await text('/etc/by-hand')).toBe('manual');
    expect(await text('/etc/chrony.conf')).toBe('default');
  });
});
