/**
 * `up` is killed or stopped at critical moments of one rollout and restarted, and continues where it stopped.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../contract/eventually.ts';
import { Cluster, withKubectl } from './cluster.ts';
import { fileConfig } from './configs.ts';
import { type Ended, packageRoot } from './program.ts';

const WORKERS = ['worker-0', 'worker-1', 'worker-2'];
/** Slow enough to hit the moments. */
const FLAGS = ['--speed', '10'];
const WELL_ENDED = { exitCode: 0, stderr: expect.stringMatching(/\nstopping: .*\n$/) };

withKubectl('a rollout', () => {
  let cluster: Cluster;
  let before = '';
  let after = '';
  /** Every boot of each worker that was ever seen. */
  const boots = new Map(WORKERS.map((node) => [node, new Set<string>()]));

  beforeAll(async () => {
    cluster = await Cluster.start(FLAGS);
    before = await cluster.field('mcp/worker', '{.spec.configuration.name}');
    noteBoots();
    await cluster.kubectl(['apply', '-f', join(packageRoot, 'examples/web')]);
    await cluster.kubectl(['-n', 'web', 'rollout', 'status', 'deployment/web']);
    // All three of three pods: no eviction is allowed.
    await keep(3);
  });
  afterAll(() => cluster.end());

  const keep = (minAvailable: number) =>
    cluster.kubectl([
      '-n',
      'web',
      'patch',
      'pdb/web',
      '--type=merge',
      '-p',
      JSON.stringify({ spec: { minAvailable } }),
    ]);
  const machine = (node: string): { readonly bootId: string; readonly isDown?: boolean } =>
    JSON.parse(readFileSync(join(cluster.dataDir, 'nodes', node, 'machine/state.json'), 'utf8'));
  const noteBoots = () => {
    for (const [node, seen] of boots) seen.add(machine(node).bootId);
  };
  /** The machine may have booted before the first look. */
  const isDownOrBack = (node: string) =>
    machine(node).isDown === true || boots.get(node)?.has(machine(node).bootId) === false;
  const log = (node: string) => readFileSync(join(cluster.dataDir, 'nodes', node, 'log'), 'utf8');
  const drainOf = async (node: string) => {
    const text = await cluster.field(`node/${node}`, '{.metadata.annotations.millwright\\.dev/drain}');
    return JSON.parse(text === '' ? '{}' : text) as { began?: string; lastRefusal?: { budget?: string } };
  };
  const once = (what: string, holds: () => boolean | Promise<boolean>) =>
    eventually(what, async () => ((await holds()) ? true : undefined));
  /** Stops `up` and starts it again. */
  const interrupt = async (signal: NodeJS.Signals): Promise<Ended> => {
    const ended = await cluster.up.end(signal);
    noteBoots();
    await cluster.startAgain(FLAGS);
    noteBoots();
    return ended;
  };
  /** The next node that is cordoned, other than these. */
  const nextTurn = (...others: readonly string[]) =>
    eventually('a worker is cordoned', async () => {
      const found = await cluster.kubectl([
        'get',
        'nodes',
        '-o',
        'jsonpath={.items[?(@.spec.unschedulable==true)].metadata.name}',
      ]);
      return found === '' || others.includes(found) ? undefined : found;
    });

  /** In the order of their updates. */
  let [first, second, third] = ['', '', ''];

  it('continues after a kill during a drain, with the start time of the drain', async () => {
    await cluster.apply(fileConfig({ name: '50-motd', role: 'worker', path: '/etc/motd', text: 'hello\n' }));
    first = await nextTurn();
    await once('the drain is refused', async () => (await drainOf(first)).lastRefusal?.budget === 'web');
    after = await cluster.field('mcp/worker', '{.spec.configuration.name}');
    const { began } = await drainOf(first);
    await cluster.kubectl(['create', 'configmap', 'last-write', '--from-literal=stored=yes']);
    expect(await interrupt('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
    expect(await cluster.field('configmap/last-write', '{.data.stored}')).toBe('yes');
    expect(await nextTurn()).toBe(first);
    expect((await drainOf(first)).began).toBe(began);
    expect(await cluster.annotation(first, 'currentConfig')).toBe(before);
    await cluster.kubectl(['-n', 'web', 'wait', 'deployment/web', '--for=condition=Available']);
    await cluster.untilPrinted(new RegExp(`^worker: .*the drain of ${first} is blocked`, 'm'));
    await keep(2);
  });

  it('continues after a kill between the reboot request and the reboot', async () => {
    await once('the reboot is asked for', () => log(first).includes('reboot successful'));
    await interrupt('SIGKILL');
  });

  it('continues after a kill while a machine is down', async () => {
    await once('it is down', () => isDownOrBack(first));
    await interrupt('SIGKILL');
    expect(machine(first).isDown).not.toBe(true);
  });

  it('continues after a kill right after the boot', async () => {
    second = await nextTurn(first);
    await once('it has booted', () => isDownOrBack(second) && machine(second).isDown !== true);
    await interrupt('SIGKILL');
  });

  it('continues after Ctrl-C while a node is cordoned', async () => {
    third = await nextTurn(first, second);
    expect(await interrupt('SIGINT')).toMatchObject(WELL_ENDED);
  });

  it('continues after Ctrl-C while a machine is down', async () => {
    await once('it is down', () => isDownOrBack(third));
    expect(await interrupt('SIGINT')).toMatchObject(WELL_ENDED);
  });

  it('completes with one boot per worker and nothing lost', async () => {
    await cluster.wait('mcp/worker', '--for=condition=Updated');
    noteBoots();
    for (const worker of WORKERS) {
      expect(readFileSync(cluster.onNode(worker, 'etc/motd'), 'utf8')).toBe('hello\n');
      expect(await cluster.annotation(worker, 'currentConfig')).toBe(after);
      expect([...(boots.get(worker) ?? [])], worker).toHaveLength(2);
    }
    expect(await cluster.kubectl(['get', 'mcp', 'worker'])).toMatch(/ True +False +False +3 +3 +3 +0 /);
    expect(await cluster.kubectl(['get', 'nodes'])).not.toContain('SchedulingDisabled');
    await cluster.kubectl(['-n', 'web', 'rollout', 'status', 'deployment/web']);
    expect(await cluster.kubectl(['get', 'events', '-A'])).not.toContain('Degraded');
  });

  it('applies to machines added later: five workers, two of them new', async () => {
    expect(await cluster.up.end('SIGTERM')).toMatchObject({ exitCode: 0 });
    await cluster.startAgain([...FLAGS, '--workers', '5']);
    await cluster.wait('mcp/worker', '--for=jsonpath={.status.updatedMachineCount}=5');
    await cluster.wait('mcp/worker', '--for=condition=Updated');
    await cluster.wait('nodes', '--all', '--for=condition=Ready');
    for (const node of ['worker-3', 'worker-4']) {
      expect(readFileSync(cluster.onNode(node, 'etc/motd'), 'utf8')).toBe('hello\n');
      expect(await cluster.annotation(node, 'currentConfig')).toBe(after);
    }
    expect(new Set(WORKERS.map((node) => machine(node).bootId))).toEqual(
      new Set(WORKERS.map((node) => [...(boots.get(node) ?? [])].at(-1))),
    );
  });
});
