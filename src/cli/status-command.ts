/**
 * `millwright status`: pools and nodes at a glance.
 */
import { type Clock, type Env, silentLog, systemClock, systemRandom } from '../base/env.ts';
import { jsonEqual } from '../base/json.ts';
import { humanDuration } from '../base/text/index.ts';
import { waited, withinLimit } from '../base/waiting.ts';
import { type FleetOverview, fleetOverview, overviewText } from '../insight/index.ts';
import { createNodeTransport } from '../kubernetes/client/transport-node.ts';
import { type ClusterOptions, embeddedAccess } from './embedded-access.ts';
import { type FleetObjects, type FollowedFleet, followFleet, listFleet, snapshotOf } from './fleet-source.ts';
import { LiveScreen } from './live-screen.ts';
import { didYouMean } from './nearest-name.ts';
import { refuseUsage, runInCluster } from './objects/run-in-cluster.ts';
import type { Ports } from './ports.ts';

export type StatusOptions = ClusterOptions & {
  readonly watch?: boolean;
  readonly output: 'text' | 'json';
};

/** Gives the exit code. Names are those of pools; none means all of them. */
export function statusCommand(
  names: readonly string[],
  options: StatusOptions,
  ports: Ports,
): Promise<number> {
  return runInCluster(options, ports, async () => {
    const stopping = new AbortController();
    // Who looks once is not worth waiting for.
    if (options.watch === true) ports.onStop(() => stopping.abort());
    const env: Env = { clock: systemClock, random: systemRandom, log: silentLog, signal: stopping.signal };
    const access = await embeddedAccess(options, ports);
    const transport = createNodeTransport({ access, clock: env.clock });
    try {
      const listed = await listFleet(transport, env);
      refuseUnknown(names, listed);
      const view: View = { names, format: options.output, ports };
      if (options.watch !== true) {
        ports.stdout(viewOnce(view, listed, env.clock));
        return;
      }
      const bell = new Bell();
      const fleet = await followFleet(transport, env, { listed, onChange: () => bell.ring() });
      try {
        await watchView(view, fleet, { bell, env });
      } finally {
        await fleet.stop();
      }
    } finally {
      transport.close();
    }
  });
}

type View = { readonly names: readonly string[]; readonly format: 'text' | 'json'; readonly ports: Ports };

function refuseUnknown(names: readonly string[], { pools }: FleetObjects): void {
  const known = [...pools].map(({ metadata }) => metadata.name).sort();
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const [first = ''] = unknown;
  refuseUsage(
    `there is no pool ${first}${didYouMean(first, known)}; there are: ${known.join(', ') || 'none'}`,
  );
}

function viewOnce(view: View, objects: FleetObjects, clock: Clock): string {
  const overview = overviewOf(view, objects, clock);
  if (view.format === 'json') return `${JSON.stringify(overview, null, 4)}\n`;
  return `${linesOf(view, overview).join('\n')}\n`;
}

/** Nodes without a pool belong to the whole picture, not to that of some pools. */
function overviewOf({ names }: View, objects: FleetObjects, clock: Clock): FleetOverview {
  const overview = fleetOverview(snapshotOf(objects, clock.now()));
  if (names.length === 0) return overview;
  return { ...overview, pools: overview.pools.filter(({ name }) => names.includes(name)), strays: [] };
}

const PIPE_WIDTH = 80;

function linesOf({ ports }: View, overview: FleetOverview): readonly string[] {
  const width = ports.terminal?.columns || PIPE_WIDTH;
  return overviewText(overview, { width, hasColors: isCapable(ports) && !isColourless(ports) });
}

/** Whether a cursor can be moved there. */
function isCapable({ terminal, environment }: Ports): boolean {
  return terminal !== undefined && environment.TERM !== 'dumb';
}

/** By https://no-color.org: set, and not empty. */
function isColourless({ environment }: Ports): boolean {
  return (environment.NO_COLOR ?? '') !== '';
}

/** Durations are shown in seconds. */
const REDRAW_MS = 1_000;
/** What changes together comes in several pieces; who watches sees them as one. */
const GATHER_MS = 100;

type Watching = { readonly bell: Bell; readonly env: Env };

/** Until the process is asked to end. */
async function watchView(view: View, fleet: FollowedFleet, { bell, env }: Watching): Promise<void> {
  const isLive = view.format === 'text' && isCapable(view.ports);
  const show = isLive ? liveShow(view) : blockShow(view);
  const { clock, signal } = env;
  while (!signal.aborted) {
    const changed = bell.next();
    const sinceMs = fleet.lostSinceMs();
    const lost = sinceMs === undefined ? undefined : humanDuration(clock.now() - sinceMs);
    show(overviewOf(view, fleet.objects, clock), lost);
    const limitMs = isLive ? REDRAW_MS : Number.POSITIVE_INFINITY;
    const outcome = await withinLimit(clock, { promise: changed, limitMs, signal });
    if (outcome.kind === 'settled') await waited(clock, { delayMs: GATHER_MS, signal });
  }
  // The prompt of the shell comes behind the ^C.
  if (isLive) view.ports.stdout('\n');
}

/** `lost` says for how long the server has not answered. */
type Show = (overview: FleetOverview, lost: string | undefined) => void;

function liveShow(view: View): Show {
  const screen = new LiveScreen(view.ports.stdout);
  return (overview, lost) => {
    const { terminal } = view.ports;
    const notice = `the server has not answered for ${lost}: this is what it last said`;
    const lines = [...linesOf(view, overview), ...(lost === undefined ? [] : ['', notice])];
    screen.draw(lines, { columns: terminal?.columns || PIPE_WIDTH, rows: terminal?.rows || 24 });
  };
}

/** A block for each change, below the time; as JSON one line for each. */
function blockShow(view: View): Show {
  let last: FleetOverview | undefined;
  let wasLost = false;
  return (overview, lost) => {
    const isLost = lost !== undefined;
    if (isLost !== wasLost)
      view.ports.stderr(`millwright: the server ${isLost ? 'does not answer' : 'answers again'}\n`);
    wasLost = isLost;
    if (last !== undefined && jsonEqual({ ...last, now: '' }, { ...overview, now: '' })) return;
    const isFirst = last === undefined;
    last = overview;
    if (view.format === 'json') view.ports.stdout(`${JSON.stringify(overview)}\n`);
    else
      view.ports.stdout(`${isFirst ? '' : '\n'}${[overview.now, ...linesOf(view, overview)].join('\n')}\n`);
  };
}

/** Rung by many, heard once. */
class Bell {
  #wake: () => void = () => undefined;

  ring(): void {
    this.#wake();
  }

  /** Resolves when it is rung after this. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
