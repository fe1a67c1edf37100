/** Runs stories of examples/ in sequence on one cluster; each restores the cluster. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Cluster, withKubectl } from './cluster.ts';
import { packageRoot } from './program.ts';

export const storiesFolder = join(packageRoot, 'examples/stories');

/** `more`: tests of the same cluster. */
export function describeStories(
  title: string,
  stories: readonly string[],
  more: (run: StoryRun) => void = () => undefined,
): void {
  withKubectl(title, () => {
    let cluster: Cluster;
    let before = '';
    const all = () => cluster.kubectl(['get', 'mc,mcp,itms,namespaces,deployments,pdb', '-A', '-o', 'name']);
    beforeAll(async () => {
      cluster = await Cluster.start(['--speed', '200', '--control-plane', '1']);
      before = await all();
    });
    afterAll(() => cluster.end());
    const run: StoryRun = async (story, variables = {}) => {
      const { program, kubeconfig, home } = cluster.call;
      const env = { ...process.env, KUBECTL: program, KUBECONFIG: kubeconfig, HOME: home, TIMEOUT: '90s' };
      return await promisify(execFile)(join(storiesFolder, story, 'run.sh'), {
        env: { ...env, ...variables },
      });
    };

    it.each(stories)('%s completes, and leaves only rendered configs', async (story) => {
      const { stdout } = await run(story);
      expect(stdout).toContain('\n# verified: ');
      expect(stdout).toMatch(new RegExp(`^\\$ ${cluster.call.program} `, 'm'));
      const isRendered = (name: string) => name.includes('/rendered-');
      const after = await all();
      expect(after.split('\n').filter((name) => !isRendered(name))).toEqual(
        before.split('\n').filter((name) => !isRendered(name)),
      );
      await cluster.wait('mcp', '--all', '--for=condition=Updated');
    });

    more(run);
  });
}

type StoryRun = (
  story: string,
  variables?: { readonly [name: string]: string },
) => Promise<{ readonly stdout: string }>;
