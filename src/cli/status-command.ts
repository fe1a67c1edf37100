/**
 * `millwright status`: the status of pools and nodes.
 */
import { type Clock, type Env, silentLog, systemClock, systemRandom } from '../base/env.ts';
import { jsonEqual } from '../base/json.ts';
import { didYouMean, humanDuration } from '../base/text/index.ts';
import { sleep, withinLimit } from '../base/waiting.ts';
import { type FleetStatus, fleetStatus, statusText, withCauses } from '../insight/index.ts';
import type { ClusterOptions } from './cluster-options.ts';
import { type FleetObjects, listFleet, snapshotOf, type WatchedFleet, watchFleet } from './fleet-source.ts';
import { LiveScreen } from './live-screen.ts';
import { runInCluster, throwUsageError } from './objects/run-in-cluster.ts';
import type { Ports } from './ports.ts';
import { hasColors, isCapable, PIPE_WIDTH, widthOf } from './terminal.ts';

export type StatusOptions = ClusterOptions & {
  readonly watch?: boolean;
  readonly output: 'text' | 'json';
};

/** Returns the exit code. `names` are pool names; empty means all pools. */
export function statusCommand(
  names: readonly string[],
  options: StatusOptions,
  ports: Ports,
): Promise<number> {
  return runInCluster(options, ports, async ({ transport }) => {
    const stopping = new AbortController();
    // Without --watch, Ctrl-C ends the process immediately.
    if (options.watch === true) ports.onStop(() => stopping.abort());
    const env: Env = { clock: systemClock, random: systemRandom, log: silentLog, signal: stopping.signal };
    const listed = await listFleet(transport, env);
    refuseUnknown(names, listed);
    const view: View = { names, format: options.output, ports };
    if (options.watch !== true) {
      ports.stdout(viewOnce(view, listed, env.clock));
      return;
    }
    const changes = new ChangeSignal();
    const fleet = await watchFleet(transport, env, { listed, onChange: () => changes.notify() });
    try {
      await watchView(view, fleet, { changes, env });
    } finally {
      await fleet.stop();
    }
  });
}

type View = { readonly names: readonly string[]; readonly format: 'text' | 'json'; readonly ports: Ports };

function refuseUnknown(names: readonly string[], { pools }: FleetObjects): void {
  const known = [...pools].map(({ metadata }) => metadata.name).sort();
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const [first = ''] = unknown;
  throwUsageError(`no such pool: ${first}${didYouMean(first, known)}; pools: ${known.join(', ') || 'none'}`);
}

function viewOnce(view: View, objects: FleetObjects, clock: Clock): string {
  const status = statusOf(view, objects, clock);
  if (view.format === 'json') return `${JSON.stringify(status, null, 4)}\n`;
  return `${linesOf(view, status).join('\n')}\n`;
}

/** Nodes without a pool are shown only when all pools are. */
function statusOf({ names }: View, objects: FleetObjects, clock: Clock): FleetStatus {
  const snapshot = snapshotOf(objects, clock.now());
  const status = withCauses(fleetStatus(snapshot), snapshot);
  if (names.length === 0) return status;
  return { ...status, pools: status.pools.filter(({ name }) => names.includes(name)), strays: [] };
}

function linesOf({ ports }: View, status: FleetStatus): readonly string[] {
  return statusText(status, { width: widthOf(ports), hasColors: hasColors(ports) });
}

/** Durations are shown in seconds. */
const REDRAW_MS = 1_000;
/** Batches changes that belong together. */
const BATCH_MS = 100;

type Watching = { readonly changes: ChangeSignal; readonly env: Env };

/** Runs until the process is asked to stop. */
async function watchView(view: View, fleet: WatchedFleet, { changes, env }: Watching): Promise<void> {
  const isLive = view.format === 'text' && isCapable(view.ports);
  const show = isLive ? liveShow(view) : blockShow(view);
  const { clock, signal } = env;
  while (!signal.aborted) {
    const changed = changes.next();
    const sinceMs = fleet.unreachableSinceMs();
    const outage = sinceMs === undefined ? undefined : humanDuration(clock.now() - sinceMs);
    show(statusOf(view, fleet.objects, clock), outage);
    const limitMs = isLive ? REDRAW_MS : Number.POSITIVE_INFINITY;
    const outcome = await withinLimit(clock, { promise: changed, limitMs, signal });
    if (outcome.kind === 'settled') await sleep(clock, { delayMs: BATCH_MS, signal });
  }
  // Puts the shell prompt on a line of its own after ^C.
  if (isLive) view.ports.stdout('\n');
}

/** `outage` is how long the server has been unreachable. */
type Show = (status: FleetStatus, outage: string | undefined) => void;

function liveShow(view: View): Show {
  const screen = new LiveScreen(view.ports.stdout);
  return (status, outage) => {
    const { terminal } = view.ports;
    const notice = `the server has been unreachable for ${outage}: this status may be outdated`;
    const lines = [...linesOf(view, status), ...(outage === undefined ? [] : ['', notice])];
    screen.draw(lines, { columns: terminal?.columns || PIPE_WIDTH, rows: terminal?.rows || 24 });
  };
}

/** Prints a block with a timestamp for each change, or one line of JSON. */
function blockShow(view: View): Show {
  let last: FleetStatus | undefined;
  let wasUnreachable = false;
  return (status, outage) => {
    const isUnreachable = outage !== undefined;
    if (isUnreachable !== wasUnreachable)
      view.ports.stderr(`millwright: the server is ${isUnreachable ? 'unreachable' : 'reachable again'}\n`);
    wasUnreachable = isUnreachable;
    if (last !== undefined && jsonEqual({ ...last, now: '' }, { ...status, now: '' })) return;
    const isFirst = last === undefined;
    last = status;
    if (view.format === 'json') view.ports.stdout(`${JSON.stringify(status)}\n`);
    else view.ports.stdout(`${isFirst ? '' : '\n'}${[status.now, ...linesOf(view, status)].join('\n')}\n`);
  };
}

/** Wakes a single waiter after any number of notifications. */
class ChangeSignal {
  #wake: () => void = () => undefined;

  notify(): void {
    this.#wake();
  }

  /** Resolves at the next notification. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
