/**
 * A sample of plans on an embedded cluster: `millwright plan`, then `kubectl apply`, then a comparison of what was planned with what
 * happened. Every request of the command goes through a recorder.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { FleetPlan } from '../../src/insight/index.ts';
import { runCli } from '../cli/run-cli.ts';
import { Cluster, withKubectl } from '../up/cluster.ts';
import { fileConfig } from '../up/configs.ts';
import { retargeted, targetOf } from '../up/pool-updates.ts';
import { type ApiRecorder, startApiRecorder } from './api-recorder.ts';
import { type Observed, type ObservedNodes, observeNodes } from './observed-nodes.ts';
import { type Deeds, orderByPool, predictedDeeds, predictedOrder } from './prediction.ts';

/** In the order of their zones. */
const WORKERS = ['worker-1', 'worker-0'];
const ZONES = { 'worker-0': 'b', 'worker-1': 'a' };

withKubectl('a plan on an embedded cluster', () => {
  let cluster: Cluster;
  let recorder: ApiRecorder;
  let observed: ObservedNodes;
  beforeAll(async () => {
    cluster = await Cluster.start(['--speed', '50', '--control-plane', '1', '--workers', '2']);
    for (const [node, zone] of Object.entries(ZONES)) {
      await cluster.kubectl(['label', 'node', node, `topology.kubernetes.io/zone=${zone}`]);
    }
    recorder = await startApiRecorder(cluster.up.kubeconfig, join(cluster.dataDir, 'recorded'));
    observed = await observeNodes(cluster, ['master-0', ...WORKERS]);
  });
  afterAll(async () => {
    await observed.stop();
    await recorder.close();
    await cluster.end();
  });

  const plan = async (args: readonly string[], stdin = ''): Promise<FleetPlan> => {
    const run = await runCli(['plan', ...args, '-o', 'json', '--kubeconfig', recorder.kubeconfig], { stdin });
    expect([run.exitCode, run.stderr]).toEqual([expect.toBeOneOf([0, 3, 4]), '']);
    return JSON.parse(run.stdout) as FleetPlan;
  };

  /** Plans the change, makes it, waits for the targets that were planned, and compares. */
  const hold = async (args: readonly string[], stdin: string, act: () => Promise<unknown>) => {
    const made = await plan(args, stdin);
    const happened = await observed.during(async () => {
      const before = await Promise.all(made.pools.map(({ name }) => targetOf(cluster, name)));
      await act();
      for (const [index, { name, to, isPaused }] of made.pools.entries()) {
        const from = before[index] ?? '';
        if (to !== from) expect(await retargeted(cluster, name, from)).toBe(to);
        if (isPaused) continue;
        await cluster.wait(`mcp/${name}`, `--for=jsonpath={.status.configuration.name}=${to}`);
        await cluster.wait(`mcp/${name}`, '--for=condition=Updated');
      }
    });
    expect([orderByPool(happened.targeted, made), happened.nodes]).toEqual([
      predictedOrder(made),
      predictedDeeds(made),
    ]);
    return { plan: made, happened };
  };
  const apply = (...objects: readonly string[]) => {
    const text = objects.join('\n---\n');
    return hold(['-f', '-'], text, () => cluster.apply(text));
  };

  it('predicts a reboot for a file that no policy covers, in the order of zones', async () => {
    const { happened } = await apply(aFile('60-rebooted', '/etc/rebooted'));
    expect(happened).toEqual(allOf({ isDrained: true, isRebooted: true, services: [] }, 1));
  });

  it('predicts the reload of a policy that comes with its file', async () => {
    const { happened } = await apply(POLICY, aFile('60-reloaded', '/etc/reloaded'));
    expect(happened).toEqual(
      allOf({ isDrained: false, isRebooted: false, services: ['reload crio.service'] }, 0),
    );
  });

  it('predicts that an SSH key disturbs nothing', async () => {
    const users = [{ name: 'core', sshAuthorizedKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPlan one'] }];
    const { happened } = await apply(machineConfig('60-key', { config: { ...IGNITION, passwd: { users } } }));
    expect(happened).toEqual(allOf({ isDrained: false, isRebooted: false, services: [] }, 0));
  });

  it('predicts two nodes at a time for a unit, where the pool allows it', async () => {
    const contents = '[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n';
    const units = [{ name: 'planned.service', enabled: true, contents }];
    const unit = machineConfig('60-unit', { config: { ...IGNITION, systemd: { units } } });
    const { plan: made, happened } = await apply(pool({ maxUnavailable: 2 }), unit);
    expect(made.pools.map(({ maxUnavailable }) => maxUnavailable)).toEqual([2]);
    expect(happened).toEqual(allOf({ isDrained: true, isRebooted: true, services: [] }, 2));
  });

  it('predicts that a paused pool stays as it is, and what its resumption leads to', async () => {
    const kernel = machineConfig('60-kernel', { config: IGNITION, kernelArguments: ['quiet'] });
    const paused = await apply(pool({ maxUnavailable: 2, paused: true }), kernel);
    expect(paused.plan.pools.map(({ isPaused }) => isPaused)).toEqual([true]);
    expect(paused.happened.targeted).toEqual([]);
    const { happened } = await apply(pool({ maxUnavailable: 2, paused: false }));
    expect(happened).toEqual(allOf({ isDrained: true, isRebooted: true, services: [] }, 2));
  });

  it('predicts what is generated from a KubeletConfig and a ContainerRuntimeConfig', async () => {
    const { happened } = await apply(KUBELET, RUNTIME);
    expect(happened).toEqual(allOf({ isDrained: true, isRebooted: true, services: [] }, 2));
  });

  it('predicts that mirrors for digests reload the container runtime of all nodes', async () => {
    const { happened } = await apply(MIRRORS);
    expect(happened.targeted.toSorted()).toEqual(['master-0', ...WORKERS.toSorted()]);
    expect(new Set(Object.values(happened.nodes).flatMap(({ services }) => services))).toEqual(
      new Set(['reload crio.service']),
    );
    expect(happened.cordonedAtOnce).toBe(0);
  });

  it('predicts what the deletion of a MachineConfig and of settings leads to', async () => {
    const names = ['kubeletconfig/pods', 'machineconfig/60-rebooted'];
    const flags = names.flatMap((name) => ['--delete', name]);
    const { happened } = await hold(flags, '', () => cluster.kubectl(['delete', ...names]));
    expect(happened).toEqual(allOf({ isDrained: true, isRebooted: true, services: [] }, 2));
  });

  it('does not call a change invalid that it may not compare with the cluster', async () => {
    await cluster.kubectl(['create', 'serviceaccount', 'stranger']);
    const token = (await cluster.kubectl(['create', 'token', 'stranger'])).trim();
    const kubeconfig = parse(readFileSync(cluster.up.kubeconfig, 'utf8'));
    kubeconfig.users[0].user = { token };
    const path = join(cluster.dataDir, 'stranger');
    // JSON is YAML.
    writeFileSync(path, JSON.stringify(kubeconfig));
    const stdin = aFile('60-stranger', '/etc/stranger');
    const run = await runCli(['plan', '-f', '-', '--kubeconfig', path], { stdin });
    expect(run).toEqual({ exitCode: 2, stdout: '', stderr: expect.stringMatching(/ is forbidden: User /) });
  });

  it('sends nothing but reads', () => {
    expect(recorder.requests.length).toBeGreaterThan(0);
    expect(recorder.requests.filter((one) => !one.startsWith('GET '))).toEqual([]);
  });
});

/** Everything that happens where all workers do the same. */
function allOf(deeds: Deeds, cordonedAtOnce: number): Observed {
  return {
    targeted: WORKERS,
    nodes: Object.fromEntries(WORKERS.map((name) => [name, deeds])),
    cordonedAtOnce,
  };
}

const GROUP = 'machineconfiguration.openshift.io';
const IGNITION = { ignition: { version: '3.5.0' } };
const SELECTED = { machineConfigPoolSelector: { matchLabels: { [`pools.operator.${GROUP}/worker`]: '' } } };

function object(apiVersion: string, kind: string, metadata: object, spec: object): string {
  return JSON.stringify({ apiVersion, kind, metadata, spec });
}

function machineConfig(name: string, spec: object): string {
  return object(`${GROUP}/v1`, 'MachineConfig', { name, labels: { [`${GROUP}/role`]: 'worker' } }, spec);
}

function aFile(name: string, path: string): string {
  return fileConfig({ name, role: 'worker', path, text: 'planned\n' });
}

function pool(spec: object): string {
  return object(`${GROUP}/v1`, 'MachineConfigPool', { name: 'worker' }, spec);
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
const KUBELET = object(
  `${GROUP}/v1`,
  'KubeletConfig',
  { name: 'pods' },
  {
    ...SELECTED,
    kubeletConfig: { maxPods: 123 },
  },
);
const RUNTIME = object(
  `${GROUP}/v1`,
  'ContainerRuntimeConfig',
  { name: 'pids' },
  {
    ...SELECTED,
    containerRuntimeConfig: { pidsLimit: 4096 },
  },
);
const MIRRORS = object(
  'config.openshift.io/v1',
  'ImageDigestMirrorSet',
  { name: 'mirrors' },
  {
    imageDigestMirrors: [{ source: 'registry.example/a', mirrors: ['mirror.example/a'] }],
  },
);
