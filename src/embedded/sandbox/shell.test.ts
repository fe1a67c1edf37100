import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseShell } from './shell.ts';
import { findShell } from './shell-node.ts';

const LOAD = 1;
const INTERPRETER = 3;

type Elf = {
  readonly machine?: number;
  readonly class?: number;
  readonly headers?: readonly number[];
  readonly isBig?: boolean;
};

/** As much of a program as is looked at. */
function elf({ machine = 62, class: bits = 2, headers = [LOAD], isBig = false }: Elf = {}): Uint8Array {
  const size = 56;
  const bytes = new Uint8Array(64 + size * headers.length);
  const view = new DataView(bytes.buffer);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, bits, isBig ? 2 : 1]);
  view.setUint16(18, machine, !isBig);
  view.setBigUint64(32, 64n, !isBig);
  view.setUint16(54, size, !isBig);
  view.setUint16(56, headers.length, !isBig);
  for (const [number, type] of headers.entries()) view.setUint32(64 + size * number, type, !isBig);
  return bytes;
}

describe('parseShell', () => {
  it.each([
    ['x86-64', elf(), 'amd64'],
    ['arm64', elf({ machine: 183 }), 'arm64'],
    ['s390x, which is big-endian', elf({ machine: 22, isBig: true }), 's390x'],
  ])('takes a static program for %s', (_, program, architecture) => {
    expect(parseShell(program)).toEqual({ architecture, program });
  });

  it.each([
    ['a program that needs a dynamic linker', elf({ headers: [LOAD, INTERPRETER] })],
    ['a program of 32 bits', elf({ class: 1 })],
    ['a program for an unknown machine', elf({ machine: 8 })],
    ['a program whose headers are cut off', elf({ headers: [LOAD, LOAD] }).subarray(0, 120)],
    ['a program without program headers', elf({ headers: [] })],
    ['a script', new TextEncoder().encode(`#!/bin/sh\n${' '.repeat(100)}`)],
    ['an empty file', new Uint8Array()],
  ])('refuses %s', (_, program) => {
    expect(parseShell(program)).toBeUndefined();
  });
});

describe('findShell', () => {
  let folder: string;
  const inFolders = (...names: readonly string[]) =>
    findShell(names.map((name) => join(folder, name)).join(delimiter));

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millwright-shell-'));
    for (const name of ['none', 'dynamic', 'static', 'directory']) await mkdir(join(folder, name));
    await writeFile(join(folder, 'dynamic', 'busybox'), elf({ headers: [INTERPRETER] }));
    await writeFile(join(folder, 'static', 'busybox-static'), elf({ machine: 183 }));
    await mkdir(join(folder, 'directory', 'busybox'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('takes the first static BusyBox of the search path', async () => {
    const found = await inFolders('none', 'missing', 'dynamic', 'directory', 'static');
    expect(found?.architecture).toBe('arm64');
  });

  it('finds none where only a dynamic one is installed', async () => {
    expect(await inFolders('none', 'dynamic', 'directory')).toBeUndefined();
  });

  it('finds none without a search path', async () => {
    expect(await findShell(undefined)).toBeUndefined();
    expect(await findShell('')).toBeUndefined();
  });
});
