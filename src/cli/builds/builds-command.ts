/**
 * `millwright builds`: the builds of OS images, and the log of the running one.
 */

import {
  type MachineOSBuild,
  machineOSBuild as machineOSBuildKind,
  machineOSConfig as machineOSConfigKind,
} from '../../api/index.ts';
import { silentLog, systemClock, systemRandom } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import { didYouMean } from '../../base/text/index.ts';
import { sleep } from '../../base/waiting.ts';
import {
  type BuildList,
  type BuildSummary,
  buildList,
  buildListText,
  JOB_NAME_LABEL,
  nextLog,
} from '../../insight/index.ts';
import { createKube, isNotFound, type Kube, KubeError, objectPath } from '../../kubernetes/client/index.ts';
import { type Pod, pod as podKind } from '../../kubernetes/types/index.ts';
import type { ClusterOptions } from '../cluster-options.ts';
import { installedNamespace } from '../installed-namespace.ts';
import type { NamespaceOptions } from '../namespace-option.ts';
import { printLines } from '../objects/print-lines.ts';
import { type Run, runInCluster, throwUsageError } from '../objects/run-in-cluster.ts';
import type { Ports } from '../ports.ts';
import { hasColors, widthOf } from '../terminal.ts';

export type BuildsOptions = ClusterOptions &
  NamespaceOptions & {
    readonly follow?: boolean;
    readonly output: 'text' | 'json';
  };

/** Returns the exit code. */
export function buildsCommand(
  pool: string | undefined,
  options: BuildsOptions,
  ports: Ports,
): Promise<number> {
  return runInCluster(options, ports, async (run) => {
    if (options.follow === true && options.output === 'json')
      throwUsageError('--follow prints a log: it cannot be combined with -o json');
    const stopping = new AbortController();
    if (options.follow === true) ports.onStop(() => stopping.abort());
    const env = { clock: systemClock, random: systemRandom, log: silentLog, signal: stopping.signal };
    const kube = createKube({ transport: run.transport, env, fieldManager: 'millwright' });
    const cluster = { kube, namespace: await installedNamespace(options, kube) };
    const builds = await listBuilds(cluster, pool);
    if (options.follow === true) await follow({ ...run, ...cluster, signal: stopping.signal }, builds);
    else ports.stdout(viewOf(builds, options.output, ports));
  });
}

type Cluster = { readonly kube: Kube; readonly namespace: string };

async function listBuilds({ kube, namespace }: Cluster, pool: string | undefined): Promise<BuildList> {
  const [configs, builds, pods] = await Promise.all([
    kube.list(machineOSConfigKind),
    kube.list(machineOSBuildKind),
    kube.list(podKind, { namespace, labelSelector: JOB_NAME_LABEL }),
  ]).catch((error: unknown) => {
    if (!(error instanceof KubeError) || error.code !== 404) throw error;
    const message = 'the server does not serve MachineOSConfigs: Millwright is not installed';
    throw new Failure('usage', 'NotInstalled', message);
  });
  const lists = { configs: configs.items, builds: builds.items, pods: pods.items };
  const list = buildList({ ...lists, nowMs: systemClock.now() });
  if (pool === undefined) return list;
  const chosen = list.configs.filter((config) => config.pool === pool);
  if (chosen.length > 0) return { ...list, configs: chosen };
  const known = list.configs.map((config) => config.pool);
  return throwUsageError(
    `no MachineOSConfig for pool ${pool}${didYouMean(pool, known)}; pools with one: ${known.join(', ') || 'none'}`,
  );
}

function viewOf(builds: BuildList, format: BuildsOptions['output'], ports: Ports): string {
  if (format === 'json') return `${JSON.stringify(builds, null, 4)}\n`;
  const lines = buildListText(builds, { width: widthOf(ports), hasColors: hasColors(ports) });
  return `${lines.join('\n')}\n`;
}

/** The running one, else the one that a pool follows, else the newest. */
function chooseBuild({ configs }: BuildList): BuildSummary | undefined {
  const builds = configs.flatMap((config) => config.builds);
  const isRunning = ({ state }: BuildSummary) => state === 'Building' || state === 'Prepared';
  return (
    builds.find((build) => isRunning(build) && build.isCurrent) ??
    builds.find(isRunning) ??
    builds.find(({ isCurrent }) => isCurrent) ??
    builds[0]
  );
}

type Following = Run & Cluster & { readonly signal: AbortSignal };

/** Containers may run for a moment only, and the pods of a successful build are deleted. */
const POLL_MS = 200;

/** Prints the logs of its pods until it has ended and they are printed. */
async function follow(following: Following, builds: BuildList): Promise<void> {
  const { kube, notify, reportError, signal, session } = following;
  const chosen = chooseBuild(builds);
  if (chosen === undefined) {
    const problem = builds.configs.find((config) => config.problem !== undefined)?.problem;
    return reportError(`there is no build to follow${problem === undefined ? '' : `: ${problem.message}`}`);
  }
  const { name } = chosen;
  notify(`MachineOSBuild ${name}`);
  const printed = new Set<string>();
  let shown = '';
  while (!signal.aborted) {
    const build = await kube.get(machineOSBuildKind, { name });
    const summary = build === undefined ? undefined : await summaryOf(following, build);
    if (summary === undefined) return reportError(`MachineOSBuild ${name} was deleted`);
    const log = nextLog(summary.pods, printed);
    if (log !== undefined) {
      printed.add(log.key);
      await printLog(following, log);
      continue;
    }
    if (isOver(summary.build)) return reportOutcome(following, summary.build);
    const { why = summary.problem } = summary.build;
    if (why !== '' && why !== shown) notify(why);
    shown = why;
    await sleep(session.clock, { delayMs: POLL_MS, signal });
  }
}

type Followed = {
  readonly build: BuildSummary;
  /** What keeps it from being started. */
  readonly problem: string;
  readonly pods: readonly Pod[];
};

async function summaryOf({ kube, namespace }: Cluster, build: MachineOSBuild): Promise<Followed | undefined> {
  const labelSelector = `${JOB_NAME_LABEL}=build-${build.metadata.name}`;
  const { items: pods } = await kube.list(podKind, { namespace, labelSelector });
  const config = await kube.get(machineOSConfigKind, { name: build.spec.machineOSConfig.name });
  const nowMs = systemClock.now();
  const list = buildList({ configs: config === undefined ? [] : [config], builds: [build], pods, nowMs });
  const [found] = list.configs;
  const summary = found?.builds[0];
  return summary === undefined ? undefined : { build: summary, problem: found?.problem?.message ?? '', pods };
}

function isOver({ state }: BuildSummary): boolean {
  return state === 'Succeeded' || state === 'Failed' || state === 'Interrupted';
}

function reportOutcome({ notify, reportError }: Following, { name, state, image, why }: BuildSummary): void {
  const outcome = state === 'Failed' ? 'failed' : 'was interrupted';
  if (state === 'Succeeded') notify(`MachineOSBuild ${name} succeeded: ${image ?? ''}`);
  else reportError(`MachineOSBuild ${name} ${outcome}${why === undefined ? '' : `: ${why}`}`);
}

/** A pod that was deleted meanwhile, as those of successful builds are, has no log any more: the build itself says what became of it. */
async function printLog(
  { session, ports, notify, signal, namespace }: Following,
  { pod, container }: { readonly pod: string; readonly container: string },
): Promise<void> {
  try {
    const pieces = await session.stream({
      path: objectPath(podKind, { name: pod, namespace }, 'log'),
      query: { container, follow: 'true' },
      accept: 'application/json, */*',
      signal,
    });
    notify(`pod/${pod} ${container}`);
    await printLines(pieces, '', ports.stdout);
  } catch (error) {
    if (isNotFound(error, pod)) return;
    if (!(error instanceof KubeError)) throw error;
    notify(error.message);
  }
}
