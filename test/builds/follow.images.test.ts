/** `millwright builds` beside builds with a real `buildah`. */
import { execFile } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../contract/eventually.ts';
import { Cluster } from '../up/cluster.ts';
import { packageRoot } from '../up/program.ts';
import { ANYONE, aMachineOSConfig, aPool, aRegistrySecret } from './build-objects.ts';
import { currentBuild, PATIENT, withBuilds } from './embedded-builds.ts';

const FLAGS = ['--control-plane', '1', '--workers', '1', '--speed', '50'];

type Run = { readonly exitCode: number | string; readonly stdout: string; readonly stderr: string };

withBuilds('`millwright builds`', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start(FLAGS);
    await cluster.apply(aPool('infra'), aRegistrySecret('push', ANYONE));
    await cluster.kubectl(['label', 'node', 'worker-0', 'node-role.kubernetes.io/infra=']);
    await cluster.wait('mcp/infra', '--for=jsonpath={.status.updatedMachineCount}=1');
  });
  afterAll(() => cluster.end());

  const builds = (...args: readonly string[]) =>
    new Promise<Run>((resolve) => {
      const command = [`${packageRoot}/dist/main.js`, 'builds', ...args, '--data-dir', cluster.dataDir];
      execFile(process.execPath, command, (error, stdout, stderr) => {
        resolve({ exitCode: error === null ? 0 : (error.code ?? -1), stdout, stderr });
      });
    });
  const started = async (content: string) => {
    const before = await currentBuild(cluster, 'infra').catch(() => '');
    await cluster.apply(aMachineOSConfig({ pool: 'infra', content: `FROM configs AS final\n${content}\n` }));
    return await eventually(
      'the next build',
      async () => {
        const build = await currentBuild(cluster, 'infra');
        return build === '' || build === before ? undefined : build;
      },
      PATIENT,
    );
  };

  it('prints the log of a build that fails, and ends with the reason', async () => {
    const build = await started('RUN echo here && echo too bad >&2 && exit 3');
    const { exitCode, stdout, stderr } = await builds('infra', '--follow');
    expect(stdout).toContain('+ buildah bud ');
    expect(stdout).toContain('here\n');
    expect(stderr).toMatch(
      new RegExp(
        `millwright: MachineOSBuild ${build} failed: STEP .*RUN echo here .*exit status 3: too bad\\n$`,
      ),
    );
    expect(exitCode).toBe(1);
    const { stdout: text } = await builds();
    expect(text).toContain(`  * ${build}   Failed `);
    expect(text.replaceAll(/\s+/g, ' ')).toContain('exit status 3: too bad');
  });

  it('prints the log of a build that succeeds, and ends with its image', async () => {
    const build = await started('RUN echo fine > /etc/fine');
    const { exitCode, stdout, stderr } = await builds('infra', '--follow');
    expect(stdout).toContain('RUN echo fine > /etc/fine');
    // Its pods are deleted as soon as it has succeeded, maybe before all of their logs were read.
    expect(stderr).not.toContain('not found');
    expect(stderr).toMatch(new RegExp(`MachineOSBuild ${build} succeeded: .*@sha256:[0-9a-f]{64}\\n$`));
    expect(exitCode).toBe(0);
    const { configs } = JSON.parse((await builds('infra', '-o', 'json')).stdout);
    expect(configs[0].builds[0]).toMatchObject({ name: build, state: 'Succeeded', isCurrent: true });
  });
});
