/**
 * Every failure on a node is reported: also unexpected errors, and changes to the daemon's own files. And no link makes
 * root write elsewhere.
 */
import { describe, expect, it } from 'vitest';
import { machineConfig as machineConfigKind } from '../../src/api/index.ts';
import { Bug, Failure } from '../../src/base/errors.ts';
import { CURRENT_CONFIG } from '../../src/node/daemon/index.ts';
import { userMessage } from '../../src/node/daemon/outcome.ts';
import { createCommandRunner } from '../../src/node/host/linux-node.ts';
import { parseLocalImages } from '../../src/node/host/local-images.ts';
import { anImage } from '../host/an-image.ts';
import { NEW_OS } from './daemon-node.ts';
import type { JoinedNode } from './joined-node.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const { join, untilDegraded, pass } = stories;
const MINUTE_MS = 60_000;

describe('an error of a step', () => {
  it.each([
    ['of the machine', new Failure('stalled', 'ReadOnly', 'it is read-only'), 'it is read-only'],
    ['of an unexpected type', new SyntaxError('no JSON'), 'unexpected error: SyntaxError: no JSON'],
    ['that is no error at all', 'text', 'unexpected error: text'],
    ['of a shutdown', new Failure('cancelled', 'PowerIsOff', 'no power'), undefined],
    ['of a bug', new Bug('never'), undefined],
  ])('%s has the right user message', (_, error, text) => {
    expect(userMessage(error)).toBe(text);
  });

  it('degrades the node during a step, and is cleared with its cause', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node, images } = joined;
    const registry: { isBroken: boolean } = { isBroken: true };
    const image = anImage({ digest: 'b', version: '9.6.2' });
    Object.defineProperty(images, NEW_OS, {
      get() {
        if (registry.isBroken) throw new SyntaxError('Unexpected token');
        return image;
      },
    });
    const next = await joined.sendTo('next', { files: { '/etc/a': 'two' }, osImage: NEW_OS });
    expect(await untilDegraded(joined, /./)).toBe('unexpected error: SyntaxError: Unexpected token');
    await pass(30 * MINUTE_MS);
    expect(await stories.cluster().annotation(node.name, 'reason')).toContain('Unexpected token');
    registry.isBroken = false;
    await stories.cluster().untilDone(node.name, next, 60 * MINUTE_MS);
    expect(await node.text('/etc/a')).toBe('two');
  });
});

describe('an annotation of the daemon that is overwritten by a late request', () => {
  const updated = async (): Promise<JoinedNode & { readonly config: string }> => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const config = await joined.sendTo('next', { files: { '/etc/a': 'two' }, kernelArguments: ['a=1'] });
    await stories.cluster().untilDone(joined.node.name, config, 60 * MINUTE_MS);
    return { ...joined, config };
  };

  it('is set again where it is the state', async () => {
    const joined = await updated();
    await stories.annotate(joined, { state: 'Working' });
    await stories.cluster().untilDone(joined.node.name, joined.config, MINUTE_MS);
  });

  it('is set again where it is the current config', async () => {
    const joined = await updated();
    await stories.annotate(joined, { currentConfig: joined.first });
    await stories.cluster().untilDone(joined.node.name, joined.config, 5 * MINUTE_MS);
  });

  it('leaves no node cordoned where it asks for a drain', async () => {
    const joined = await updated();
    const { name } = joined.node;
    await stories.annotate(joined, { desiredDrain: `drain-${joined.config}` });
    const cluster = stories.cluster();
    await cluster.until('uncordoned', async () => {
      const applied = await cluster.annotation(name, 'lastAppliedDrain');
      const { spec } = await cluster.node(name);
      return applied === `uncordon-${joined.config}` && spec.unschedulable !== true;
    });
    await pass(5 * MINUTE_MS);
    const asked = await cluster.annotation(name, 'desiredDrain');
    expect([asked, (await cluster.node(name)).spec.unschedulable ?? false]).toEqual([
      `uncordon-${joined.config}`,
      false,
    ]);
    await cluster.untilDone(name, joined.config, 5 * MINUTE_MS);
  });
});

describe('the output of a command', () => {
  it.each([
    ['', 'failed to parse podman images: it is not JSON', '{'],
    ['with text before it', 'failed to parse podman images: it is not JSON', 'warning: x\n[]'],
  ])('that is not JSON is a failure that names %s', (_, message, text) => {
    expect(() => parseLocalImages(text)).toThrow(expect.objectContaining({ kind: 'transient', message }));
  });

  const here = createCommandRunner({ entrance: { kind: 'here' } });
  it.each([
    ['/', [], 'cannot run /: permission denied'],
    ['true', ['secret'.repeat(100_000)], 'cannot run true: argument list too long'],
    ['true', ['secret\0'], 'cannot run true: its arguments hold a zero byte'],
  ])('of %s that does not start is a failure without its arguments', async (command, args, message) => {
    const error: unknown = await here.run(command, args).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ kind: 'transient', reason: 'CommandNotStarted', message });
    expect(error).not.toHaveProperty('cause');
  });

  it('of a cancelled command is no failure', async () => {
    const ending = new AbortController();
    const runner = createCommandRunner({ entrance: { kind: 'here' }, signal: ending.signal });
    const run = runner.run('sleep', ['60']).catch((caught: unknown) => caught);
    ending.abort();
    expect(await run).toMatchObject({ kind: 'cancelled' });
  });
});

describe('a node whose config was removed from the disk', () => {
  const withoutConfig = async (): Promise<JoinedNode> => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    joined.node.stopDaemon();
    await joined.node.machine.host.files.remove(CURRENT_CONFIG);
    return joined;
  };

  it('is validated against the config of its annotation, and heals', async () => {
    const joined = await withoutConfig();
    const { node, first } = joined;
    await node.write('/etc/a', 'by hand');
    node.startDaemon();
    expect(await untilDegraded(joined, /mismatch/)).toBe(
      `unexpected on-disk state validating against ${first}: content mismatch for file "/etc/a"`,
    );
    await node.write('/etc/a', 'one');
    await stories.cluster().untilDone(node.name, first, 3_000);
  });

  it('is monitored for drift', async () => {
    const joined = await withoutConfig();
    joined.node.startDaemon();
    await pass(MINUTE_MS);
    expect(await stories.cluster().annotation(joined.node.name, 'state')).toBe('Done');
    await joined.node.write('/etc/a', 'by hand');
    await untilDegraded(joined, /content mismatch for file "\/etc\/a"$/, 2_000);
  });

  it('is validated while its daemon runs, too', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    await joined.node.machine.host.files.remove(CURRENT_CONFIG);
    await joined.node.write('/etc/a', 'by hand');
    await untilDegraded(joined, /content mismatch for file "\/etc\/a"$/, 2_000);
  });

  it('waits for an unreachable cluster, and does not count as validated', async () => {
    const { handle } = stories.cluster();
    const line: { isCut: boolean } = { isCut: false };
    const joined = await join(
      { files: { '/etc/a': 'one' } },
      {
        handle: (request) =>
          line.isCut && request.path.includes('/machineconfigs/')
            ? Promise.reject(new Failure('transient', 'Gone', 'no route'))
            : handle(request),
      },
    );
    const { node } = joined;
    node.stopDaemon();
    await node.machine.host.files.remove(CURRENT_CONFIG);
    await node.write('/etc/a', 'by hand');
    node.lines.length = 0;
    line.isCut = true;
    node.startDaemon();
    await pass(10 * MINUTE_MS);
    expect(node.lines).not.toContain('I "Validated on-disk state"');
    expect(await stories.cluster().annotation(node.name, 'reason')).toBe('');
    line.isCut = false;
    await untilDegraded(joined, /content mismatch/, 10 * MINUTE_MS);
  });

  it('is reported where the cluster no longer has that config', async () => {
    const joined = await withoutConfig();
    await stories.cluster().kube.delete(machineConfigKind, { name: joined.first });
    joined.node.startDaemon();
    expect(await untilDegraded(joined, /not found/)).toContain(`"${joined.first}" not found`);
  });
});

describe('a link in place of a folder of the SSH keys', () => {
  const KEYS_FOLDER = '/home/core/.ssh/authorized_keys.d';
  const ELSEWHERE = '/etc/cron.d';

  it.each(['/home/core/.ssh', KEYS_FOLDER])('is replaced by a folder: %s', async (link) => {
    const joined = await join();
    const { node } = joined;
    const { files, accounts } = node.machine.host;
    const owner = await accounts.user('core');
    if (owner === undefined) throw new Error('there is no user core');
    await files.makeFolder(ELSEWHERE, { mode: 0o755 });
    if (link === KEYS_FOLDER) await files.makeFolder('/home/core/.ssh', { mode: 0o700, owner });
    await files.link(link, ELSEWHERE);
    const next = await joined.sendTo('keys', { sshKeys: ['ssh-rsa K'] });
    await stories.cluster().untilDone(node.name, next);
    expect(await files.list(ELSEWHERE)).toEqual([]);
    expect((await files.stat(link))?.kind).toBe('folder');
    expect(await node.text(`${KEYS_FOLDER}/ignition`)).toBe('ssh-rsa K\n');
  });

  it('does not redirect a removal', async () => {
    const joined = await join({ sshKeys: ['ssh-rsa K'] });
    const { node } = joined;
    const { files } = node.machine.host;
    await node.write(`${ELSEWHERE}/ignition`, 'of another user');
    await files.removeFolder(KEYS_FOLDER);
    await files.link(KEYS_FOLDER, ELSEWHERE);
    const next = await joined.sendTo('none', {});
    await stories.cluster().untilDone(node.name, next);
    expect(await node.text(`${ELSEWHERE}/ignition`)).toBe('of another user');
    expect(await files.stat(KEYS_FOLDER)).toBe(undefined);
  });
});
