/**
 * A simulation as text: how long, a row for each pool, a chart of the nodes, what is in the way, and what was assumed.
 */
import { counted, humanDuration } from '../../base/text/index.ts';
import { type Paint, paintWith, type Style, wrapText } from '../../insight/index.ts';
import type {
  Band,
  BlockerForecast,
  PoolForecast,
  RefusalForecast,
  Simulation,
  TimeSource,
} from '../../simulation/index.ts';
import { rolloutChart } from './rollout-chart.ts';

type SimulationView = {
  readonly width: number;
  readonly hasColors: boolean;
  /** All nodes. */
  readonly isVerbose: boolean;
  /** `--max-unavailable` and `--fault`, as they were given. */
  readonly whatIfs: readonly string[];
};

const MIN_WIDTH = 40;
const MAX_ROWS = 40;
const INDENT = '  ';

type Canvas = { readonly width: number; readonly paint: Paint; readonly runs: number };

export function simulationText(simulation: Simulation, view: SimulationView): readonly string[] {
  const canvas: Canvas = {
    width: Math.max(MIN_WIDTH, view.width),
    paint: paintWith(view.hasColors),
    runs: simulation.runs,
  };
  const { refusals, blockers, failures, notes, problems } = simulation;
  const sections = [
    headline(simulation, canvas),
    poolSection(simulation, canvas),
    chart(simulation, view, canvas),
    section(
      'blocked',
      blockers.flatMap((one) => blockerLines(one, canvas)),
      canvas,
      'bad',
    ),
    section(
      'waits',
      refusals.flatMap((one) => item(refusalText(one, canvas), canvas)),
      canvas,
    ),
    section(
      'failures',
      failures.flatMap(({ node, reason, runs }) => item(`${node}: ${reason}${inRuns(runs, canvas)}`, canvas)),
      canvas,
    ),
    section(
      'assumed',
      assumptions(simulation, view).flatMap((text) => item(text, canvas)),
      canvas,
    ),
    section(
      'notes',
      [...notes, ...problems].flatMap((text) => item(text, canvas)),
      canvas,
    ),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
}

function headline(simulation: Simulation, canvas: Canvas): readonly string[] {
  const { outcome, durationMs, runs, ended, pools, leftOut } = simulation;
  const painted = (style: Style, text: string) =>
    wrapText(text, canvas.width).map((line) => canvas.paint(style, line));
  if (outcome === 'none') {
    return leftOut.length === 0
      ? painted('good', 'no node moves')
      : painted(
          'held',
          `no node moves by what is rehearsed, and ${leftOutText(simulation)} is not: see notes`,
        );
  }
  if (outcome === 'ends' && durationMs !== undefined) {
    return painted('good', `${bandText(durationMs, canvas)}: ${movedText(simulation)}`);
  }
  const some = ended > 0 && ended < runs ? ` in ${runs - ended} of ${runs} runs` : '';
  return painted('bad', `blocked${some}: ${leftBehindText(pools)}`);
}

function leftOutText({ leftOut }: Simulation): string {
  return shortList(leftOut.map(({ object }) => object));
}

/** `4 nodes of pool worker, all of them rebooted`. */
function movedText({ nodes }: Simulation): string {
  const rebooted = nodes.filter(({ isRebooted }) => isRebooted).length;
  const [pool, ...others] = new Set(nodes.map((node) => node.pool));
  const where = others.length === 0 ? `pool ${pool}` : `${others.length + 1} pools`;
  const share = rebooted === nodes.length ? 'all' : rebooted === 0 ? 'none' : rebooted;
  return `${counted(nodes.length, 'node')} of ${where}, ${share} of them rebooted`;
}

/** `2 of 3 nodes of pool worker are left behind`. */
function leftBehindText(pools: readonly PoolForecast[]): string {
  const concerned = pools.filter(isConcerned);
  const left = new Set(concerned.flatMap(({ unfinished }) => unfinished)).size;
  if (left === 0) return 'no node is left behind, but not every pool reports that it is updated';
  const [first, ...others] = concerned.map(({ name }) => name);
  const where = others.length === 0 ? `pool ${first}` : `${others.length + 1} pools`;
  const all = concerned.reduce((sum, { nodes }) => sum + nodes, 0);
  return `${left} of ${counted(all, 'node')} of ${where} ${left === 1 ? 'is' : 'are'} left behind`;
}

/** Whether the change moves nodes of it, or should. */
function isConcerned({ sent, unfinished }: PoolForecast): boolean {
  return sent > 0 || unfinished.length > 0;
}

/** `about 23m, 21m to 26m (p10 to p90 of 5 runs)`. */
function bandText({ p10, p50, p90 }: Band, { runs }: Canvas): string {
  const [low, middle, high] = [p10, p50, p90].map(shortDuration);
  return runs === 1 || low === high
    ? `about ${middle}`
    : `about ${middle}, ${low} to ${high} (p10 to p90 of ${runs} runs)`;
}

/** Below a minute with a tenth: sandboxes are fast. */
function shortDuration(ms: number): string {
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)}s` : humanDuration(ms);
}

/** Of a single pool that comes to its end the headline says it all. */
function poolSection({ outcome, pools }: Simulation, canvas: Canvas): readonly string[] {
  const moving = pools.filter(({ sent }) => sent > 0);
  if (outcome === 'none' || (outcome === 'ends' && moving.length === 1)) return [];
  return pools.filter(isConcerned).flatMap((pool) => poolLines(pool, canvas));
}

function poolLines(
  { name, nodes, sent, isPaused, unfinished, durationMs }: PoolForecast,
  canvas: Canvas,
): readonly string[] {
  const state = [
    `${sent} of ${counted(nodes, 'node')} sent`,
    ...(durationMs === undefined ? [] : [bandText(durationMs, canvas)]),
    ...(isPaused ? ['paused: its nodes stay as they are'] : []),
    ...(unfinished.length > 0 && !isPaused ? [`left behind: ${shortList(unfinished)}`] : []),
  ];
  const text = `pool ${name}: ${state.join(', ')}`;
  return wrapText(text, canvas.width - INDENT.length).map((line, index) =>
    index === 0 ? line : `${INDENT}${line}`,
  );
}

const MOST_NAMES = 5;

function shortList(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES;
  return rest > 0 ? `${names.slice(0, MOST_NAMES).join(', ')} and ${rest} more` : names.join(', ');
}

function chart(
  { shown }: Simulation,
  { isVerbose }: SimulationView,
  { width, paint, runs }: Canvas,
): readonly string[] {
  if (shown.nodes.length === 0) return [];
  const ends = shown.nodes.map(({ doneMs, phases }) => doneMs ?? phases.at(-1)?.toMs ?? 0);
  const maxRows = isVerbose ? Number.POSITIVE_INFINITY : MAX_ROWS;
  const lines = rolloutChart(shown.nodes, { lengthMs: Math.max(...ends), width, maxRows, paint });
  return runs === 1 ? lines : [...lines, paint('dim', `(run ${shown.seed} of ${runs}, of middle length)`)];
}

function section(title: string, lines: readonly string[], { paint }: Canvas, style: Style = 'bold') {
  return lines.length === 0 ? [] : [paint(style, title), ...lines];
}

function item(text: string, { width }: Canvas): readonly string[] {
  return wrapText(text, width - 2 * INDENT.length).map(
    (line, index) => `${INDENT}${index === 0 ? '' : INDENT}${line}`,
  );
}

function inRuns(count: number, { runs }: Canvas): string {
  return runs === 1 || count >= runs ? '' : ` (in ${count} of ${runs} runs)`;
}

function blockerLines({ code, cause, next, runs }: BlockerForecast, canvas: Canvas): readonly string[] {
  const [command] = next;
  return [
    ...item(`${code}: ${cause}${inRuns(runs, canvas)}`, canvas),
    ...(command === undefined ? [] : [`${INDENT}${INDENT}${command.command}  # ${command.why}`]),
  ];
}

function refusalText(
  { node, namespace, pod, budget, waitMs, runs }: RefusalForecast,
  canvas: Canvas,
): string {
  const who = budget === undefined ? '' : `, which PodDisruptionBudget ${budget} protects`;
  const [low, high] = [shortDuration(waitMs.p10), shortDuration(waitMs.p90)];
  const long = low === high ? low : `${low} to ${high}`;
  return `${node} waits ${long} for pod ${namespace}/${pod}${who}${inRuns(runs, canvas)}`;
}

function assumptions({ times, outcome }: Simulation, { whatIfs }: SimulationView): readonly string[] {
  if (outcome === 'none') return [];
  const given = whatIfs.map((text) => `what if: ${text}`);
  if (times.kind === 'sandbox') return [timesText(times), ...given];
  return [
    timesText(times),
    'pods end within their grace period, 30s at most; the OS image is pulled in 1m',
    ...given,
  ];
}

function timesText(times: TimeSource): string {
  const minutes = (count: number) => shortDuration(count * 60_000);
  switch (times.kind) {
    case 'sandbox':
      return `the machines are sandboxes of millwright up at speed ${times.speed}`;
    case 'given':
      return `a node reboots in ${minutes(times.minutes)}, give or take a fifth (--node-minutes)`;
    case 'history':
      return `nodes take as long as in their last ${counted(times.updates, 'update')} with a reboot: ${minutes(times.medianMinutes)} in the middle (--node-minutes M for another time)`;
    case 'default':
      return `a node reboots in ${minutes(times.minutes)}, give or take a fifth: no node has a recent update with a reboot (--node-minutes M for another time)`;
  }
}
