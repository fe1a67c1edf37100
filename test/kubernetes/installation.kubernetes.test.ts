/** What `millwright install` prints, on a real API server: accepted, without warnings, and the same when it is applied again. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { findHelm } from '../clients/find-helm.ts';
import { startKubernetes } from './kubernetes.ts';
import { findKubectl } from './programs.ts';

const cluster = await startKubernetes();
const helm = await findHelm();
const chart = fileURLToPath(new URL('../../charts/millwright', import.meta.url));
const reason = 'unavailable' in cluster ? ` (skipped: ${cluster.unavailable})` : '';

const VERSIONS = '{range .items[*]}{.kind} {.metadata.name} {.metadata.resourceVersion}{"\\n"}{end}';

describe.skipIf('unavailable' in cluster)(`an installation${reason}`, () => {
  let folder = '';
  let printed = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millwright-installation-'));
    printed = (await runCli(['install'])).stdout;
    await writeFile(join(folder, 'all.yaml'), printed);
    // In a dry run, objects cannot be in a namespace that the same run would create.
    const namespaces = printed.split(/^---$/m).filter((one) => one.includes('\nkind: Namespace\n'));
    await writeFile(join(folder, 'namespaces.yaml'), namespaces.join('---'));
  });
  afterAll(async () => {
    if (!('unavailable' in cluster)) await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const kubectl = async (...args: readonly string[]) => {
    const program = await findKubectl();
    if (typeof program !== 'string' || 'unavailable' in cluster) throw new Error('kubectl is not available');
    const env = { ...process.env, HOME: folder, KUBECONFIG: cluster.kubeconfigPath };
    const { stdout, stderr } = await promisify(execFile)(program, [...args], { env });
    return { lines: stdout.trim().split('\n'), stderr };
  };
  const count = () => printed.split(/^---$/m).length - 1;

  it('is accepted as a whole by a dry run, without warnings', async () => {
    await kubectl('apply', '-f', join(folder, 'namespaces.yaml'));
    const { lines, stderr } = await kubectl('apply', '--dry-run=server', '-f', join(folder, 'all.yaml'));
    expect(stderr).toBe('');
    expect(lines).toHaveLength(count());
    expect(lines.filter((line) => !line.endsWith('(server dry run)'))).toEqual([]);
  });

  it('is applied, and is unchanged when it is applied again', async () => {
    const { lines, stderr } = await kubectl('apply', '-f', join(folder, 'all.yaml'));
    expect(stderr).toBe('');
    expect(lines).toHaveLength(count());
    const versions = async () =>
      (await kubectl('get', '-f', join(folder, 'all.yaml'), '-o', `jsonpath=${VERSIONS}`)).lines;
    const before = await versions();
    expect(before).toHaveLength(count());
    // kubectl says `configured` where it sends defaults of the server again, which changes nothing.
    await kubectl('apply', '-f', join(folder, 'all.yaml'));
    // The status of new CRDs is written by the server itself.
    const isCrd = (line: string) => line.startsWith('CustomResourceDefinition ');
    expect((await versions()).filter((line) => !isCrd(line))).toEqual(before.filter((line) => !isCrd(line)));
  });

  it('takes over CRDs by server-side apply, as an upgrade with Helm needs it', async () => {
    await writeFile(join(folder, 'crds.yaml'), (await runCli(['install', '--crds-only'])).stdout);
    const apply = ['apply', '--server-side', '--force-conflicts', '-f', join(folder, 'crds.yaml')];
    const { lines, stderr } = await kubectl(...apply);
    expect(stderr).toBe('');
    expect(lines.filter((line) => !line.endsWith(' serverside-applied'))).toEqual([]);
  });

  it('warns of an annotation that names no pre-flight check, and accepts it', async () => {
    const config = (value: string) => ({
      ...{ apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig' },
      metadata: { name: '50-worker-mine', annotations: { 'millwright.dev/skip-preflight': value } },
      spec: { config: { ignition: { version: '3.5.0' } } },
    });
    const file = join(folder, 'machine-config.json');
    const create = async (value: string) => {
      await writeFile(file, JSON.stringify(config(value)));
      return (await kubectl('create', '--dry-run=server', '-f', file)).stderr;
    };
    expect(await create('kubelet-unit, space')).toBe('');
    expect(await create('space, kubelet-unti')).toContain(
      'skip-preflight names kubelet-unti, which is no pre-flight check: use true for all, or some of kubelet-unit,',
    );
  });

  const uninstall = async (...args: readonly string[]) => {
    if ('unavailable' in cluster) throw new Error(cluster.unavailable);
    const run = await runCli(['uninstall', '--kubeconfig', cluster.kubeconfigPath, ...args]);
    expect([run.exitCode, run.stderr]).toEqual([0, '']);
    return run.stdout;
  };
  const left = async (kind: string) =>
    (
      await kubectl('get', '-f', join(folder, 'all.yaml'), '--ignore-not-found', '-o', `jsonpath=${VERSIONS}`)
    ).lines.filter((line) => line !== '' && !line.startsWith(`${kind} `) && !line.startsWith('Namespace '));

  it('is removed but for namespaces and CRDs, and a second removal finds nothing to do', async () => {
    const before = await left('CustomResourceDefinition');
    expect(await uninstall('--dry-run')).toContain('would delete NetworkPolicy: 5\n');
    expect(await left('CustomResourceDefinition')).toEqual(before);
    expect(await uninstall('--yes')).toContain('deleted NetworkPolicy: 5\n');
    expect(await left('CustomResourceDefinition')).toEqual([]);
    expect(await uninstall('--yes')).toMatch(/^cluster: .*\nMillwright is not installed here\nremains:\n/);
  });

  it('is removed with its CRDs, also where objects have finalizers of a controller that is gone', async () => {
    const config = {
      ...{ apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'KubeletConfig' },
      metadata: { name: 'mine', finalizers: ['99-worker-generated-kubelet'] },
      spec: {},
    };
    await writeFile(join(folder, 'config.json'), JSON.stringify(config));
    await kubectl('create', '-f', join(folder, 'config.json'));
    await uninstall('--yes', '--delete-crds');
    expect(await left('')).toEqual([]);
    await uninstall('--yes', '--delete-crds');
  });

  it('is accepted in another namespace, and found there and removed', async () => {
    const file = join(folder, 'machines.yaml');
    await writeFile(file, (await runCli(['install', '--namespace', 'machines'])).stdout);
    const { stderr } = await kubectl('apply', '--server-side', '--force-conflicts', '-f', file);
    expect(stderr).toBe('');
    const KINDS = ['DaemonSet', 'Deployment', 'NetworkPolicy', 'ServiceAccount'];
    const inMachines = async () =>
      (await kubectl('get', KINDS.join(), '-n', 'machines', '-o', 'jsonpath={.items[*].metadata.name}')).lines
        .join()
        .split(' ');
    const usual = printed
      .split(/^---$/m)
      .filter((one) => KINDS.some((kind) => one.includes(`\nkind: ${kind}\n`)))
      .map((one) => /^metadata:\n(?: {2}.*\n)*? {2}name: (.*)$/m.exec(one)?.[1]);
    expect((await inMachines()).sort()).toEqual(usual.sort());
    expect(await uninstall('--yes', '--delete-crds')).toContain('  namespaces machines, openshift-config,');
    expect(await inMachines()).toEqual(['']);
  });

  it.skipIf(typeof helm !== 'string')(
    'is installed, upgraded and removed by Helm, which keeps namespaces and CRDs',
    async () => {
      const run = async (...args: readonly string[]) => {
        if ('unavailable' in cluster) throw new Error(cluster.unavailable);
        const env = { ...process.env, HOME: folder, KUBECONFIG: cluster.kubeconfigPath };
        return (await promisify(execFile)(String(helm), [...args], { env })).stdout;
      };
      const release = ['millwright', chart, '--namespace', 'default'];
      // The namespaces are there, from the installation before.
      expect(await run('install', ...release, '--take-ownership')).toContain('STATUS: deployed');
      const crds = join(folder, 'crds-of-upgrade.yaml');
      await writeFile(crds, (await runCli(['install', '--crds-only'])).stdout);
      await kubectl('apply', '--server-side', '--force-conflicts', '-f', crds);
      expect(await run('upgrade', ...release, '--set', 'builder.enabled=false')).toContain(
        'STATUS: deployed',
      );
      const deployments = ['get', 'deployments', '-n', 'openshift-machine-config-operator', '-o', 'name'];
      expect((await kubectl(...deployments)).lines).toEqual([
        'deployment.apps/machine-config-controller',
        'deployment.apps/machine-config-operator',
      ]);
      await run('uninstall', 'millwright', '--namespace', 'default');
      expect((await kubectl(...deployments)).lines).toEqual(['']);
      const kept = await kubectl('get', '--ignore-not-found', '-f', join(folder, 'all.yaml'), '-o', 'name');
      expect(new Set(kept.lines.map((line) => line.split('/')[0]))).toEqual(
        new Set(['customresourcedefinition.apiextensions.k8s.io', 'namespace']),
      );
    },
  );
});
