/** Image builds in the lab: the builder as a process, and those parts of Kubernetes that run its Jobs. */
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Env, silentLog, systemClock, systemRandom } from '../../src/base/env.ts';
import { createGarbageCollector } from '../../src/embedded/controllers/garbage-collector.ts';
import { workloadSettings } from '../../src/embedded/controllers/index.ts';
import { Inventory } from '../../src/embedded/controllers/inventory.ts';
import {
  createJobController,
  createJobOrphanController,
} from '../../src/embedded/controllers/workloads/job-controller.ts';
import { BUILD_POD_ACCOUNT } from '../../src/images/index.ts';
import {
  createCaches,
  createKube,
  runControllers,
  type Transport,
} from '../../src/kubernetes/client/index.ts';
import { tokenOf } from '../rollout/http-tokens.ts';
import { createBuildPods } from './build-pods.ts';
import type { ControlPlane } from './control-plane.ts';

export type Builds = {
  /** What the containers of all build pods have printed. */
  readonly log: () => Promise<string>;
  readonly stop: () => Promise<void>;
};

export async function startBuilds(controlPlane: ControlPlane, folder: string): Promise<Builds> {
  const { program, kubeconfigFor, startBuilder } = controlPlane;
  const ending = new AbortController();
  const env: Env = { clock: systemClock, random: systemRandom, log: silentLog, signal: ending.signal };
  const transport = asKubernetes(controlPlane.transport);
  const kube = createKube({ transport, env, fieldManager: 'kube-controller-manager' });
  const caches = createCaches({ transport, env });
  const context = { kube, caches, env, settings: workloadSettings({ authorityPem: '' }) };
  await mkdir(folder, { recursive: true });
  const logPath = join(folder, 'log');
  let written: Promise<void> = Promise.resolve();
  const pods = createBuildPods({
    kube,
    caches,
    folder,
    program,
    signal: ending.signal,
    kubeconfigOf: async (pod) => kubeconfigFor(await tokenOf(controlPlane.transport, BUILD_POD_ACCOUNT, pod)),
    print: (line) => {
      written = written.then(() => appendFile(logPath, `${line}\n`));
    },
  });
  const running = runControllers(
    [
      createJobController(context),
      createJobOrphanController(context),
      createGarbageCollector(context, new Inventory(caches)),
      pods,
    ],
    { env },
  );
  // Also rejects in the stop function.
  running.catch(() => undefined);
  await startBuilder();
  return {
    async log() {
      await written;
      return await readFile(logPath, 'utf8').catch(() => '');
    },
    async stop() {
      ending.abort();
      await running;
      await caches.stop();
      await written;
    },
  };
}

/** The account of all controllers: only the Job controller may create pods of Jobs. */
function asKubernetes(transport: Transport): Transport {
  const headers = {
    'impersonate-user': 'system:kube-controller-manager',
    'impersonate-group': 'system:masters',
  };
  return { send: (request) => transport.send({ ...request, headers: { ...request.headers, ...headers } }) };
}
