/** Runs the stories under examples/ in sequence on one cluster; each restores the cluster. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lacks } from '../registry/tools.ts';
import { Cluster, withKubectl } from './cluster.ts';
import { packageRoot } from './program.ts';

const folder = join(packageRoot, 'examples/stories');
const stories = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

withKubectl('examples/stories', () => {
  let cluster: Cluster;
  let before = '';
  const all = () => cluster.kubectl(['get', 'mc,mcp,itms,namespaces,deployments,pdb', '-A', '-o', 'name']);
  beforeAll(async () => {
    cluster = await Cluster.start(['--speed', '200', '--control-plane', '1']);
    before = await all();
  });
  afterAll(() => cluster.end());

  it('exist', () => {
    expect(stories).toEqual([
      'blocked-drain',
      'degraded-node',
      'gpu-pool',
      'itms',
      'layering',
      'max-unavailable',
      'os-update',
      'pause',
      'pivot',
    ]);
  });

  // Where buildah is not installed, a build ends with a message that names it: tested elsewhere.
  const runnable = stories.filter((story) => story !== 'layering' || !lacks('buildah', 'busybox'));

  it.each(runnable)('%s completes, and leaves only rendered configs', async (story) => {
    const { program, kubeconfig, home } = cluster.call;
    const env = { ...process.env, KUBECTL: program, KUBECONFIG: kubeconfig, HOME: home, TIMEOUT: '90s' };
    const { stdout } = await promisify(execFile)(join(folder, story, 'run.sh'), { env });
    expect(stdout).toContain('\n# verified: ');
    expect(stdout).toMatch(new RegExp(`^\\$ ${program} `, 'm'));
    const isRendered = (name: string) => name.includes('/rendered-');
    const after = await all();
    expect(after.split('\n').filter((name) => !isRendered(name))).toEqual(
      before.split('\n').filter((name) => !isRendered(name)),
    );
    await cluster.wait('mcp', '--all', '--for=condition=Updated');
  });

  it('report an unexpected state and fail', async () => {
    const { program, kubeconfig, home } = cluster.call;
    const env = {
      ...process.env,
      KUBECTL: program,
      KUBECONFIG: kubeconfig,
      HOME: home,
      GPU_NODE: 'no-such-node',
    };
    const run = promisify(execFile)(join(folder, 'gpu-pool/run.sh'), { env });
    await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('no-such-node') });
  });
});
