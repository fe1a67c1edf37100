/** The pods of Millwright's own components: their labels and logs, and that the components follow their pods. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Pod } from '../../src/kubernetes/types/index.ts';
import { eventually } from '../contract/eventually.ts';
import { Cluster, withKubectl } from './cluster.ts';
import { fileConfig } from './configs.ts';
import { startKubectl } from './running-kubectl.ts';

const NAMESPACE = ['--namespace', 'openshift-machine-config-operator'];
const NODES = ['master-0', 'master-1', 'master-2', 'worker-0', 'worker-1', 'worker-2'];

withKubectl('component pods', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start(['--speed', '200']);
  });
  afterAll(() => cluster.end());

  const pods = async (app: string, ...args: readonly string[]): Promise<readonly Pod[]> => {
    const selected = ['get', 'pods', ...NAMESPACE, '-l', `k8s-app=${app}`, ...args, '-o', 'json'];
    // kubectl prints the list of the server.
    return (JSON.parse(await cluster.kubectl(selected)) as { items: Pod[] }).items;
  };
  /** The name with its type: `pod/machine-config-daemon-x7k2p`. */
  const daemonOf = async (node: string) => {
    const selected = ['-l', 'k8s-app=machine-config-daemon', '--field-selector', `spec.nodeName=${node}`];
    return (await cluster.kubectl(['get', 'pods', ...NAMESPACE, ...selected, '-o', 'name'])).trim();
  };
  const daemonLog = async (node: string, ...flags: readonly string[]) =>
    await cluster.kubectl([
      'logs',
      ...NAMESPACE,
      await daemonOf(node),
      '-c',
      'machine-config-daemon',
      ...flags,
    ]);
  const change = (name: string) =>
    cluster.apply(fileConfig({ name, role: 'worker', path: `/etc/${name}`, text: 'x\n' }));

  // The first test: it is about what the start has left behind.
  it('start without warnings, and without events that mean nothing', async () => {
    const columns = 'custom-columns=TYPE:.type,REASON:.reason,ABOUT:.involvedObject.name,MESSAGE:.message';
    const events = await cluster.kubectl([
      'get',
      'events',
      '--all-namespaces',
      '--no-headers',
      '-o',
      columns,
    ]);
    const lines = events.split('\n').filter((line) => line !== '');
    expect(lines.length).toBeGreaterThan(20);
    expect(lines.filter((line) => !line.startsWith('Normal '))).toEqual([]);
    expect(lines.filter((line) => /^\S+ +Completed |=$/.test(line))).toEqual([]);
  });

  it('have the labels and container names of upstream', async () => {
    const shape = (found: readonly Pod[]) =>
      found.map(({ spec, status }) => [status?.phase, ...spec.containers.map(({ name }) => name)]);
    for (const app of ['machine-config-operator', 'machine-config-controller']) {
      expect(shape(await pods(app))).toEqual([['Running', app]]);
    }
    const daemons = await pods('machine-config-daemon');
    expect(shape(daemons)).toEqual(NODES.map(() => ['Running', 'machine-config-daemon']));
    expect(daemons.map(({ spec }) => spec.nodeName).toSorted()).toEqual(NODES);
    const table = await cluster.kubectl(['get', 'deployments,daemonsets', ...NAMESPACE]);
    expect(table).toMatch(/^daemonset\.apps\/machine-config-daemon +6 +6 +6 +6 +6 /m);
    expect(table).toMatch(/^deployment\.apps\/machine-config-controller +1\/1 +1 +1 /m);
  });

  it('show the log of the daemon of a node, and of the controller', async () => {
    expect(await daemonLog('worker-0')).toContain('Starting to manage node: worker-0');
    expect(await daemonLog('worker-0', '--tail', '1')).toMatch(/^[^\n]+\n$/);
    const controller = ['logs', ...NAMESPACE, 'deployment/machine-config-controller'];
    expect(await cluster.kubectl(controller)).not.toBe('');
    expect(
      await cluster.kubectl([...controller, '-c', 'machine-config-controller', '--since', '1h']),
    ).not.toBe('');
  });

  it('keep the previous log after a reboot', async () => {
    const following = await startKubectl(cluster.call, [
      'logs',
      ...NAMESPACE,
      await daemonOf('worker-0'),
      '--follow',
    ]);
    await change('40-reboot');
    await following.until('it prints the reboot', () => following.printed().includes('initiating reboot'));
    await cluster.wait('mcp/worker', '--for=condition=Updated');
    await following.stop();
    expect(await daemonLog('worker-0', '--previous')).toContain('initiating reboot');
    const now = await daemonLog('worker-0');
    expect(now).not.toContain('initiating reboot');
    expect(now).toContain('Starting to manage node: worker-0');
    const [daemon] = await pods('machine-config-daemon', '--field-selector', 'spec.nodeName=worker-0');
    expect(daemon?.status?.containerStatuses?.[0]?.restartCount).toBe(1);
  });

  it('of a daemon are recreated after deletion with a new daemon and a new log', async () => {
    const old = await daemonOf('worker-1');
    await cluster.kubectl(['delete', ...NAMESPACE, old]);
    const log = await eventually('the new daemon is at work', async () => {
      const next = await daemonOf('worker-1');
      if (next === '' || next === old) return undefined;
      const text = await daemonLog('worker-1').catch(() => '');
      return text.includes('Validated on-disk state') ? text : undefined;
    });
    expect(log.match(/Starting to manage node: worker-1/g)).toHaveLength(1);
    expect(log).not.toContain('initiating reboot');
  });

  it('of a daemon and of the controller can be deleted during a rollout', async () => {
    await cluster.rendered('worker', () => change('41-deleted'));
    const [controller] = await pods('machine-config-controller');
    const name = controller?.metadata.name ?? '';
    await cluster.kubectl(['delete', 'pod', ...NAMESPACE, name, '--wait=false']);
    await cluster.kubectl(['delete', ...NAMESPACE, await daemonOf('worker-2'), '--wait=false']);
    await cluster.wait('mcp/worker', '--for=condition=Updated');
    const [next] = await pods('machine-config-controller');
    expect(next?.metadata.name).not.toBe(name);
  });

  it('of a controller scaled to zero reconcile nothing until it is scaled up', async () => {
    const scale = (replicas: number) =>
      cluster.kubectl([
        'scale',
        'deployment',
        'machine-config-controller',
        ...NAMESPACE,
        `--replicas=${replicas}`,
      ]);
    const rendered = () => cluster.field('mcp/worker', '{.spec.configuration.name}');
    const before = await rendered();
    await scale(0);
    await cluster.wait('pods', ...NAMESPACE, '-l', 'k8s-app=machine-config-controller', '--for=delete');
    await change('42-scaled');
    // There is nothing to wait for: by then it would have been rendered.
    await sleep(RENDER_WINDOW_MS + 1_000);
    expect(await rendered()).toBe(before);
    await cluster.rolledOut('worker', () => scale(1));
    expect(await rendered()).not.toBe(before);
  });
});

const RENDER_WINDOW_MS = 5_000;
