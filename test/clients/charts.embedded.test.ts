/** Helm charts and kustomize overlays on the embedded cluster. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findKubectls } from '../kubectl/find-kubectls.ts';
import { type KubectlSession, openSession } from '../kubectl/kubectl-session.ts';
import { buildProgram, startUp, type Up } from '../up/program.ts';
import { findHelm } from './find-helm.ts';

const kubectl = (await findKubectls()).at(-1);
const helmProgram = await findHelm();
const isRequired = process.env.MILLWRIGHT_REQUIRE_TOOLS === '1';
const reason = kubectl === undefined ? ' (skipped: no kubectl of 1.27 to 1.33 was found)' : '';
const noHelm = typeof helmProgram === 'string' ? '' : ` (skipped: ${helmProgram.unavailable})`;
const folderOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

describe.skipIf(kubectl === undefined && !isRequired)(`with an embedded cluster${reason}`, () => {
  let folder: string;
  let cluster: Up;
  beforeAll(async () => {
    await buildProgram();
    folder = await mkdtemp(join(tmpdir(), 'millwright-charts-'));
    cluster = await startUp(join(folder, 'data'), [
      '--control-plane',
      '1',
      '--workers',
      '1',
      '--speed',
      '100',
    ]);
  });
  afterAll(async () => {
    await cluster.end('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  });
  const sessionIn = async (namespace: string): Promise<KubectlSession> => {
    if (kubectl === undefined) throw new Error('kubectl of 1.27 to 1.33 is required');
    const session = await openSession(kubectl.program, cluster.kubeconfig, namespace);
    await session.ok(['create', 'namespace', namespace]);
    return session;
  };

  describe('kustomize', () => {
    it('builds, applies, diffs and deletes an overlay', async () => {
      const session = await sessionIn('overlaid');
      const overlay = folderOf('kustomize/overlay');
      const built = await session.ok(['kustomize', overlay]);
      const settings = /name: (live-settings-\w+)/.exec(built)?.[1] ?? '';
      const applied = await session.ok(['apply', '-k', overlay]);
      expect(applied).toBe(`configmap/${settings} created\ndeployment.apps/live-web created\n`);
      expect(await session.ok(['apply', '-k', overlay])).toBe(
        `configmap/${settings} unchanged\ndeployment.apps/live-web unchanged\n`,
      );
      await session.ok(['rollout', 'status', 'deployment/live-web', '--timeout=60s']);
      const columns = '{.spec.replicas} {.metadata.labels.stage} {.spec.template.spec.containers[0].image}';
      expect(await session.ok(['get', 'deployment', 'live-web', '-o', `jsonpath=${columns}`])).toBe(
        '3 live example.com/web:2',
      );
      expect(await session.ok(['diff', '-k', overlay])).toBe('');
      const base = await session.run(['diff', '-k', folderOf('kustomize/base')]);
      expect([base.code, base.stdout]).toEqual([1, expect.stringContaining('+  mode: plain')]);
      expect(await session.ok(['apply', '-k', overlay, '--server-side', '--force-conflicts'])).toBe(
        `configmap/${settings} serverside-applied\ndeployment.apps/live-web serverside-applied\n`,
      );
      const deleted = await session.ok(['delete', '-k', overlay, '--cascade=foreground']);
      expect(deleted).toContain('deployment.apps "live-web" deleted');
      expect(await session.ok(['get', 'deployments,replicasets,pods', '-o', 'name'])).toBe('');
      await session.end();
    });
  });

  describe.skipIf(typeof helmProgram !== 'string')(`helm${noHelm}`, () => {
    const space = 'charted';
    const chart = folderOf('chart');
    let session: KubectlSession;
    beforeAll(async () => {
      session = await sessionIn(space);
    });
    afterAll(() => session.end());
    const helm = async (...args: readonly string[]): Promise<string> => {
      if (typeof helmProgram !== 'string') throw new Error(helmProgram.unavailable);
      const home = join(folder, 'helm');
      const env = {
        PATH: process.env.PATH,
        HOME: home,
        KUBECONFIG: cluster.kubeconfig,
        HELM_CACHE_HOME: home,
        HELM_CONFIG_HOME: home,
        HELM_DATA_HOME: home,
      };
      const { stdout } = await promisify(execFile)(helmProgram, ['--namespace', space, ...args], { env });
      return stdout;
    };
    const waiting = ['--wait', '--timeout', '90s'];
    const read = (what: string, path: string) =>
      session.ok(['get', ...what.split(' '), '-o', `jsonpath=${path}`]);

    it('rejects values that violate the schema, and leaves no release behind', async () => {
      const wrong = helm('install', 'wrong', chart, '--set', 'wheel=pine', '--atomic', '--timeout', '90s');
      await expect(wrong).rejects.toThrow(/Unsupported value: "pine": supported values: "oak", "elm"/);
      expect(await helm('list', '--all', '--short')).toBe('');
    });

    it('installs a chart with a CRD and hooks, and waits until it is ready', async () => {
      expect(await helm('install', 'mill', chart, ...waiting)).toContain('STATUS: deployed');
      expect(await read('stone mill', '{.spec.wheel}')).toBe('oak');
      expect(await read('deployment mill', '{.status.readyReplicas}')).toBe('1');
      expect(await read('configmap mill-before', '{.data.revision}')).toBe('1');
      expect(await read('job mill-migrate', '{.status.succeeded}')).toBe('1');
      expect(await read('secret -l owner=helm', '{.items[0].type}')).toBe('helm.sh/release.v1');
    });

    it('upgrades a release, shows its history and rolls it back', async () => {
      const values = ['--set', 'wheel=elm,replicas=2,extra=more'];
      expect(await helm('upgrade', 'mill', chart, ...values, ...waiting)).toContain('REVISION: 2');
      expect(await read('stone mill', '{.spec.wheel}')).toBe('elm');
      expect(await read('deployment mill', '{.status.readyReplicas}')).toBe('2');
      expect(await read('configmap mill-settings', '{.data.extra}')).toBe('more');
      expect(await read('configmap mill-before', '{.data.revision}')).toBe('2');
      expect(await helm('rollback', 'mill', '1', ...waiting)).toContain('Rollback was a success');
      expect(await read('stone mill', '{.spec.wheel}')).toBe('oak');
      expect(await read('configmap mill-settings', '{.data.extra}')).toBe('');
      const history = JSON.parse(await helm('history', 'mill', '--output', 'json'));
      expect(history.map((one: { readonly status: string }) => one.status)).toEqual([
        'superseded',
        'superseded',
        'deployed',
      ]);
    });

    it('uninstalls all but the CRD, and runs the post-delete hook', async () => {
      expect(await helm('uninstall', 'mill', ...waiting)).toContain('release "mill" uninstalled');
      expect(await session.ok(['get', 'stones,deployments', '-o', 'name'])).toBe('');
      expect(await read('configmap mill-farewell', '{.data.message}')).toBe('goodbye');
      expect(await session.ok(['get', 'crd', 'stones.chart.example.com', '-o', 'name'])).toContain('stones');
      expect(await helm('list', '--all', '--short')).toBe('');
    });
  });
});
