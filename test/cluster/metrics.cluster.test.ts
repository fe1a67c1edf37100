/** Metrics of all components, as docs/metrics.md says that they are reached. */
import { afterAll, describe, expect, it } from 'vitest';
import { machineConfig as machineConfigKind } from '../../src/api/index.ts';
import { type Pod, pod as podKind } from '../../src/kubernetes/types/index.ts';
import { aConfig } from '../lab/lab-actions.ts';
import { metricProblems } from '../monitoring/promtool.ts';
import type { Cluster } from './cluster.ts';
import { installMillwright, NAMESPACE, untilUpdated } from './millwright.ts';
import { findPrograms } from './needs.ts';
import { serverValues } from './server-values.ts';
import { story } from './story.ts';

// Two of them for the image of the builder.
const programs = await findPrograms(['promtool', 'buildah', 'newuidmap']);

/** A metric of its own that each component has from the beginning, and the port of its metrics for others. */
const COMPONENTS: Readonly<Record<string, { readonly own: string; readonly port: number }>> = {
  'machine-config-operator': { own: 'leader_election_master_status{name="machine-config"}', port: 9001 },
  'machine-config-controller': {
    own: 'leader_election_master_status{name="machine-config-controller"}',
    port: 9001,
  },
  'machine-os-builder': { own: 'leader_election_master_status{name="machine-os-builder"}', port: 9001 },
  'machine-config-daemon': { own: 'mcd_host_os_and_version{', port: 9001 },
  'machine-config-server': { own: 'millwright_server_requests_total{code="200"}', port: 9002 },
};
const NAMES = Object.keys(COMPONENTS);
const LOCAL_PORT = 8797;
const ACCOUNTS = ['scraper', 'stranger'];

describe.skipIf('unavailable' in programs)('metrics', () => {
  let cluster: Cluster;
  const tokens = new Map<string, string>();
  story.beforeAll(async ({ cluster: shared }) => {
    cluster = shared;
    await installMillwright(cluster, { values: { builder: { enabled: true }, ...serverValues(cluster) } });
    await untilUpdated(cluster);
    for (const name of ACCOUNTS) {
      await cluster.kubectl(['create', 'serviceaccount', name]);
      tokens.set(name, (await cluster.kubectl(['create', 'token', name])).trim());
    }
    await cluster.kubectl([
      ...['create', 'clusterrolebinding', 'scraper', '--clusterrole=machine-config-metrics-reader'],
      '--serviceaccount=default:scraper',
    ]);
  });
  afterAll(async () => {
    await cluster?.kubectl(['delete', 'clusterrolebinding', 'scraper']);
    await cluster?.kubectl(['delete', 'serviceaccount', ...ACCOUNTS]);
  });

  const podsOf = async (component: string): Promise<readonly Pod[]> => {
    const selection = { namespace: NAMESPACE, labelSelector: `k8s-app=${component}` };
    const { items } = await cluster.kube.list(podKind, selection);
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  };

  /** By a network that everybody reaches. */
  const scrape = ({ status }: Pod, component: string, token?: string) => {
    const url = `https://${status?.podIP}:${COMPONENTS[component]?.port}/metrics`;
    return cluster.fetch(url, token === undefined ? {} : { Authorization: `Bearer ${token}` });
  };

  it.each(NAMES)(
    'of %s are given to an account that may read them, in a form that Prometheus reads',
    async (name) => {
      const pods = await podsOf(name);
      expect(pods.length).toBeGreaterThan(0);
      for (const pod of pods) {
        const { status, text } = await scrape(pod, name, tokens.get('scraper'));
        expect([pod.metadata.name, status]).toEqual([pod.metadata.name, 200]);
        expect(text).toContain(`\n${COMPONENTS[name]?.own}`);
        expect(metricProblems(text)).toEqual([]);
      }
    },
  );

  it.each(NAMES)('of %s are given to nobody else', async (name) => {
    for (const pod of await podsOf(name)) {
      expect(await scrape(pod, name)).toMatchObject({ status: 401 });
      expect(await scrape(pod, name, 'no-token-of-this-cluster')).toMatchObject({ status: 401 });
      expect(await scrape(pod, name, tokens.get('stranger'))).toEqual({
        status: 403,
        text: 'user "system:serviceaccount:default:stranger" may not get the non-resource URL /metrics\n',
      });
    }
  });

  it.each(NAMES.filter((name) => name !== 'machine-config-server'))(
    'of %s are on its loopback, by kubectl port-forward',
    async (name) => {
      const [pod] = await podsOf(name);
      const target = `pod/${pod?.metadata.name}`;
      const place = { namespace: NAMESPACE, target, port: LOCAL_PORT };
      const { status, text } = await cluster.fetchForwarded({ ...place, path: '/metrics' });
      expect(status).toBe(200);
      expect(text).toContain(`\n${COMPONENTS[name]?.own}`);
      expect(metricProblems(text)).toEqual([]);
      // From elsewhere the port is closed.
      await expect(cluster.fetch(`http://${pod?.status?.podIP}:${LOCAL_PORT}/metrics`)).rejects.toThrow(
        'Failed to connect',
      );
    },
  );

  it('count the updates of a rollout, and time their phases, in the leader of the controllers alone', async () => {
    const read = async () => {
      const pods = await podsOf('machine-config-controller');
      const texts = pods.map(async (pod) => {
        return (await scrape(pod, 'machine-config-controller', tokens.get('scraper'))).text;
      });
      const leading = (await Promise.all(texts)).filter((text) =>
        text.includes('\nleader_election_master_status{name="machine-config-controller"} 1\n'),
      );
      expect(leading.length).toBe(1);
      return leading[0] ?? '';
    };
    const before = await read();
    const after = await untilUpdated(cluster);
    await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(UNDISTURBED));
    const files = { [STORY_FILE]: 'counted\n' };
    await cluster.kube.apply(machineConfigKind, aConfig('50-metrics', { files }));
    await untilUpdated(cluster, { after });
    const text = await read();
    const more = (name: string) => readingOf(text, name) - readingOf(before, name);
    const { length } = cluster.machines;
    expect(readingOf(text, 'mco_updated_machine_count{pool="worker"}')).toBe(length);
    expect(more('millwright_node_update_seconds_count{pool="worker"}')).toBe(length);
    const phase = (one: string) => `millwright_node_update_phase_seconds_count{pool="worker",phase="${one}"}`;
    expect(more(phase('applying-files-and-os'))).toBe(length);
    // Nobody was disturbed.
    expect([more(phase('draining')), more(phase('rebooting'))]).toEqual([0, 0]);
    expect(metricProblems(text)).toEqual([]);
  });
});

const STORY_FILE = '/etc/counted';

/** The rollout neither drains nor reboots: the leader stays, and with it its counters. */
const UNDISTURBED = {
  apiVersion: 'operator.openshift.io/v1',
  kind: 'MachineConfiguration',
  metadata: { name: 'cluster' },
  spec: {
    managementState: 'Managed',
    nodeDisruptionPolicy: { files: [{ path: STORY_FILE, actions: [{ type: 'None' }] }] },
  },
};

/** Of a series; one that is not there counts as 0. */
function readingOf(text: string, series: string): number {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? 0 : Number(line.slice(series.length));
}
