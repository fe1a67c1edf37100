/** Logs in real directories, with a manual clock. */
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../simulation/virtual-clock.ts';
import type { ContainerInstance, ContainerLogs, ContainerState } from './container-logs.ts';
import { openContainerLogs } from './container-logs-node.ts';

const INSTANCE: ContainerInstance = {
  namespace: 'ns',
  pod: 'p',
  podUid: 'uid-1',
  container: 'c',
  restartCount: 0,
};
const RUNNING: ContainerState = { kind: 'running', podUid: 'uid-1', restartCount: 0 };
const ENDED: ContainerState = { kind: 'ended', podUid: 'uid-1', restartCount: 0 };
const FILE = 'ns_p_uid-1/c/0.log';
const T0 = '2026-01-01T00:00:00.000000000Z';

describe('container logs', () => {
  let folder: string;
  let clock: VirtualClock;
  let logs: ContainerLogs;
  let state: ContainerState;

  const reopen = async (more: { readonly maxFileBytes?: number } = {}): Promise<void> => {
    logs = await openContainerLogs({ directory: join(folder, 'logs'), clock, ...more });
  };
  const inLogs = (path: string) => join(folder, 'logs', path);
  const put = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(inLogs(path)), { recursive: true });
    await writeFile(inLogs(path), text);
  };
  const ask = async (query = '', signal?: AbortSignal) =>
    logs.read(
      {
        node: 'n',
        host: 'h',
        port: 1,
        namespace: 'ns',
        pod: 'p',
        container: 'c',
        query,
        ...(signal === undefined ? {} : { signal }),
      },
      () => state,
    );
  const read = async (query = ''): Promise<string> => {
    const { status, body } = await ask(query);
    let text = '';
    for await (const piece of body) text += new TextDecoder().decode(piece);
    return status === 200 ? text : `${status} ${text}`;
  };
  const written = async (text: string, instance = INSTANCE): Promise<void> => {
    const writer = logs.open(instance);
    writer.write(text);
    await writer.close();
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millwright-logs-'));
    clock = new VirtualClock();
    state = RUNNING;
    await reopen();
  });
  afterEach(async () => {
    await logs.close();
    expect(clock.pending).toBe(0);
    await rm(folder, { recursive: true, force: true });
  });

  describe('are rejected like by a kubelet', () => {
    it.each<readonly [string, ContainerState, string, string]>([
      ['without a status', { kind: 'missing' }, '', '400 container "c" in pod "p" is not available'],
      [
        'before the start',
        { kind: 'waiting', reason: 'ContainerCreating' },
        '',
        '400 container "c" in pod "p" is waiting to start: ContainerCreating',
      ],
      [
        'without an image',
        { kind: 'waiting', reason: 'ErrImagePull' },
        'follow=true',
        '400 container "c" in pod "p" is waiting to start: image can\'t be pulled',
      ],
      [
        'while the image is tried again',
        { kind: 'waiting', reason: 'ImagePullBackOff' },
        '',
        '400 container "c" in pod "p" is waiting to start: trying and failing to pull image',
      ],
      [
        'of a run before the first',
        RUNNING,
        'previous=true',
        '400 previous terminated container "c" in pod "p" not found',
      ],
      [
        'of a run before one that waits',
        { kind: 'waiting', reason: 'ContainerCreating' },
        'previous=true',
        '400 previous terminated container "c" in pod "p" not found',
      ],
      [
        'for a query that makes no sense',
        RUNNING,
        'tailLines=x',
        '400 {"message": "Unable to decode query."}',
      ],
      ['for a query that means nothing', RUNNING, 'limitBytes=0', '422 {"message": "Invalid request."}'],
    ])('%s', async (_, now, query, expected) => {
      state = now;
      expect(await read(query)).toBe(expected);
    });
  });

  it('are empty if nothing was written, also for the previous run', async () => {
    expect(await read()).toBe('');
    state = { ...RUNNING, restartCount: 3 };
    expect(await read('previous=true')).toBe('');
    expect(await readdir(inLogs(''))).toEqual([]);
  });

  it('are stored in CRI format', async () => {
    const writer = logs.open(INSTANCE);
    writer.write('one\ntw');
    await clock.advance(500);
    writer.write('o\nthree');
    await writer.close();
    expect(await readFile(inLogs(FILE), 'utf8')).toBe(
      `${T0} stderr F one\n${T0.replace('00.0', '00.5')} stderr F two\n${T0.replace('00.0', '00.5')} stderr F three\n`,
    );
    expect(await read('timestamps=true&tailLines=1')).toBe(`${T0.replace('00.0', '00.5')} three\n`);
    expect(await read('sinceTime=2026-01-01T00:00:00.2Z')).toBe('two\nthree\n');
    await clock.advance(1500);
    expect(await read('sinceSeconds=2')).toBe('one\ntwo\nthree\n');
    expect(await read('sinceSeconds=1')).toBe('');
    expect(await read('limitBytes=5')).toBe('one\nt');
  });

  it('are written to disk after a second, and readable before', async () => {
    const writer = logs.open(INSTANCE);
    writer.write('one\n');
    await clock.advance(999);
    await expect(stat(inLogs(FILE))).rejects.toThrow('ENOENT');
    await clock.advance(1);
    await expect.poll(() => readFile(inLogs(FILE), 'utf8').catch(() => '')).toContain('one');
    writer.write('two\n');
    expect(await read()).toBe('one\ntwo\n');
  });

  it('are written to disk at once if the buffer is full', async () => {
    logs.open(INSTANCE).write('x'.repeat(99).concat('\n').repeat(1000));
    await expect
      .poll(async () => (await stat(inLogs(FILE)).catch(() => undefined))?.size ?? 0)
      .toBeGreaterThan(99_000);
  });

  it('continue after an earlier process was killed', async () => {
    await put(FILE, `${T0} stderr F one\n${T0} stderr F tw`);
    expect(await read()).toBe('one\ntw');
    await written('three\n');
    expect(await read()).toBe('one\ntw\nthree\n');
    await appendFile(inLogs(FILE), '2026-01-');
    await reopen();
    expect(await read()).toBe('one\ntw\nthree\n');
    await written('four\n');
    expect(await read('tailLines=1')).toBe('four\n');
  });

  it('are kept for the previous run only', async () => {
    for (const restartCount of [0, 1, 2])
      await written(`run ${restartCount}\n`, { ...INSTANCE, restartCount });
    state = { ...RUNNING, restartCount: 2 };
    expect([await read(), await read('previous=true')]).toEqual(['run 2\n', 'run 1\n']);
    expect((await readdir(inLogs('ns_p_uid-1/c'))).toSorted()).toEqual(['1.log', '2.log']);
  });

  it('of deleted pods are removed unless they are being written', async () => {
    await written('a\n');
    await written('b\n', { ...INSTANCE, pod: 'q', podUid: 'uid-2' });
    const writer = logs.open({ ...INSTANCE, pod: 'r', podUid: 'uid-3' });
    writer.write('c\n');
    await put('something else/x', '');
    await clock.advance(1000);
    await expect.poll(() => readdir(inLogs(''))).toContain('ns_r_uid-3');
    await logs.prune(new Set(['uid-1']));
    expect((await readdir(inLogs(''))).toSorted()).toEqual(['ns_p_uid-1', 'ns_r_uid-3', 'something else']);
    await writer.close();
    await logs.prune(new Set(['uid-1']));
    expect((await readdir(inLogs(''))).toSorted()).toEqual(['ns_p_uid-1', 'something else']);
  });

  it('never escape their directory, whatever the names', async () => {
    const instance = { ...INSTANCE, container: '../../../outside', podUid: 'a_b/..', pod: 'x'.repeat(253) };
    await written('a\n', instance);
    expect((await readdir(folder)).toSorted()).toEqual(['logs']);
    state = { ...RUNNING, podUid: 'a_b/..' };
    const { body } = await logs.read({ node: 'n', host: 'h', port: 1, query: '', ...instance }, () => state);
    const pieces: string[] = [];
    for await (const piece of body) pieces.push(new TextDecoder().decode(piece));
    expect(pieces).toEqual(['a\n']);
    await logs.prune(new Set(['a_b/..']));
    expect(await readdir(inLogs(''))).toHaveLength(1);
    await logs.prune(new Set());
    expect(await readdir(inLogs(''))).toEqual([]);
  });

  it('report lines that could not be written', async () => {
    await put('ns_p_uid-1', 'a file where the folder should be');
    const writer = logs.open(INSTANCE);
    writer.write('one\ntwo\n');
    await read().catch(() => undefined);
    await rm(inLogs('ns_p_uid-1'));
    writer.write('three\n');
    expect(await read()).toBe('2 lines are missing: they could not be written\nthree\n');
  });

  describe('that are rotated', () => {
    const LINE_BYTES = `${T0} stderr F line 1000\n`.length;
    const lines = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => `line ${from + at}\n`).join('');

    it('keep one older file, and are read as one', async () => {
      await reopen({ maxFileBytes: 10 * LINE_BYTES });
      const writer = logs.open(INSTANCE);
      for (let at = 1000; at < 1024; at++) {
        writer.write(`line ${at}\n`);
        await read();
      }
      expect((await readdir(inLogs('ns_p_uid-1/c'))).toSorted()).toEqual(['0.log', '0.log.1']);
      expect(await read()).toBe(lines(1010, 1024));
      expect(await read('tailLines=7')).toBe(lines(1017, 1024));
      expect(await read('tailLines=4')).toBe(lines(1020, 1024));
      await logs.close();
      await reopen({ maxFileBytes: 10 * LINE_BYTES });
      await written(lines(1024, 1030));
      expect(await read()).toBe(lines(1010, 1030));
    });

    it('are read in chunks', async () => {
      await written('x'.repeat(999).concat('\n').repeat(2000));
      const { body } = await ask();
      let [largest, total] = [0, 0];
      for await (const piece of body) {
        largest = Math.max(largest, piece.length);
        total += piece.length;
      }
      expect(total).toBe(2_000_000);
      expect(largest).toBeLessThanOrEqual(64 * 1024);
    });

    it('may lose whole lines for a slow reader, but never parts of lines', async () => {
      await reopen({ maxFileBytes: 3000 * LINE_BYTES });
      const writer = logs.open(INSTANCE);
      writer.write(lines(1000, 4000));
      const { body } = await ask('follow=true');
      const iterator = body[Symbol.asyncIterator]();
      const first = await iterator.next();
      for (const from of [4000, 7000]) {
        writer.write(lines(from, from + 3000));
        await read();
      }
      await writer.close();
      let text = new TextDecoder().decode(first.value);
      for (let piece = await iterator.next(); piece.done !== true; piece = await iterator.next()) {
        text += new TextDecoder().decode(piece.value);
      }
      expect(
        text
          .split('\n')
          .slice(0, -1)
          .every((line) => /^line \d{4}$/.test(line)),
      ).toBe(true);
      expect(text).not.toContain('line 3999\n');
      expect(text.endsWith(lines(4000, 10_000))).toBe(true);
    });
  });

  describe('that are followed', () => {
    const follow = async (query = 'follow=true', signal?: AbortSignal) => {
      const { body } = await ask(query, signal);
      const iterator = body[Symbol.asyncIterator]();
      return {
        next: async () => {
          const { done, value } = await iterator.next();
          return done === true ? 'END' : new TextDecoder().decode(value);
        },
        stop: () => iterator.return?.(),
      };
    };

    it('continue with new lines until the container ends', async () => {
      const writer = logs.open(INSTANCE);
      writer.write('one\n');
      const following = await follow();
      expect(await following.next()).toBe('one\n');
      const next = following.next();
      writer.write('two\n');
      // No time passes: followed logs are not buffered.
      expect(await next).toBe('two\n');
      writer.write('three');
      const last = following.next();
      const closed = writer.close();
      expect(await last).toBe('three\n');
      expect(await following.next()).toBe('END');
      await closed;
    });

    it('begin with the requested number of last lines', async () => {
      const writer = logs.open(INSTANCE);
      writer.write('one\ntwo\n');
      // The timers of the writer and of the follower take a second each: this separates them.
      await clock.advance(100);
      const following = await follow('follow=true&tailLines=0');
      const next = following.next();
      // The line must come after the end was looked up: from then on the follower waits, for a second at most.
      while (clock.nextInMs() !== 1000) await new Promise((resolve) => setTimeout(resolve, 1));
      writer.write('three\n');
      expect(await next).toBe('three\n');
      await writer.close();
      expect(await following.next()).toBe('END');
    });

    it('continue across rotated files', async () => {
      await reopen({ maxFileBytes: 100 });
      const writer = logs.open(INSTANCE);
      const following = await follow();
      let text = '';
      for (let at = 0; at < 10; at++) {
        const next = following.next();
        writer.write(`line ${at}\n`);
        text += await next;
      }
      expect(text).toBe(Array.from({ length: 10 }, (_, at) => `line ${at}\n`).join(''));
      await writer.close();
    });

    it('stay open while a silent container runs', async () => {
      const following = await follow();
      const next = following.next();
      await pass(5000);
      expect(await Promise.race([next, 'still open'])).toBe('still open');
      state = ENDED;
      await pass(1000);
      expect(await next).toBe('END');
    });

    it('end with their run when the next one starts', async () => {
      const following = await follow();
      const next = following.next();
      state = { ...RUNNING, restartCount: 1 };
      await pass(1000);
      expect(await next).toBe('END');
    });

    it('end immediately if the container has ended, or for the previous run', async () => {
      await written('one\n');
      state = ENDED;
      expect(await read('follow=true')).toBe('one\n');
      state = { ...RUNNING, restartCount: 1 };
      expect(await read('follow=true&previous=true')).toBe('one\n');
    });

    it('end when the client disconnects', async () => {
      const gone = new AbortController();
      const [one, two] = [await follow('follow=true', gone.signal), await follow()];
      const nexts = [one.next(), two.next()];
      gone.abort();
      await two.stop();
      expect(await Promise.all(nexts)).toEqual(['END', 'END']);
    });

    it('end when the cluster stops', async () => {
      const following = await follow();
      const next = following.next();
      await new Promise((resolve) => setTimeout(resolve, 20));
      await logs.close();
      expect(await next).toBe('END');
    });

    /** Reading files takes real time, waiting takes clock time. */
    async function pass(ms: number): Promise<void> {
      for (let left = ms; left > 0; left -= 250) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        await clock.advance(250);
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });
});
