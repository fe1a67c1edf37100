/** Registers tests that use a server as people do: with kubectl, and a kubeconfig of an administrator. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findKubectl } from './programs.ts';

export function tryKubectl(kubeconfigPath: string): void {
  describe('kubectl', () => {
    let home = '';
    let program: Awaited<ReturnType<typeof findKubectl>> = { unavailable: 'not looked for' };
    beforeAll(async () => {
      home = await mkdtemp(join(tmpdir(), 'millwright-kubectl-'));
      program = await findKubectl();
    });
    afterAll(() => rm(home, { recursive: true, force: true }));

    const kubectl = async (...args: readonly string[]): Promise<string> => {
      if (typeof program !== 'string') throw new Error(program.unavailable);
      const env = { ...process.env, HOME: home, KUBECONFIG: kubeconfigPath };
      const { stdout } = await promisify(execFile)(program, [...args], { env });
      return stdout;
    };

    it('finds a server of the version that Millwright reports', async () => {
      expect(await kubectl('version')).toMatch(/^Server Version: v1\.33\./m);
    });

    it('creates, reads and deletes objects', async () => {
      const name = `from-kubectl-${process.pid}`;
      await kubectl('create', 'configmap', name, '--from-literal=k=v');
      expect(await kubectl('get', 'configmap', name, '-o', 'jsonpath={.data.k}')).toBe('v');
      await kubectl('delete', 'configmap', name);
    });

    it('reports that an administrator may do anything', async () => {
      expect(await kubectl('auth', 'can-i', '*', '*', '--all-namespaces')).toBe('yes\n');
    });
  });
}
