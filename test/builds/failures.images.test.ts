/**
 * What can go wrong between a MachineOSConfig and its image: where it shows, that no node is drained for it, and that mending the cause is
 * enough.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../contract/eventually.ts';
import { freePort, type RunningRegistry, startDebians } from '../registry/registries.ts';
import { ok } from '../registry/tools.ts';
import { Cluster } from '../up/cluster.ts';
import { type RunningKubectl, startKubectl } from '../up/running-kubectl.ts';
import {
  ANYONE,
  aMachineOSConfig,
  aPool,
  aRegistrySecret,
  type ImageOptions,
  NAMESPACE,
  SMALL_CHANGE,
} from './build-objects.ts';
import { builtImage, conditionOf, PATIENT, untilCondition, withBuilds } from './embedded-builds.ts';

/** Failed builds are retried after ten minutes divided by this. */
const FLAGS = ['--control-plane', '1', '--workers', '1', '--speed', '50'];
const LOGIN = { user: 'ann', password: 's3cret' };

withBuilds('a build', () => {
  let cluster: Cluster;
  let registry: RunningRegistry;
  let cordons: RunningKubectl;
  beforeAll(async () => {
    registry = await startDebians({ htpasswd: await ok('htpasswd', ['-Bbn', LOGIN.user, LOGIN.password]) });
    cluster = await Cluster.start(FLAGS);
    await cluster.apply(aRegistrySecret('push', ANYONE));
    cordons = await startKubectl(cluster.call, [
      'get',
      'nodes',
      '--watch',
      '-o',
      'jsonpath={.metadata.name} cordoned={.spec.unschedulable}{"\\n"}',
    ]);
  });
  afterAll(async () => {
    expect(await cordons.stop()).not.toContain('cordoned=true');
    await cluster.end();
    await registry.stop();
  });

  type Case = {
    /** On the MachineOSConfig, and in the pool where there is one. */
    readonly reason: string;
    readonly message: RegExp;
    /** Where there is no pool to show it. */
    readonly hasPool?: boolean;
  };
  /** The problem shows on the config, in an event about it, and in the pool. */
  const shows = async (pool: string, { reason, message, hasPool = true }: Case) => {
    const degraded = await untilCondition(cluster, `machineosconfig/${pool}`, {
      type: 'Degraded',
      status: 'True',
      message,
    });
    expect(degraded.reason).toBe(reason);
    const events = await eventually(
      'there is an event about it',
      async () => {
        const found = await cluster.kubectl([
          ...[
            'get',
            'events',
            '-n',
            'default',
            '-o',
            'jsonpath={range .items[*]}{.reason} {.message}{"\\n"}{end}',
          ],
          ...['--field-selector', `involvedObject.kind=MachineOSConfig,involvedObject.name=${pool}`],
        ]);
        return found.includes(reason) ? found : undefined;
      },
      PATIENT,
    );
    expect(events).toMatch(message);
    if (!hasPool) return;
    const inPool = await untilCondition(cluster, `mcp/${pool}`, {
      type: 'ImageBuildDegraded',
      status: 'True',
      message,
    });
    expect(inPool.reason).not.toBe('');
    await untilCondition(cluster, `mcp/${pool}`, { type: 'Degraded', status: 'True' });
  };
  const recovers = async (pool: string) => {
    await builtImage(cluster, pool);
    await untilCondition(cluster, `machineosconfig/${pool}`, { type: 'Degraded', status: 'False' });
    await untilCondition(cluster, `mcp/${pool}`, { type: 'ImageBuildDegraded', status: 'False' });
    await untilCondition(cluster, `mcp/${pool}`, { type: 'Degraded', status: 'False' });
    // A pool without nodes: what is checked is that it no longer waits.
    await untilCondition(cluster, `mcp/${pool}`, { type: 'Updated', status: 'True' });
  };
  const config = (options: Omit<ImageOptions, 'content'> & { readonly content?: string }) =>
    cluster.apply(aMachineOSConfig({ content: SMALL_CHANGE, ...options }));

  describe.concurrent('whose', () => {
    it('push secret is missing waits for it, and names its namespace', async () => {
      await cluster.apply(aPool('nosecret'));
      await config({ pool: 'nosecret', pushSecret: 'later' });
      await shows('nosecret', {
        reason: 'SecretNotFound',
        message: new RegExp(`secret later from nosecret is not found.*${NAMESPACE}`),
      });
      await cluster.apply(aRegistrySecret('later', ANYONE));
      await recovers('nosecret');
    });

    it('push secret has the wrong type waits for the right one', async () => {
      await cluster.kubectl(['create', 'secret', 'generic', 'opaque', '-n', NAMESPACE, '--from-literal=a=b']);
      await cluster.apply(aPool('wrongtype'));
      await config({ pool: 'wrongtype', pushSecret: 'opaque' });
      await shows('wrongtype', {
        reason: 'InvalidSecret',
        message: /secret 'opaque\/openshift-machine-config-operator'.*invalid secret key type Opaque/,
      });
      await cluster.kubectl(['delete', 'secret', 'opaque', '-n', NAMESPACE]);
      await cluster.apply(aRegistrySecret('opaque', ANYONE));
      await recovers('wrongtype');
    });

    it('pool does not exist waits for it', async () => {
      await config({ pool: 'nopool' });
      await shows('nopool', { reason: 'PoolNotFound', message: /"nopool" not found/, hasPool: false });
      await cluster.apply(aPool('nopool'));
      await recovers('nopool');
    });

    it('registry cannot be reached waits until it can', async () => {
      const port = await freePort();
      await cluster.apply(aPool('noregistry'));
      await config({ pool: 'noregistry', pushSpec: `127.0.0.1:${port}/os/noregistry:latest` });
      await shows('noregistry', { reason: 'RegistryError', message: /cannot be pushed to .*refused/ });
      const late = await startDebians({ port });
      try {
        await recovers('noregistry');
      } finally {
        await cluster.kubectl(['delete', 'machineosconfig', 'noregistry']);
        await late.stop();
      }
    });

    it('base image may not be pulled fails, and is repeated once the credentials are right', async () => {
      const { host } = registry;
      const base = await copyOfBase(host);
      await cluster.apply(
        aPool('nobase'),
        aRegistrySecret('base', { host, user: LOGIN.user, password: 'wrong' }),
        osImageConfig('nobase', base),
      );
      await config({ pool: 'nobase', baseSecret: 'base' });
      await shows('nobase', { reason: 'BuildFailed', message: /unauthorized|authentication required/ });
      await cluster.apply(aRegistrySecret('base', { host, ...LOGIN }));
      await recovers('nobase');
    });

    it('Containerfile has a wrong line fails without a Job, with the line', async () => {
      await cluster.apply(aPool('syntax'));
      await config({ pool: 'syntax', content: 'FROM configs AS final\nRUNN true\n' });
      await shows('syntax', { reason: 'InvalidContainerfile', message: /line 2.*RUNN/i });
      await config({ pool: 'syntax' });
      await recovers('syntax');
    });

    it('RUN step fails names the step and what it printed', async () => {
      await cluster.apply(aPool('norun'));
      await config({ pool: 'norun', content: 'FROM configs AS final\nRUN echo no luck >&2; exit 3\n' });
      await shows('norun', { reason: 'BuildFailed', message: /RUN echo no luck.*(exit status 3|no luck)/ });
      await config({ pool: 'norun' });
      await recovers('norun');
    });

    it('last stage is no OS image is not pushed', async () => {
      await cluster.apply(aPool('noos'));
      await config({
        pool: 'noos',
        content: 'FROM scratch\nCOPY --from=extract /tmp/machineconfig.json.gz /x\n',
      });
      await shows('noos', { reason: 'BuildFailed', message: /is no OS image.*FROM configs/ });
      await config({ pool: 'noos' });
      await recovers('noos');
    });

    it('package does not exist names it', async () => {
      await cluster.apply(aPool('nopackage'));
      await config({ pool: 'nopackage', content: 'FROM configs AS final\nRUN dnf install -y nosuch\n' });
      await shows('nopackage', { reason: 'BuildFailed', message: /nosuch/ });
      await config({ pool: 'nopackage', content: 'FROM configs AS final\nRUN dnf install -y tree\n' });
      await recovers('nopackage');
    });

    it('image may not be pushed is not even built, and is repeated once the credentials are right', async () => {
      const { host } = registry;
      const pushSpec = `${host}/os/nopush:latest`;
      await cluster.apply(
        aPool('nopush'),
        aRegistrySecret('nopush', { host, user: LOGIN.user, password: 'wrong' }),
      );
      await config({ pool: 'nopush', pushSpec, pushSecret: 'nopush' });
      await shows('nopush', {
        reason: 'RegistryError',
        message: /cannot be pushed to .*(unauthorized|authentication)/,
      });
      const jobs = await cluster.kubectl(['get', 'jobs', '-n', NAMESPACE, '-o', 'name']);
      expect(jobs).not.toContain('nopush');
      await cluster.apply(aRegistrySecret('nopush', { host, ...LOGIN }));
      await recovers('nopush');
    });
  });

  it('that takes too long is stopped with everything that it has started, and says so', async () => {
    await cordons.stop();
    await cluster.up.end('SIGINT');
    await cluster.startAgain(['--speed', '50', '--build-timeout', '3s']);
    await cluster.apply(aPool('slow'));
    await config({ pool: 'slow', content: 'FROM configs AS final\nRUN sleep 4321\n' });
    await shows('slow', {
      reason: 'BuildFailed',
      message: /Job was active longer than specified deadline|timeout/,
    });
    const left = await ok('pgrep', ['-fc', 'sleep 4321']).catch(() => '0');
    expect(left.trim()).toBe('0');
    expect(await conditionOf(cluster, 'mcp/worker', 'Updated')).toMatchObject({ status: 'True' });
    await cluster.up.end('SIGINT');
    await cluster.startAgain(['--speed', '50']);
    await config({ pool: 'slow' });
    await recovers('slow');
  });

  /** The base image in another registry, by digest. */
  async function copyOfBase(host: string): Promise<string> {
    const image = await cluster.kubectl([
      ...['get', 'configmap/machine-config-osimageurl', '-n', NAMESPACE],
      ...['-o', 'jsonpath={.data.baseOSContainerImage}'],
    ]);
    const [, own = ''] = / registry=(\S+)/.exec(cluster.up.stdout()) ?? [];
    const digest = image.slice(image.indexOf('@'));
    await ok('skopeo', [
      ...['copy', '--all', '--preserve-digests', '--src-tls-verify=false', '--dest-tls-verify=false'],
      ...['--dest-creds', `${LOGIN.user}:${LOGIN.password}`],
      ...[`docker://${own}/openshift/os${digest}`, `docker://${host}/os/base:1`],
    ]);
    return `${host}/os/base${digest}`;
  }

  function osImageConfig(pool: string, osImageURL: string): string {
    return JSON.stringify({
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfig',
      metadata: { name: `99-${pool}-os`, labels: { 'machineconfiguration.openshift.io/role': pool } },
      spec: { osImageURL },
    });
  }
});
