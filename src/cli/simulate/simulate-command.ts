/**
 * `millwright simulate`: how long a change takes, in what order nodes go, and what blocks. It sends no writes to the cluster.
 */
import { join } from 'node:path';
import { systemClock } from '../../base/env.ts';
import { counted, didYouMean, humanDuration, printableLine } from '../../base/text/index.ts';
import { type FleetPlan, fleetPlan, type SnapshotChange } from '../../insight/index.ts';
import { KubeError } from '../../kubernetes/client/index.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import { node as nodeKind } from '../../kubernetes/types/index.ts';
import { type Simulation, type SimulationProgress, simulateChange } from '../../simulation/index.ts';
import type { ClusterOptions } from '../cluster-options.ts';
import { BLOCKED, INVALID_INPUT, SUCCESS, USAGE_ERROR } from '../exit-code.ts';
import { runInCluster, throwUsageError } from '../objects/run-in-cluster.ts';
import { type ChangeOptions, readChange } from '../plan/read-change.ts';
import type { Ports } from '../ports.ts';
import { releaseOf } from '../release.ts';
import { readTemplates } from '../render/read-templates.ts';
import { reportFailure } from '../report-failure.ts';
import { hasColors, isCapable, widthOf } from '../terminal.ts';
import { type GivenFault, parseFault } from './parse-fault.ts';
import { readLiveCluster, readOffline, type SimulateSources } from './simulate-sources.ts';
import { simulationJson } from './simulation-json.ts';
import { simulationText } from './simulation-text.ts';
import { inUsualNamespace } from './usual-namespace.ts';

export type SimulateOptions = ClusterOptions &
  ChangeOptions & {
    readonly from?: readonly string[];
    readonly maxUnavailable?: number | string;
    readonly nodeMinutes?: number;
    readonly fault?: readonly string[];
    readonly seeds?: number;
    readonly verbose?: boolean;
    readonly output: 'text' | 'json';
  };

type Given = { readonly ports: Ports; readonly version: string };

/** Returns the exit code. */
export async function simulateCommand(options: SimulateOptions, given: Given): Promise<number> {
  const { ports } = given;
  try {
    const faults = (options.fault ?? []).map(parseFault);
    const change = await readChange(options, { ports, otherwise: 'nothing simulated' });
    if (change === undefined) return INVALID_INPUT;
    const run = (sources: SimulateSources) => {
      const applied = change.applied.map(inUsualNamespace);
      return simulate({ options, change: { ...change, applied }, faults, sources }, given);
    };
    if (options.from !== undefined) {
      const present = await readOffline(options.from, options, ports);
      return present === undefined ? INVALID_INPUT : await run(present);
    }
    // Read first: the connection is not kept while the simulation runs.
    const read: SimulateSources[] = [];
    const failed = await runInCluster(options, ports, async ({ session }) => {
      read.push(await readLiveCluster(session, options));
    });
    const [sources] = read;
    // The server refused a request of ours: that says nothing about the change.
    if (sources === undefined) return failed === INVALID_INPUT ? USAGE_ERROR : failed;
    return await run(sources);
  } catch (error) {
    return reportFailure(error, ports);
  }
}

type Task = {
  readonly options: SimulateOptions;
  readonly change: SnapshotChange;
  readonly faults: readonly GivenFault[];
  readonly sources: SimulateSources;
};

/** Returns the exit code. */
async function simulate(task: Task, { ports, version }: Given): Promise<number> {
  const { options, change, faults, sources } = task;
  const { snapshot, namespace, unread } = sources;
  refuseUnknownNodes(task);
  const templates = await readTemplates(ports.packageRoot);
  const plan = fleetPlan(snapshot, change, { namespace, templates, version });
  if (hasProblems(plan, ports)) return INVALID_INPUT;
  const progress = progressOn(ports);
  const { maxUnavailable, nodeMinutes, seeds } = options;
  try {
    const simulation = await simulateChange({
      ...{ snapshot, change, namespace, maxUnavailable, nodeMinutes, seeds, templates },
      whatIfs: faults.map(({ whatIf }) => whatIf),
      release: releaseOf(version, templates),
      manifests: join(ports.packageRoot, 'manifests'),
      onProgress: progress.show,
    });
    progress.clear();
    const warnings = plan.warnings.map(({ object, message }) => `${object}: ${message}`);
    ports.stdout(formatted({ ...simulation, notes: [...warnings, ...simulation.notes] }, task, ports));
    if (unread.length > 0) {
      ports.stderr(`note: not readable for you, so not considered: ${unread.join(', ')}\n`);
    }
    return simulation.outcome === 'blocked' ? BLOCKED : SUCCESS;
  } catch (error) {
    progress.clear();
    if (!(error instanceof KubeError)) throw error;
    ports.stderr(`millwright: the change would be refused: ${printableLine(error.message)}\n`);
    return INVALID_INPUT;
  }
}

function refuseUnknownNodes({ sources: { snapshot }, faults }: Task): void {
  const names = snapshot.all(nodeKind).map(nameOf);
  if (names.length === 0) {
    throwUsageError('there are no Nodes: a simulation needs those of the cluster (plan works without)');
  }
  for (const { text, whatIf } of faults) {
    if (!('node' in whatIf) || names.includes(whatIf.node)) continue;
    const { node } = whatIf;
    throwUsageError(`--fault ${text}: there is no node ${node}${didYouMean(node, names)}`);
  }
}

/** Prints what is wrong with the change. */
function hasProblems({ problems }: FleetPlan, ports: Ports): boolean {
  for (const { object, message } of problems) ports.stderr(`${printableLine(`${object}: ${message}`)}\n`);
  if (problems.length > 0) ports.stderr(`${counted(problems.length, 'problem')}, nothing simulated\n`);
  return problems.length > 0;
}

function formatted(simulation: Simulation, { options, change, faults, sources }: Task, ports: Ports): string {
  const { maxUnavailable, output, verbose: isVerbose = false } = options;
  const given = [
    ...(maxUnavailable === undefined ? [] : [`--max-unavailable ${maxUnavailable}`]),
    ...faults.map(({ text }) => `--fault ${text}`),
  ];
  if (output === 'json') {
    const { unread } = sources;
    return `${JSON.stringify(simulationJson(simulation, { change, whatIfs: given, unread }), null, 4)}\n`;
  }
  const view = { width: widthOf(ports), hasColors: hasColors(ports), isVerbose, whatIfs: given };
  return `${simulationText(simulation, view).map(printableText).join('\n')}\n`;
}

/** Names and messages come from the cluster; colours are ours. */
function printableText(line: string): string {
  return line
    .split('\x1b')
    .map((part, index) => (index === 0 ? printableLine(part) : part))
    .join('\x1b');
}

type Progress = { readonly show: (progress: SimulationProgress) => void; readonly clear: () => void };

/** Of short simulations nobody needs to know how far they are. */
const FIRST_MS = 2_000;
const TERMINAL_MS = 200;
const PIPE_MS = 15_000;

/** On a terminal one line that is drawn again, elsewhere a line now and then. */
function progressOn(ports: Ports): Progress {
  const isDrawn = isCapable(ports);
  let nextMs = systemClock.monotonic() + (isDrawn ? FIRST_MS : PIPE_MS);
  let hasLine = false;
  return {
    show({ run, runs, done, sent, all, elapsedMs }) {
      if (systemClock.monotonic() < nextMs) return;
      nextMs = systemClock.monotonic() + (isDrawn ? TERMINAL_MS : PIPE_MS);
      const text = `run ${run} of ${runs}: ${humanDuration(elapsedMs)} simulated, ${done} of ${sent} nodes done that were sent, of ${all}`;
      ports.stderr(isDrawn ? `\r\x1b[K${text}` : `${text}\n`);
      hasLine = isDrawn;
    },
    clear() {
      if (hasLine) ports.stderr('\r\x1b[K');
      hasLine = false;
    },
  };
}
