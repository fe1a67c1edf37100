/** Errors of `up`, each in one line, and its handling of flags and existing data directories. */

import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeFolder, temporaryFolder } from './cluster.ts';
import { buildProgram, killRest, refusedUp, startUp } from './program.ts';

const QUICK = ['--speed', '1000'];
const ALONE = [...QUICK, '--no-nodes'];
const SMALL = [...QUICK, '--control-plane', '1', '--workers', '1'];

let folder = '';
beforeAll(async () => {
  await buildProgram();
  folder = await temporaryFolder();
});
afterAll(async () => {
  await killRest();
  await removeFolder(folder);
});

/** Exit code 2 and one error line, possibly after progress lines. */
const refusal = (message: RegExp) => ({
  exitCode: 2,
  stdout: '',
  stderr: expect.stringMatching(
    new RegExp(`^(starting [^\\n]*\\n)*millwright: [^\\n]*${message.source}[^\\n]*\\n$`),
  ),
});

describe('up rejects', () => {
  it('a port in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    // A server that listens on a port has such an address.
    const { port } = server.address() as AddressInfo;
    const place = join(folder, 'port');
    expect(await refusedUp(place, [...ALONE, '--port', String(port)])).toMatchObject(
      refusal(new RegExp(`port ${port} .*--port`)),
    );
    expect(existsSync(place)).toBe(false);
    server.close();
  });

  it('a data directory that cannot be created', async () => {
    writeFileSync(join(folder, 'file'), '');
    const place = join(folder, 'file/data');
    expect(await refusedUp(place, ALONE)).toMatchObject(refusal(/file\/data.*--data-dir/));
  });

  it('a foreign directory, and does not change it', async () => {
    const place = join(folder, 'foreign');
    mkdirSync(place);
    writeFileSync(join(place, 'thesis.txt'), 'dear');
    expect(await refusedUp(place, ALONE)).toMatchObject(refusal(/foreign.*--data-dir/));
    expect(await refusedUp(place, [...ALONE, '--fresh'])).toMatchObject(refusal(/foreign.*--data-dir/));
    expect(readdirSync(place)).toEqual(['thesis.txt']);
  });
});

describe('a data directory', () => {
  const place = () => join(folder, 'life');

  it('is locked by the process that uses it', async () => {
    const up = await startUp(place(), SMALL);
    expect(await refusedUp(place(), SMALL)).toMatchObject(
      refusal(new RegExp(`process ${up.pid} .*--data-dir`)),
    );
    expect(await refusedUp(place(), [...SMALL, '--fresh'])).toMatchObject(
      refusal(new RegExp(`process ${up.pid} `)),
    );
    expect(await up.end('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
  });

  it('is taken over from a killed process, and extended with more machines', async () => {
    const up = await startUp(place(), [...QUICK, '--workers', '3']);
    expect(machinesIn(place())).toEqual(['master-0', 'worker-0', 'worker-1', 'worker-2']);
    expect(await up.end('SIGTERM')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^ready [^\n]*\n$/),
    });
  });

  it('with an unreadable machine is rejected, naming the machine', async () => {
    const state = join(place(), 'nodes/worker-1/machine/state.json');
    const good = readFileSync(state);
    writeFileSync(state, 'not json');
    const ended = await refusedUp(place(), SMALL);
    writeFileSync(state, good);
    expect(ended).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /\nmillwright: the machine worker-1 in \S+\/nodes\/worker-1 cannot be used: [^\n]*\n$/,
      ),
    });
  });

  it('with an unreadable store is rejected, naming the store', async () => {
    const store = join(place(), 'apiserver/data.mdb');
    const good = readFileSync(store);
    writeFileSync(store, Buffer.alloc(good.length, 'x'));
    const ended = await refusedUp(place(), SMALL);
    writeFileSync(store, good);
    expect(ended).toMatchObject(refusal(/life\/apiserver/));
    const up = await startUp(place(), SMALL);
    await up.end('SIGTERM');
  });

  it('is reset with --fresh', async () => {
    writeFileSync(join(place(), 'nodes/worker-0/rootfs/etc/old'), '');
    const up = await startUp(place(), [...SMALL, '--fresh']);
    expect(machinesIn(place())).toEqual(['master-0', 'worker-0']);
    expect(existsSync(join(place(), 'nodes/worker-0/rootfs/etc/old'))).toBe(false);
    await up.end('SIGTERM');
  });

  it('has no machines with --no-nodes', async () => {
    const up = await startUp(join(folder, 'alone'), ALONE);
    expect(machinesIn(join(folder, 'alone'))).toEqual([]);
    expect(up.stderr()).toContain('no machines');
    expect(await up.end('SIGINT')).toMatchObject({ exitCode: 0 });
  });
});

function machinesIn(dataDir: string): readonly string[] {
  return readdirSync(join(dataDir, 'nodes')).toSorted();
}
