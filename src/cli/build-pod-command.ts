/**
 * `millwright build-image`, `push-image` and `create-digest-configmap`: the containers of a build pod.
 *
 * All output goes to stderr, in order: Kubernetes keeps the end of a log as the message of a container that failed, and
 * the last line is the cause.
 */

import { type Env, silentLog, systemClock, systemRandom } from '../base/env.ts';
import { Failure } from '../base/errors.ts';
import { printableLine } from '../base/text/index.ts';
import { BUILD_POD_ACCOUNT } from '../images/index.ts';
import { createKube } from '../kubernetes/client/index.ts';
import { createNodeTransport } from '../kubernetes/client/transport-node.ts';
import {
  type BuildProcess,
  buildImage,
  pushImage,
  reportPushedDigest,
} from '../processes/build-process-node.ts';
import { type AccessOptions, clusterAccess } from './cluster/cluster-access.ts';
import { INVALID_INPUT, SUCCESS, TERMINATED } from './exit-code.ts';
import { ownNamespace } from './namespace-option.ts';
import type { Ports } from './ports.ts';
import { reportFailure } from './report-failure.ts';

export type BuildPodOptions = AccessOptions & { readonly stopWithStdin?: boolean };

export type BuildPodStep = 'build-image' | 'push-image' | 'create-digest-configmap';

type Run = (process: BuildProcess, options: BuildPodOptions, ports: Ports) => Promise<void>;

const STEPS: { readonly [step in BuildPodStep]: Run } = {
  'build-image': buildImage,
  'push-image': pushImage,
  'create-digest-configmap': createDigestConfigMap,
};

export async function buildPodCommand(
  step: BuildPodStep,
  options: BuildPodOptions,
  ports: Ports,
): Promise<number> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  ports.onStop(stop);
  if (options.stopWithStdin === true) ports.onStdinEnd(stop);
  const print = (line: string) => ports.stderr(`${line}\n`);
  const { signal } = stopping;
  try {
    await STEPS[step]({ environment: ports.environment, print, signal }, options, ports);
    return SUCCESS;
  } catch (error) {
    if (signal.aborted) return TERMINATED;
    if (!(error instanceof Failure) || error.kind === 'usage') return reportFailure(error, ports);
    print(printableLine(error.message));
    return INVALID_INPUT;
  }
}

async function createDigestConfigMap(
  process: BuildProcess,
  options: BuildPodOptions,
  ports: Ports,
): Promise<void> {
  const { signal } = process;
  const env: Env = { clock: systemClock, random: systemRandom, log: silentLog, signal };
  const transport = createNodeTransport({ access: await clusterAccess(options, ports), clock: env.clock });
  const kube = createKube({ transport, env, fieldManager: BUILD_POD_ACCOUNT });
  await reportPushedDigest(process, { kube, namespace: ownNamespace({}, ports) });
}
