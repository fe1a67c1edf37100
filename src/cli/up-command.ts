/**
 * `millwright up`: the embedded cluster in the foreground.
 */
import { join, resolve } from 'node:path';
import type { MachineOSBuild } from '../api/index.ts';
import type { Clock, Env } from '../base/env.ts';
import { counted, printableLine } from '../base/text/index.ts';
import { settingsAtSpeed } from '../controllers/index.ts';
import { deleteCluster } from '../embedded/up/delete-cluster-node.ts';
import {
  type EmbeddedCluster,
  type EmbeddedClusterOptions,
  startEmbeddedCluster,
} from '../embedded/up/embedded-cluster-node.ts';
import type { ClusterView } from '../embedded/up/index.ts';
import { buildLimitsAtSpeed, DEFAULT_BUILD_LIMITS } from '../images/index.ts';
import {
  buildChanges,
  type ChangeDetail,
  type FleetStatus,
  fleetChanges,
  fleetStatus,
} from '../insight/index.ts';
import { daemonSettingsAtSpeed } from '../node/daemon/index.ts';
import { aborted } from './aborted.ts';
import { SUCCESS } from './exit-code.ts';
import { isImageModeReported } from './feature-gates.ts';
import { createKlog, formatFields } from './klog.ts';
import type { Ports } from './ports.ts';
import { processEnv } from './process-env.ts';
import { releaseOf } from './release.ts';
import { readTemplates } from './render/read-templates.ts';
import { reportFailure } from './report-failure.ts';

export type UpOptions = {
  readonly dataDir: string;
  readonly port?: number;
  readonly controlPlane?: number;
  readonly workers?: number;
  readonly speed: number;
  /** In milliseconds. */
  readonly buildTimeout: number;
  readonly featureGates?: string;
  readonly fresh?: boolean;
  /** False with `--no-nodes`. */
  readonly nodes: boolean;
  readonly verbose?: boolean;
};

/** Runs until the process is asked to stop, and returns the exit code. */
export async function upCommand(
  options: UpOptions,
  { ports, version }: { readonly ports: Ports; readonly version: string },
): Promise<number> {
  const print = (line: string) => ports.stderr(`${printableLine(line)}\n`);
  const env = processEnv(ports, 'up.go');
  try {
    const dataDir = resolve(ports.cwd, options.dataDir);
    if (options.fresh === true) await deleteCluster(dataDir, ports.environment);
    const cluster = await startEmbeddedCluster(
      await clusterOptions(options, { env, dataDir, version, ports, print }),
    );
    try {
      await serve(cluster, { options, ports, env, print });
    } finally {
      print('stopping: running steps continue to their next safe point');
      await cluster.stop();
    }
    return SUCCESS;
  } catch (error) {
    return reportFailure(error, ports);
  }
}

type Start = {
  readonly env: Env;
  readonly dataDir: string;
  readonly version: string;
  readonly ports: Ports;
  readonly print: (line: string) => void;
};

async function clusterOptions(
  { port, controlPlane, workers, nodes, speed, buildTimeout, featureGates }: UpOptions,
  { env, dataDir, version, ports, print }: Start,
): Promise<EmbeddedClusterOptions> {
  const templates = await readTemplates(ports.packageRoot);
  return {
    env,
    dataDir,
    port,
    version,
    templates,
    speed,
    packageRoot: ports.packageRoot,
    program: ports.program,
    environment: ports.environment,
    release: releaseOf(version, templates),
    size: {
      ...(controlPlane === undefined ? {} : { controlPlane }),
      ...(workers === undefined ? {} : { workers }),
    },
    hasMachines: nodes,
    settings: {
      controllers: {
        ...settingsAtSpeed(speed),
        isImageModeReported: isImageModeReported(featureGates),
      },
      daemon: daemonSettingsAtSpeed(speed),
      builds: buildLimitsAtSpeed(speed, { ...DEFAULT_BUILD_LIMITS, timeoutMs: buildTimeout }),
    },
    createLog: (write, component) => createKlog({ write, component, clock: env.clock, pid: ports.pid }),
    progress: print,
    onWarning: (line) => print(`warning: ${line}`),
  };
}

type Foreground = {
  readonly options: UpOptions;
  readonly ports: Ports;
  readonly env: Env;
  readonly print: (line: string) => void;
};

async function serve(cluster: EmbeddedCluster, { options, ports, env, print }: Foreground): Promise<void> {
  if (!(await cluster.ready())) return;
  const kubeconfig = join(options.dataDir, 'kubeconfig');
  const registry = `127.0.0.1:${cluster.registryPort}`;
  ports.stdout(`ready${formatFields({ kubeconfig, server: cluster.url, registry })}\n`);
  print(
    `${counted(cluster.machines.length, 'node')} at ${options.speed} times real speed; Ctrl-C stops, the next start continues`,
  );
  print(
    `machines join through https://127.0.0.1:${cluster.serverPort}: millwright server pointer prints their Ignition`,
  );
  const { nextOsImage: next } = cluster;
  if (next !== undefined) print(`a newer OS image to update nodes to, ${next.version}: ${next.reference}`);
  const detail = options.verbose === true ? 'verbose' : 'quiet';
  const stopReporting = reportChanges(cluster.view, { clock: env.clock, print, detail });
  await aborted(env.signal);
  stopReporting();
}

type ReportOptions = {
  readonly clock: Clock;
  readonly print: (line: string) => void;
  readonly detail: ChangeDetail;
};

/** Batches changes that belong together. */
const SETTLE_MS = 200;

function reportChanges(view: ClusterView, { clock, print, detail }: ReportOptions): () => void {
  let before: FleetStatus | undefined;
  let buildsBefore: readonly MachineOSBuild[] | undefined;
  let areBuildsRead = false;
  let isScheduled = false;
  let isStopped = false;
  const report = () => {
    isScheduled = false;
    if (isStopped) return;
    const { pools, nodes, machineConfigNodes, machineOSBuilds } = view;
    const after = fleetStatus({
      pools: [...pools.all()],
      nodes: [...nodes.all()],
      machineConfigNodes: [...machineConfigNodes.all()],
      nowMs: clock.now(),
    });
    for (const line of fleetChanges(before, after, detail)) print(line);
    before = after;
    // What has not been read yet would be news later.
    if (!areBuildsRead) return;
    const builds = [...machineOSBuilds.all()];
    for (const line of buildChanges(buildsBefore, builds)) print(line);
    buildsBefore = builds;
  };
  const schedule = () => {
    if (isScheduled || isStopped) return;
    isScheduled = true;
    clock.after(SETTLE_MS, report);
  };
  view.onChange(schedule);
  view.machineOSBuilds.synced.then(
    () => {
      areBuildsRead = true;
      schedule();
    },
    // It is being stopped.
    () => undefined,
  );
  schedule();
  return () => {
    isStopped = true;
  };
}
