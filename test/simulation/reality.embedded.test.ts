/**
 * `millwright simulate` beside reality: five changes on an embedded cluster, each simulated first, then made and measured. The durations of
 * sandboxes are known and divided by the speed of the cluster, which it publishes: what is compared is how controllers, drains and daemons
 * add them up.
 *
 * Compared are ratios, never bare times. On a machine with other work the cluster waits for a processor, some of it while it would have waited
 * anyway: all of that wait is what the measurement may be too long by. On an idle machine there is none.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MachineConfigPool } from '../../src/api/index.ts';
import { runCli } from '../cli/run-cli.ts';
import { Cluster, withKubectl } from '../up/cluster.ts';
import { fileConfig } from '../up/configs.ts';
import { type Watching, watchObjects } from '../up/object-history.ts';

const FLAGS = ['--speed', '10', '--control-plane', '1', '--workers', '3'];
/** With `npm run test:simulate`, on a machine that does nothing else; otherwise ratios are printed only. */
const IS_MEASURING = process.env.MILLWRIGHT_MEASURE === '1';
/** By how much a prediction may be off. */
const TOLERANCE = 0.15;
const GROUP = 'machineconfiguration.openshift.io';

type Predicted = {
  readonly outcome: string;
  readonly durationSeconds: { readonly p50: number };
  readonly nodes: readonly { readonly name: string; readonly isRebooted: boolean }[];
  readonly assumed: { readonly times: unknown };
};

withKubectl('a simulation of a change on an embedded cluster', () => {
  let cluster: Cluster;
  let pools: Watching<MachineConfigPool>;
  beforeAll(async () => {
    cluster = await Cluster.start(FLAGS);
    pools = await watchObjects<MachineConfigPool>(cluster.call, ['mcp']);
  });
  afterAll(async () => {
    await pools.stop();
    await cluster.end();
  });

  const simulate = async (manifests: string): Promise<Predicted> => {
    const flags = ['-o', 'json', '--seeds', '1', '--kubeconfig', cluster.up.kubeconfig];
    const args = ['simulate', '-f', '-', ...flags];
    const { exitCode, stdout, stderr } = await runCli(args, { stdin: manifests });
    expect(exitCode, stderr).toBe(0);
    return JSON.parse(stdout) as Predicted;
  };

  /** From the answer to the request until the pool says that it is updated. */
  const measure = async (manifests: string): Promise<Measured> => {
    const target = (pool: MachineConfigPool) => pool.spec.configuration?.name;
    const worker = () => pools.now().find(({ metadata }) => metadata.name === 'worker');
    const before = worker()?.spec.configuration?.name;
    await cluster.apply(manifests);
    const [beganMs, waitedMs] = [performance.now(), waitedForProcessorMs(cluster.up.pid)];
    await pools.until('the pool is updated', (now) =>
      now.some((pool) => pool.metadata.name === 'worker' && target(pool) !== before && isUpdated(pool)),
    );
    const waiting = (waitedForProcessorMs(cluster.up.pid) - waitedMs) / 1000;
    const most = (performance.now() - beganMs) / 1000;
    return { most, least: Math.max(0, most - waiting) };
  };

  const compare = async (what: string, ...objects: readonly string[]) => {
    const manifests = objects.join('\n---\n');
    const predicted = await simulate(manifests);
    expect(predicted.outcome).toBe('ends');
    expect(predicted.assumed.times).toEqual({ kind: 'sandbox', speed: 10 });
    const measured = await measure(manifests);
    const seconds = predicted.durationSeconds.p50;
    const { least, most } = measured;
    const [high, low] = [least, most].map((one) => seconds / one);
    const busy = `${(most - least).toFixed(1)} s of waiting for a processor`;
    process.stdout.write(
      `${what}: predicted ${seconds.toFixed(1)} s, measured ${most.toFixed(1)} s with ${busy}, ratio ${low?.toFixed(2)}\n`,
    );
    if (IS_MEASURING) {
      expect(high).toBeGreaterThan(1 - TOLERANCE);
      expect(low).toBeLessThan(1 + TOLERANCE);
    }
    return predicted;
  };

  it('predicts how long a file takes that reboots one worker after the other', async () => {
    const { nodes } = await compare('a file, one at a time', aFile('60-rebooted', '/etc/rebooted'));
    expect(nodes.map(({ isRebooted }) => isRebooted)).toEqual([true, true, true]);
  });

  it('predicts how long a file takes that only reloads a service', async () => {
    const { nodes } = await compare('a file with a reload', POLICY, aFile('60-reloaded', '/etc/reloaded'));
    expect(nodes.map(({ isRebooted }) => isRebooted)).toEqual([false, false, false]);
  });

  it('predicts how long an OS image takes, with its download', async () => {
    const place = ['--namespace', 'openshift-machine-config-operator', '-o', 'jsonpath={.data}'];
    const images = await cluster.kubectl(['get', 'configmap/sandbox-os-images', ...place]);
    const next = Object.values<string>(JSON.parse(images))[1] ?? '';
    await compare('an OS image', machineConfig('60-os', { config: IGNITION, osImageURL: next }));
  });

  it('predicts how long drains take that a disruption budget slows down', async () => {
    await cluster.apply(APPLICATION, BUDGET);
    await cluster.kubectl(['rollout', 'status', 'deployment/web', '--timeout=60s']);
    await compare(
      'kernel arguments, with a budget',
      machineConfig('60-kernel', { config: IGNITION, kernelArguments: ['quiet'] }),
    );
  });

  it('predicts how long it takes with two workers at a time', async () => {
    const unit = { name: 'simulated.service', enabled: true, contents: UNIT };
    const config = { ...IGNITION, systemd: { units: [unit] } };
    await compare('a unit, two at a time', pool({ maxUnavailable: 2 }), machineConfig('60-unit', { config }));
  });
});

/** In seconds: what the clock says, and that without all waits for a processor. */
type Measured = { readonly most: number; readonly least: number };

/** Of all threads of a process since its start, which take turns; 0 where the system does not count it. */
function waitedForProcessorMs(pid: number): number {
  const folder = `/proc/${pid}/task`;
  const threads = existsSync(folder) ? readdirSync(folder) : [];
  const waits = threads.map((thread) => {
    const path = join(folder, thread, 'schedstat');
    const [, nanoseconds = '0'] = existsSync(path) ? readFileSync(path, 'utf8').split(' ') : [];
    return Number(nanoseconds) / 1e6;
  });
  return waits.reduce((sum, ms) => sum + ms, 0);
}

function isUpdated({ metadata, spec, status }: MachineConfigPool): boolean {
  const updated = status?.conditions?.find(({ type }) => type === 'Updated');
  return (
    updated?.status === 'True' &&
    status?.configuration?.name === spec.configuration?.name &&
    status?.observedGeneration === metadata.generation
  );
}

const IGNITION = { ignition: { version: '3.5.0' } };
const UNIT = '[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n';

function object(apiVersion: string, kind: string, metadata: object, spec: object): string {
  return JSON.stringify({ apiVersion, kind, metadata, spec });
}

function machineConfig(name: string, spec: object): string {
  return object(`${GROUP}/v1`, 'MachineConfig', { name, labels: { [`${GROUP}/role`]: 'worker' } }, spec);
}

function pool(spec: object): string {
  return object(`${GROUP}/v1`, 'MachineConfigPool', { name: 'worker' }, spec);
}

function aFile(name: string, path: string): string {
  return fileConfig({ name, role: 'worker', path, text: 'simulated\n' });
}

const POLICY = object(
  'operator.openshift.io/v1',
  'MachineConfiguration',
  { name: 'cluster' },
  {
    nodeDisruptionPolicy: {
      files: [
        { path: '/etc/reloaded', actions: [{ type: 'Reload', reload: { serviceName: 'crio.service' } }] },
      ],
    },
  },
);

const LABELS = { app: 'web' };
/** Its pods take ten seconds to end at speed 1. */
const APPLICATION = object(
  'apps/v1',
  'Deployment',
  { name: 'web', namespace: 'default' },
  {
    replicas: 3,
    selector: { matchLabels: LABELS },
    template: {
      metadata: { labels: LABELS, annotations: { 'millwright.dev/simulated-termination-seconds': '10' } },
      spec: { containers: [{ name: 'web', image: 'registry.example/web' }] },
    },
  },
);
const BUDGET = object(
  'policy/v1',
  'PodDisruptionBudget',
  { name: 'web', namespace: 'default' },
  { maxUnavailable: 1, selector: { matchLabels: LABELS } },
);
