/** The cluster that the suites run on, as a user would use it. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { startKubernetes } from './kubernetes.ts';
import { findKubectl } from './programs.ts';

const cluster = await startKubernetes();
const program = await findKubectl();
if ('unavailable' in cluster || typeof program !== 'string') {
  const reason = 'unavailable' in cluster ? cluster.unavailable : program;
  describe.skip(`the cluster (${JSON.stringify(reason)})`, () => it('is not there', () => undefined));
} else {
  const home = await mkdtemp(join(tmpdir(), 'millwright-kubectl-'));
  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const env = { ...process.env, HOME: home, KUBECONFIG: cluster.kubeconfigPath };
    const { stdout } = await promisify(execFile)(program, [...args], { env });
    return stdout;
  };
  afterAll(async () => {
    await cluster.stop();
    await rm(home, { recursive: true });
  });

  describe('the cluster', () => {
    it('is of the version that our own server reports', async () => {
      expect(await kubectl('version')).toMatch(/^Server Version: v1\.33\./m);
    });

    it('is one that kubectl works with', async () => {
      await kubectl('create', 'configmap', 'from-kubectl', '--from-literal=k=v');
      expect(await kubectl('get', 'configmap', 'from-kubectl', '-o', 'jsonpath={.data.k}')).toBe('v');
      expect(await kubectl('auth', 'can-i', '*', '*', '--all-namespaces')).toBe('yes\n');
      await kubectl('delete', 'configmap', 'from-kubectl');
    });
  });
}
