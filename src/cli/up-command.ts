/**
 * `millwright up`: the embedded cluster in the foreground.
 */
import { join, resolve } from 'node:path';
import { type Clock, type Env, systemClock, systemRandom } from '../base/env.ts';
import { printableLine } from '../base/text/index.ts';
import { settingsAtSpeed } from '../controllers/index.ts';
import {
  counted,
  type EmbeddedCluster,
  type EmbeddedClusterOptions,
  startEmbeddedCluster,
} from '../embedded/up/embedded-cluster-node.ts';
import { forgetCluster } from '../embedded/up/fresh-start-node.ts';
import type { Observer } from '../embedded/up/index.ts';
import { type FleetOverview, fleetNews, fleetOverview, type NewsDetail } from '../insight/index.ts';
import { daemonSettingsAtSpeed } from '../node/daemon/index.ts';
import { FINE } from './exit-code.ts';
import { failedCommand } from './failed-command.ts';
import { createKlog } from './klog.ts';
import { createLineLog, formatFields } from './line-log.ts';
import type { Ports } from './ports.ts';
import { releaseOf } from './release.ts';
import { readTemplates } from './render/read-templates.ts';
import { aborted } from './until-stopped.ts';

export type UpOptions = {
  readonly dataDir: string;
  readonly port?: number;
  readonly controlPlane?: number;
  readonly workers?: number;
  readonly speed: number;
  readonly fresh?: boolean;
  /** False with `--no-nodes`. */
  readonly nodes: boolean;
  readonly verbose?: boolean;
};

/** Runs until the process is asked to end, and returns the exit code. */
export async function upCommand(
  options: UpOptions,
  { ports, version }: { readonly ports: Ports; readonly version: string },
): Promise<number> {
  const stopping = new AbortController();
  ports.onStop(() => stopping.abort());
  const { signal } = stopping;
  const say = (line: string) => ports.stderr(`${printableLine(line)}\n`);
  const env: Env = { clock: systemClock, random: systemRandom, log: createLineLog(ports.stderr), signal };
  try {
    const dataDir = resolve(ports.cwd, options.dataDir);
    if (options.fresh === true) await forgetCluster(dataDir);
    const cluster = await startEmbeddedCluster(
      await clusterOptions(options, { env, dataDir, version, ports, say }),
    );
    try {
      await serve(cluster, { options, ports, env, say });
    } finally {
      say('stopping: what is under way comes to its next safe point');
      await cluster.stop();
    }
    return FINE;
  } catch (error) {
    return failedCommand(error, ports);
  }
}

type Start = {
  readonly env: Env;
  readonly dataDir: string;
  readonly version: string;
  readonly ports: Ports;
  readonly say: (line: string) => void;
};

async function clusterOptions(
  { port, controlPlane, workers, nodes, speed }: UpOptions,
  { env, dataDir, version, ports, say }: Start,
): Promise<EmbeddedClusterOptions> {
  const templates = await readTemplates(ports.packageRoot);
  return {
    ...{ env, dataDir, port, version, templates, speed, packageRoot: ports.packageRoot },
    release: releaseOf(version, templates),
    size: {
      ...(controlPlane === undefined ? {} : { controlPlane }),
      ...(workers === undefined ? {} : { workers }),
    },
    hasMachines: nodes,
    settings: { controllers: settingsAtSpeed(speed), daemon: daemonSettingsAtSpeed(speed) },
    createLog: (write, component) => createKlog({ write, component, clock: env.clock, pid: ports.pid }),
    ...{ progress: say, onTrouble: (line) => say(`trouble: ${line}`) },
  };
}

type Foreground = {
  readonly options: UpOptions;
  readonly ports: Ports;
  readonly env: Env;
  readonly say: (line: string) => void;
};

async function serve(cluster: EmbeddedCluster, { options, ports, env, say }: Foreground): Promise<void> {
  if (!(await cluster.ready())) return;
  const kubeconfig = join(options.dataDir, 'kubeconfig');
  const registry = `127.0.0.1:${cluster.registryPort}`;
  ports.stdout(`ready${formatFields({ kubeconfig, server: cluster.url, registry })}\n`);
  say(
    `${counted(cluster.machines.length, 'node')} at ${options.speed} times the speed of real ones; Ctrl-C stops, the next start goes on`,
  );
  const detail = options.verbose === true ? 'verbose' : 'quiet';
  const stopTelling = tellNews(cluster.observer, { clock: env.clock, say, detail });
  await aborted(env.signal);
  stopTelling();
}

type Telling = { readonly clock: Clock; readonly say: (line: string) => void; readonly detail: NewsDetail };

/** Objects change one after the other; what belongs together is told together. */
const SETTLE_MS = 200;

function tellNews(observer: Observer, { clock, say, detail }: Telling): () => void {
  let before: FleetOverview | undefined;
  let isPlanned = false;
  let isOver = false;
  const tell = () => {
    isPlanned = false;
    if (isOver) return;
    const { pools, nodes, machineConfigNodes } = observer;
    const after = fleetOverview({
      ...{
        pools: [...pools.all()],
        nodes: [...nodes.all()],
        machineConfigNodes: [...machineConfigNodes.all()],
      },
      nowMs: clock.now(),
    });
    for (const line of fleetNews(before, after, detail)) say(line);
    before = after;
  };
  const plan = () => {
    if (isPlanned || isOver) return;
    isPlanned = true;
    clock.after(SETTLE_MS, tell);
  };
  observer.onChange(plan);
  plan();
  return () => {
    isOver = true;
  };
}
