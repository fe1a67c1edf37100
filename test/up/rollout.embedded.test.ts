/**
 * A first rollout with a workload on the cluster: a file for all workers, and what the usual commands show.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MachineConfig } from '../../src/api/index.ts';
import type { Node, Pod } from '../../src/kubernetes/types/index.ts';
import { Cluster, withKubectl } from './cluster.ts';
import { fileConfig } from './configs.ts';
import { joinHistories, watchObjects } from './object-history.ts';
import { packageRoot } from './program.ts';
import { startKubectl } from './running-kubectl.ts';

const MASTERS = ['master-0', 'master-1', 'master-2'];
const WORKERS = ['worker-0', 'worker-1', 'worker-2'];
const PREFIX = 'machineconfiguration.openshift.io';
/** Of the budget in examples/web. */
const MIN_AVAILABLE = 2;

type Moment = { readonly nodes: readonly Node[]; readonly pods: readonly Pod[] };

withKubectl('a file for all workers', () => {
  let cluster: Cluster;
  let before = '';
  let after = '';
  /** Nodes, and pods of the workload, after each write that followed the change. */
  let moments: readonly Moment[] = [];
  let printedNodes = '';
  let printedPools = '';

  beforeAll(async () => {
    cluster = await Cluster.start(['--speed', '50']);
    const { call } = cluster;
    await cluster.kubectl(['apply', '-f', join(packageRoot, 'examples/web')]);
    await cluster.kubectl(['--namespace', 'web', 'rollout', 'status', 'deployment/web']);
    before = await cluster.field('mcp/worker', '{.status.configuration.name}');
    const watchedNodes = await watchObjects<Node>(call, ['nodes']);
    const watchedPods = await watchObjects<Pod>(call, ['pods', '--namespace', 'web']);
    const nodeLines = await startKubectl(call, ['get', 'nodes', '--watch']);
    const poolLines = await startKubectl(call, ['get', 'mcp', '--watch']);
    const motd = fileConfig({
      name: '50-motd',
      role: 'worker',
      path: '/etc/motd',
      text: 'hello\n',
      mode: 0o640,
    });
    await cluster.rolledOut('worker', () => cluster.apply(motd));
    after = await cluster.field('mcp/worker', '{.status.configuration.name}');
    await watchedNodes.until('all workers are Done', (now) => now.filter(isDone).length === WORKERS.length);
    const last = new RegExp(`^worker +${after} +True `, 'm');
    await poolLines.until('the last line', () => last.test(poolLines.printed()));
    printedNodes = await nodeLines.stop();
    printedPools = await poolLines.stop();
    const { metadata } = await cluster.object<MachineConfig>('machineconfig/50-motd');
    const histories = [await watchedNodes.stop(), await watchedPods.stop()];
    moments = joinHistories<Node | Pod>(histories, Number(metadata.resourceVersion)).map((now) => ({
      nodes: now.filter((one): one is Node => one.kind === 'Node'),
      pods: now.filter((one): one is Pod => one.kind === 'Pod'),
    }));
  });
  afterAll(() => cluster.end());

  const annotation = ({ metadata }: Node, name: string) => metadata.annotations?.[`${PREFIX}/${name}`] ?? '';
  const isDone = (node: Node) =>
    annotation(node, 'currentConfig') === after && annotation(node, 'state') === 'Done';

  /** The values of a node in order, without repetitions. */
  const course = (name: string, of: (node: Node) => unknown): readonly unknown[] => {
    const all = moments.flatMap(({ nodes }) => nodes.filter((node) => node.metadata.name === name).map(of));
    return all.filter((value, index) => index === 0 || value !== all[index - 1]);
  };

  it('is on every worker with its mode, and on no master', () => {
    for (const worker of WORKERS) {
      const path = cluster.onNode(worker, 'etc/motd');
      expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o7777]).toEqual(['hello\n', 0o640]);
    }
    expect(MASTERS.filter((master) => existsSync(cluster.onNode(master, 'etc/motd')))).toEqual([]);
  });

  it('cordons each worker once, one at a time, and no master', () => {
    const isCordoned = ({ spec }: Node) => spec?.unschedulable === true;
    for (const worker of WORKERS) expect(course(worker, isCordoned), worker).toEqual([false, true, false]);
    for (const master of MASTERS) expect(course(master, isCordoned), master).toEqual([false]);
    expect(Math.max(...moments.map(({ nodes }) => nodes.filter(isCordoned).length))).toBe(1);
  });

  it('takes each worker through one reboot, and no master', () => {
    const bootId = ({ status }: Node) => status?.nodeInfo?.bootID;
    for (const worker of WORKERS) expect(course(worker, bootId), worker).toHaveLength(2);
    for (const master of MASTERS) expect(course(master, bootId), master).toHaveLength(1);
    const config = (node: Node) => annotation(node, 'currentConfig');
    for (const worker of WORKERS) expect(course(worker, config), worker).toEqual([before, after]);
    const state = (node: Node) => annotation(node, 'state');
    for (const worker of WORKERS) expect(course(worker, state), worker).toEqual(['Done', 'Working', 'Done']);
  });

  it('leaves no pod of the workload on a node that is drained and not yet back', () => {
    const isAway = (node: Node) =>
      node.spec?.unschedulable === true && annotation(node, 'lastAppliedDrain') === `drain-${after}`;
    const away = moments.filter(({ nodes }) => nodes.some(isAway));
    expect(away).not.toEqual([]);
    for (const { nodes, pods } of away) {
      const names = nodes.filter(isAway).map(({ metadata }) => metadata.name);
      expect(pods.filter(({ spec }) => names.includes(spec.nodeName ?? '')).map(podText)).toEqual([]);
    }
  });

  it('moves every pod, and keeps the budget at every moment', () => {
    const nameOf = ({ metadata }: Pod) => metadata.name;
    const first = moments[0]?.pods.map(nameOf) ?? [];
    expect(first).toHaveLength(3);
    const last =
      moments.at(-1)?.pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined) ?? [];
    expect(last.filter(isAvailable)).toHaveLength(3);
    expect(first.filter((name) => last.map(nameOf).includes(name))).toEqual([]);
    const worst = moments.filter(({ pods }) => pods.filter(isAvailable).length < MIN_AVAILABLE);
    expect(worst.map(({ pods }) => pods.map(podText))).toEqual([]);
  });

  it('is shown by `kubectl get mcp --watch`, column by column', () => {
    expect(printedPools).toMatch(
      /^NAME +CONFIG +UPDATED +UPDATING +DEGRADED +MACHINECOUNT +READYMACHINECOUNT +/,
    );
    const rows = printedPools.split('\n').filter((line) => line.startsWith('worker '));
    const courses = [
      ...new Set(
        rows.map((row) => {
          const [, config, updated, updating, degraded, machines, , have, failed] = row.split(/ +/);
          return [
            config === after ? 'after' : 'before',
            updated,
            updating,
            degraded,
            machines,
            have,
            failed,
          ].join(' ');
        }),
      ),
    ];
    expect(courses).toEqual([
      'before True False False 3 3 0',
      'before False True False 3 0 0',
      'before False True False 3 1 0',
      'before False True False 3 2 0',
      'after True False False 3 3 0',
    ]);
    const masters = printedPools.split('\n').filter((line) => line.startsWith('master '));
    expect(masters.filter((line) => !/ True +False +False +3 +3 +3 +0 /.test(line))).toEqual([]);
  });

  it('is shown by `kubectl get nodes --watch`', () => {
    expect(printedNodes).toMatch(/^NAME +STATUS +ROLES +AGE +VERSION\n/);
    for (const worker of WORKERS) {
      expect(printedNodes).toMatch(
        new RegExp(`^${worker} +Ready,SchedulingDisabled +worker +\\S+ +v1\\.33\\.`, 'm'),
      );
    }
    expect(printedNodes).toMatch(/^master-0 +Ready +control-plane,master +\S+ +v1\.33\./m);
  });

  it('is shown by custom columns', async () => {
    const key = (name: string) => `.metadata.annotations.machineconfiguration\\.openshift\\.io/${name}`;
    const columns = async (args: readonly string[], ...wanted: readonly string[]) =>
      (await cluster.kubectl(['get', ...args, '-o', `custom-columns=${wanted.join(',')}`]))
        .trimEnd()
        .split('\n');
    const [schedulable, ...rows] = await columns(
      ['nodes'],
      'NAME:.metadata.name',
      'READY:.status.conditions[-1].status',
      'SCHEDULABLE:.spec.unschedulable',
      'ROLE:.metadata.labels.node-role\\.kubernetes\\.io',
      'VERSION:.status.nodeInfo.kubeletVersion',
    );
    expect(schedulable).toMatch(/^NAME +READY +SCHEDULABLE +ROLE +VERSION$/);
    expect(rows.map((row) => row.replaceAll(/ +/g, ' '))).toEqual(
      [...MASTERS, ...WORKERS].map((name) =>
        expect.stringMatching(`^${name} True <none> <none> v1\\.33\\.\\d+$`),
      ),
    );
    const configs = await columns(
      ['nodes'],
      'NAME:.metadata.name',
      `CURRENT_CONFIG:${key('currentConfig')}`,
      `DESIRED_CONFIG:${key('desiredConfig')}`,
      `STATE:${key('state')}`,
    );
    expect(configs.slice(1).map((row) => row.replaceAll(/ +/g, ' '))).toEqual([
      ...MASTERS.map((name) => expect.stringMatching(`^${name} (rendered-master-[0-9a-f]{32}) \\1 Done$`)),
      ...WORKERS.map((name) => `${name} ${after} ${after} Done`),
    ]);
    const states = await columns(
      ['nodes', '-l', 'node-role.kubernetes.io/worker'],
      'NAME:.metadata.name',
      `STATE:${key('state')}`,
    );
    expect(states).toEqual(['NAME       STATE', ...WORKERS.map((name) => `${name}   Done`)]);
    const pods = await columns(
      ['pods', '--all-namespaces', '--field-selector', 'spec.nodeName=worker-0'],
      ...['NS:.metadata.namespace', 'POD:.metadata.name', 'PDB:.metadata.annotations.pdb'],
    );
    expect(pods.join('\n')).toMatch(
      /^openshift-machine-config-operator +machine-config-daemon-\S+ +<none>$/m,
    );
  });

  it('is shown by `kubectl describe` and events', async () => {
    const described = await cluster.kubectl(['describe', 'node', 'worker-1']);
    expect(described).toMatch(new RegExp(`^Annotations: +${PREFIX}/currentConfig: ${after}$`, 'm'));
    expect(described).toMatch(/^Events:\n(.*\n)* +Warning +Rebooted .* Node worker-1 has been rebooted/m);
    const selected = ['--all-namespaces', '--field-selector', 'involvedObject.name=worker-1'];
    const events = await cluster.kubectl(['get', 'events', ...selected, '-o', 'jsonpath={.items[*].reason}']);
    const wanted = ['Cordon', 'Drain', 'Reboot', 'Rebooted', 'Uncordon', 'NodeDone'];
    expect(events.split(' ')).toEqual(expect.arrayContaining(wanted));
    const configs = await cluster.kubectl(['get', 'mc', '-o', 'name']);
    expect(configs.split('\n').filter((name) => name.includes('/rendered-worker-'))).toHaveLength(2);
  });

  it('is reported in single lines by `up`, besides the ready line', async () => {
    expect(cluster.up.stdout()).toMatch(
      /^ready kubeconfig=\S+ server=https:\/\/127\.0\.0\.1:\d+ registry=\S+\n$/,
    );
    await cluster.untilPrinted(new RegExp(`^worker: updated: all 3 nodes have ${after}$`, 'm'));
    const stderr = cluster.up.stderr();
    expect(stderr).toMatch(new RegExp(`^worker: rolling out ${after} to 3 nodes$`, 'm'));
    const updated = [...stderr.matchAll(/^worker: (\S+) is updated, (\d) of 3, .*, with a reboot$/gm)];
    // The order of nodes is not fixed.
    expect(updated.map(([, node]) => node).toSorted()).toEqual(WORKERS);
    expect(updated.map(([, , count]) => count)).toEqual(['1', '2', '3']);
  });

  it('does not interfere with a manual drain', async () => {
    const flags = ['--force', '--ignore-daemonsets', '--delete-emptydir-data'];
    await cluster.kubectl(['drain', 'worker-1', ...flags]);
    const left = ['get', 'pods', '-n', 'web', '--field-selector', 'spec.nodeName=worker-1', '-o', 'name'];
    expect(await cluster.kubectl(left)).toBe('');
    expect(await cluster.kubectl(['get', 'node', 'worker-1'])).toContain('Ready,SchedulingDisabled');
    await cluster.kubectl(['uncordon', 'worker-1']);
  });
});

function isAvailable({ metadata, status }: Pod): boolean {
  const isReady = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
  return isReady === true && metadata.deletionTimestamp === undefined;
}

function podText({ metadata, spec, status }: Pod): string {
  return `${metadata.name} on ${spec.nodeName}: ${status?.phase}`;
}
