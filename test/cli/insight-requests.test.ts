/**
 * What `doctor`, `dump`, `plan` and `status` ask an API server for, as a recorder between them sees it: reads alone, and only those
 * that the state of the cluster calls for.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { machineConfig, NAMESPACE } from '../../src/api/index.ts';
import { clusterRole, clusterRoleBinding } from '../../src/kubernetes/types/index.ts';
import { aConfig, aFile, type DoctorWorld, startDoctorWorld } from '../doctor/doctor-world.ts';
import { runPod } from '../rollout/pod-reaper.ts';
import { createAccount, GUARDED, setBudget } from '../rollout/story-steps.ts';
import { type RecordedServer, startRecordedServer } from '../support/recorded-server.ts';
import { runCli } from './run-cli.ts';

const OLD = `rendered-worker-${'0'.repeat(32)}`;
const USER = { name: 'ann', groups: ['system:authenticated'] };

describe('commands that look at a cluster', () => {
  let cwd = '';
  let cluster: DoctorWorld;
  let admin: RecordedServer;
  let ann: RecordedServer;

  beforeAll(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'millwright-requests-'));
    cluster = await startDoctorWorld({ masters: 1, workers: 2, daemons: 'scripted' });
    const { world } = cluster;
    await createAccount(world);
    await runPod(world, 'web-0', 'worker-0', GUARDED);
    await setBudget(world, 1);
    const { metadata: _, ...old } = aConfig(OLD, aFile('/etc/old', 'old'));
    await world.kube.create(machineConfig, { ...old, metadata: { name: OLD } });
    const recorded = { server: world.server, clock: world.env.clock, folder: cwd };
    admin = await startRecordedServer(recorded);
    ann = await startRecordedServer({ ...recorded, user: USER });
    const change = (name: string, object: object) => writeFileSync(join(cwd, name), JSON.stringify(object));
    change('reboot.json', aConfig('60-x', aFile('/etc/x', 'x')));
    change('none.json', aConfig('60-x', {}, 'nothing'));
  });
  afterAll(async () => {
    await admin.stop();
    await ann.stop();
    await cluster.stop();
    rmSync(cwd, { recursive: true });
  });

  const run = async (server: RecordedServer, ...args: readonly string[]) => {
    server.take();
    const result = await runCli([...args, '--kubeconfig', server.kubeconfig], { cwd });
    return { ...result, requests: server.take() };
  };
  const pathsOf = (requests: Awaited<ReturnType<typeof run>>['requests']) => requests.map(({ path }) => path);

  it.each([
    ['doctor', 0],
    ['doctor worker', 0],
    ['dump -o dumped', 0],
    ['plan -f reboot.json', 4],
    ['status', 0],
  ])('`%s` sends reads alone', async (line, exitCode) => {
    const result = await run(admin, ...line.split(' '));
    expect([result.exitCode, result.stderr.replace(/^\d+ objects.*\n$/, '')]).toEqual([exitCode, '']);
    expect(result.requests.length).toBeGreaterThan(0);
    expect(result.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('a diagnosis of a cluster in which nothing is stuck reads each kind once, no pods and no budgets', async () => {
    const { requests } = await run(admin, 'doctor');
    const paths = pathsOf(requests);
    expect(paths).toEqual([...new Set(paths)]);
    expect(
      paths.filter((path) => /\/(pods|poddisruptionbudgets|events|secrets|configmaps)$/.test(path)),
    ).toEqual([]);
  });

  it('a plan reads no rendered config that neither a pool nor a node has', async () => {
    const { requests } = await run(admin, 'plan', '-f', 'none.json');
    const lists = requests.filter(({ path }) => path.endsWith('/machineconfigs'));
    expect(lists.map(({ query }) => decodeURIComponent(query))).toEqual([
      '',
      `fieldSelector=metadata.name!=${OLD}`,
    ]);
  });

  it('a plan without a drain reads neither budgets nor pods, but for that of the operator', async () => {
    const { requests } = await run(admin, 'plan', '-f', 'none.json');
    const about = requests.filter(({ path }) => /\/(pods|poddisruptionbudgets|daemonsets)$/.test(path));
    expect(about.map(({ path, query }) => `${path}?${decodeURIComponent(query)}`)).toEqual([
      `/api/v1/namespaces/${NAMESPACE}/pods?labelSelector=k8s-app=machine-config-operator`,
    ]);
  });

  it('a plan with a drain reads pods of a budget only while that allows no eviction', async () => {
    const podsOf = async () => {
      const { requests, stdout } = await run(admin, 'plan', '-f', 'reboot.json');
      const lists = requests.filter(
        ({ path, query }) => path.endsWith('/pods') && !query.includes('k8s-app'),
      );
      return { stdout, lists: lists.map(({ path, query }) => `${path}?${decodeURIComponent(query)}`) };
    };
    expect((await podsOf()).lists).toEqual([]);
    await setBudget(cluster.world, 0);
    const blocked = await podsOf();
    expect(blocked.lists).toEqual(['/api/v1/namespaces/default/pods?labelSelector=app=web']);
    expect(blocked.stdout).toContain('blocked now: pod');
    await setBudget(cluster.world, 1);
  });

  it.each(['doctor', 'dump -o nothing', 'plan -f reboot.json', 'status'])(
    '`%s` of a user without any rights is an error with one line, and not an empty answer',
    async (line) => {
      const result = await run(ann, ...line.split(' '));
      expect(result.exitCode).toBeGreaterThan(0);
      expect(result.stdout).toBe('');
      expect(result.stderr).toMatch(/^millwright: .*is forbidden: User "ann" cannot list.*\n$/);
    },
  );

  it('a user with few rights gets what can be said, and what was not looked at', async () => {
    const { kube } = cluster.world;
    const resources = ['machineconfigpools', 'nodes'];
    await kube.create(clusterRole, {
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'few' } },
      rules: [{ apiGroups: ['*'], resources, verbs: ['list'] }],
    });
    await kube.create(clusterRoleBinding, {
      ...{
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'few' },
      },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'few' },
      subjects: [{ kind: 'User', name: USER.name, apiGroup: 'rbac.authorization.k8s.io' }],
    });
    await cluster.pass(5_000);
    const doctor = await run(ann, 'doctor');
    expect(doctor.exitCode).toBe(0);
    expect(doctor.stdout).toMatch(
      /^nothing that can be seen blocks this cluster\n\nnot looked at, for lack of/,
    );
    const dump = await run(ann, 'dump', '-o', 'few');
    expect([dump.exitCode, dump.stderr]).toEqual([
      0,
      expect.stringMatching(/^note: not readable for you, so not in it: .*leases.*secrets\n\d+ objects/),
    ]);
    const dumped = await runCli(['doctor', '--from', 'few'], { cwd });
    expect(dumped.stdout).toMatch(/^nothing that can be seen blocks this cluster\n/);
  });
});
