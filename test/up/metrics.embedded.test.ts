/** `kubectl get --raw /metrics` on the embedded cluster: the real metrics of all components, for those who may read them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { everyDefinition } from '../../scripts/metric-definitions.ts';
import { hasPromtool, metricProblems } from '../monitoring/promtool.ts';
import { Cluster, withKubectl } from './cluster.ts';
import { fileConfig } from './configs.ts';

withKubectl('metrics of the embedded cluster', () => {
  let cluster: Cluster;
  let text = '';
  beforeAll(async () => {
    cluster = await Cluster.start(['--speed', '10', '--control-plane', '1', '--workers', '1']);
    await cluster.rendered('worker', () =>
      cluster.apply(fileConfig({ name: '50-metrics', role: 'worker', path: '/etc/metrics', text: 'x\n' })),
    );
    await cluster.wait('mcp/worker', '--for=condition=Updated');
    text = await cluster.kubectl(['get', '--raw', '/metrics']);
  });
  afterAll(() => cluster.end());

  const linesOf = (name: string) => text.split('\n').filter((line) => line.startsWith(`${name}{`));

  it.each([
    ['machine-config-operator', 'leader_election_master_status'],
    ['machine-config-controller', 'mco_updated_machine_count'],
    ['machine-os-builder', 'mco_mosc_count'],
    ['machine-config-server', 'millwright_api_requests_total'],
    ['machine-config-daemon', 'mcd_state'],
  ])('have those of %s, with its pod', (container, name) => {
    const found = linesOf(name).filter((line) => line.includes(`container="${container}"`));
    expect(found).not.toEqual([]);
    for (const line of found)
      expect(line).toMatch(/namespace="openshift-machine-config-operator",pod="[^"]+"/);
  });

  it('have the time of each phase of an update', () => {
    for (const phase of ['draining', 'rebooting'])
      expect(linesOf('millwright_node_update_phase_seconds_count').join()).toContain(
        `pool="worker",phase="${phase}"`,
      );
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
  });

  it('have only metrics that are documented', () => {
    const known = new Set(everyDefinition().map(({ name }) => name));
    const found = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
    expect(found.length).toBeGreaterThan(40);
    expect(found.filter((name) => !known.has(name))).toEqual([]);
  });

  it.skipIf(!hasPromtool)('are the text format that promtool reads', () => {
    expect(metricProblems(text)).toEqual([]);
  });

  it('are refused to users without permission', async () => {
    await cluster.kubectl(['create', 'serviceaccount', 'nobody']);
    const user = 'system:serviceaccount:default:nobody';
    await expect(cluster.kubectl(['get', '--raw', '/metrics', '--as', user])).rejects.toThrow(
      'cannot get path',
    );
  });
});
