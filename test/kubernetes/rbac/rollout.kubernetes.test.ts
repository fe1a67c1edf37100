/**
 * A rollout on a real server in real time: operator, controllers and a daemon on a machine in memory, each with its own token, that of
 * the daemon bound to its pod. All that the daemon needs is allowed, and all that is allowed it uses.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annotations, machineConfig, machineConfigPool, NAMESPACE } from '../../../src/api/index.ts';
import { type Env, silentLog, systemClock, systemRandom } from '../../../src/base/env.ts';
import { MetricsAccess } from '../../../src/cli/health/metrics-access.ts';
import { createMemoryDisk, createSandboxMachine } from '../../../src/embedded/sandbox/index.ts';
import { createKube, type Kube, type Transport } from '../../../src/kubernetes/client/index.ts';
import { node as nodeKind } from '../../../src/kubernetes/types/index.ts';
import {
  DaemonMetrics,
  DEFAULT_DAEMON_SETTINGS,
  initialAnnotations,
  writeInitialConfig,
} from '../../../src/node/daemon/index.ts';
import { readNodeConfig } from '../../../src/node/plan/index.ts';
import { runDaemon } from '../../../src/processes/daemon-process.ts';
import { anImage, pullFrom } from '../../host/an-image.ts';
import { aMachineConfig, aNode } from '../../rollout/build-world.ts';
import { type Component, control, controllers, operator } from '../../rollout/control.ts';
import { partsFor } from '../../rollout/world-process.ts';
import { createScraper } from '../../support/a-scraper.ts';
import { rightsOf } from '../../support/manifests-files.ts';
import { NO_RATE_LIMIT, type RightsRecord, recording, unusedRights } from '../../support/manifests-story.ts';
import { startKubernetes } from '../kubernetes.ts';
import { type InstalledCluster, installOn } from './installed-cluster.ts';

const DAEMON = 'machine-config-daemon';
const POOL = { name: 'worker' };
const LIMIT_MS = 120_000;

const cluster = await startKubernetes();
if ('unavailable' in cluster) {
  describe.skip(`a rollout (${cluster.unavailable})`, () => it('has no server to run on', () => undefined));
} else {
  const stopping = new AbortController();
  const env: Env = { clock: systemClock, random: systemRandom, log: silentLog, signal: stopping.signal };
  const running: Promise<void>[] = [];
  const records = ['operator', 'controller', 'daemon'].map(
    (who): RightsRecord => ({ who, used: new Set(), refused: [] }),
  );
  const [operatorRecord, controllerRecord, daemonRecord] = records as [
    RightsRecord,
    RightsRecord,
    RightsRecord,
  ];
  let installed: InstalledCluster;
  let admin: Kube;
  const scrapes: number[] = [];

  const until = async (what: string, holds: () => Promise<boolean>) => {
    const end = systemClock.monotonic() + LIMIT_MS;
    while (!(await holds())) {
      const refused = records.flatMap((one) => one.refused)[0] ?? 'nothing';
      if (systemClock.monotonic() > end) throw new Error(`${what}: not in time; refused: ${refused}`);
      await pause(100);
    }
  };
  const startComponent = async (account: string, component: Component, record: RightsRecord) => {
    const transport = recording(installed.transportAs(await installed.tokenOf(account)), record);
    running.push(control(partsFor(transport, env, {}), component));
  };
  const configName = async () => (await admin.get(machineConfigPool, POOL))?.spec.configuration?.name ?? '';
  const nodeAnnotation = async (key: string) =>
    (await admin.get(nodeKind, { name: 'a' }))?.metadata.annotations?.[key];
  const isDone = async () => (await nodeAnnotation(annotations.state)) === 'Done';

  /** A machine that was installed with the first config of its pool. */
  const installMachine = async (transport: Transport) => {
    const first = await admin.get(machineConfig, { name: await configName() });
    const read = first && readNodeConfig(first);
    if (read?.kind !== 'ok') throw new Error('the first config cannot be read');
    const machine = createSandboxMachine({
      ...{ disk: createMemoryDisk(), clock: systemClock, random: systemRandom },
      durations: { bootMs: 0, shutDownMs: 0, pullMs: 0, stageMs: 0 },
      pullImage: pullFrom({ [read.value.osImage]: anImage() }),
    });
    await machine.provision({ image: read.value.osImage, kernelArguments: read.value.kernelArguments });
    await machine.boot();
    await writeInitialConfig({ host: machine.host, env }, read.value, initialAnnotations(read.value));
    let ending = new AbortController();
    stopping.signal.addEventListener('abort', () => ending.abort());
    const start = () => {
      ending = new AbortController();
      running.push(
        runDaemon({
          ...{ env: { ...env, signal: ending.signal }, transport, version: 'test', host: machine.host },
          ...{
            nodeName: 'a',
            namespace: NAMESPACE,
            architecture: 'amd64',
            settings: DEFAULT_DAEMON_SETTINGS,
          },
          metrics: new DaemonMetrics(),
        }),
      );
    };
    machine.onPower((event) => (event.kind === 'up' ? start() : ending.abort()));
    start();
  };

  /** Without permission, then with it. Answers are kept, so each is asked anew. */
  const scrape = async (transport: Transport) => {
    const scraper = await createScraper(admin, NAMESPACE);
    const code = async () => {
      const access = new MetricsAccess({ transport, clock: systemClock, userAgent: 'test' });
      return (await access.check(scraper.authorization)).code;
    };
    scrapes.push(await code());
    await scraper.permit();
    await until('the scraper may read metrics', async () => (await code()) === 200);
    scrapes.push(await code());
  };

  beforeAll(async () => {
    installed = await installOn(cluster);
    const transport = installed.transportAs({ cert: cluster.adminCert, key: cluster.adminKey });
    admin = createKube({ transport, env, fieldManager: 'test', limits: NO_RATE_LIMIT });
    await admin.create(nodeKind, aNode('a', ['worker']));
    await startComponent('machine-config-operator', operator, operatorRecord);
    await startComponent('machine-config-controller', controllers, controllerRecord);
    await until('the pool has a config', async () => (await configName()) !== '');
    const token = await installed.tokenOf(DAEMON, await installed.createPod('daemon-a', DAEMON, 'a'));
    const daemonTransport = recording(installed.transportAs(token), daemonRecord);
    await installMachine(daemonTransport);
    await until('the node is in its pool', isDone);
    const before = await configName();
    await admin.apply(machineConfig, aMachineConfig('50-worker-story', 'worker', 'x'));
    await until('there is a new config', async () => (await configName()) !== before);
    const after = await configName();
    await until(
      'the node has the new config',
      async () => (await isDone()) && (await nodeAnnotation(annotations.currentConfig)) === after,
    );
    await scrape(daemonTransport);
  });
  afterAll(async () => {
    stopping.abort();
    await Promise.allSettled(running);
    await installed.stop();
  });

  describe('a rollout on a real server', () => {
    it('has no request of a component refused', () => {
      expect(records.flatMap(({ refused }) => refused)).toEqual([]);
    });

    it('lets the daemon tell a scraper that may read metrics from one that may not', () => {
      expect(scrapes).toEqual([403, 200]);
    });

    it('needs every permission of the daemon', () => {
      const rights = rightsOf(DAEMON);
      expect([...daemonRecord.used].filter((one) => !rights.has(one))).toEqual([]);
      expect(unusedRights(DAEMON, daemonRecord.used)).toEqual([]);
    });
  });
}
