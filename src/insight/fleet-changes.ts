/**
 * The changes between two fleet statuses, as lines of text.
 *
 *     fleetChanges(undefined, status, 'quiet')      what is updating, waiting or degraded now
 *     fleetChanges(before, after, 'quiet')            what changed in between
 *
 * A line begins with the name of its pool and a colon. `verbose` adds each phase of each node.
 */
import { compareBytes } from '../base/json.ts';
import type { FleetStatus } from './fleet-status.ts';
import { oneLine } from './messages.ts';
import { type ChangeDetail, nodeChanges, nodeStates } from './node-changes.ts';
import { poolChanges, poolStates } from './pool-changes.ts';
import { shortened } from './shortened.ts';
import type { UnassignedNode } from './unassigned-nodes.ts';

/** Longer lines are truncated: they quote messages of daemons. */
const MAX_LINE_CHARS = 500;
/** At most this many per call; `millwright status` shows the rest. */
const MAX_LINES = 50;

export function fleetChanges(
  before: FleetStatus | undefined,
  after: FleetStatus,
  detail: ChangeDetail,
): readonly string[] {
  const lines = before === undefined ? currentState(after) : changes(before, after, detail);
  const shown = lines.length > MAX_LINES ? lines.slice(0, MAX_LINES - 1) : lines;
  const more = lines.length - shown.length;
  return [
    ...shown.map((line) => shortened(oneLine(line), MAX_LINE_CHARS)),
    ...(more > 0 ? [`and ${more} more lines: see \`millwright status\``] : []),
  ];
}

function currentState(status: FleetStatus): readonly string[] {
  return [
    ...status.pools.flatMap((pool) => [
      ...poolStates(pool),
      ...nodeStates(pool, status.now).map((line) => `${pool.name}: ${line}`),
    ]),
    ...status.strays.flatMap(unassignedText),
  ];
}

function changes(before: FleetStatus, after: FleetStatus, detail: ChangeDetail): readonly string[] {
  const poolsBefore = new Map(before.pools.map((pool) => [pool.name, pool]));
  const poolsAfter = new Set(after.pools.map(({ name }) => name));
  const gone = before.pools.filter(({ name }) => !poolsAfter.has(name));
  const previousPools = poolsByNode(before);
  return [
    ...gone.map(({ name }) => `${name}: the pool was deleted`),
    ...after.pools.flatMap((pool) => {
      const last = poolsBefore.get(pool.name);
      const { begun, ended } = poolChanges(last, pool);
      const nodes = nodeChanges({ before: last, after: pool, previousPools, now: after.now, detail });
      return [...begun, ...nodes, ...ended].map((line) => `${pool.name}: ${line}`);
    }),
    ...goneNodes(before, after),
    ...unassignedChanges(before.strays, after.strays),
  ];
}

/** The pool of each node; empty for a node in no pool. */
function poolsByNode({ pools, strays: unassigned }: FleetStatus): ReadonlyMap<string, string> {
  return new Map([
    ...unassigned.map(({ name }) => [name, ''] as const),
    ...pools.flatMap((pool) => pool.nodes.map((node) => [node.name, pool.name] as const)),
  ]);
}

function goneNodes(before: FleetStatus, after: FleetStatus): readonly string[] {
  const remaining = poolsByNode(after);
  return [...poolsByNode(before)]
    .filter(([name]) => !remaining.has(name))
    .sort(([a], [b]) => compareBytes(a, b))
    .map(([name, pool]) => `${pool === '' ? '' : `${pool}: `}node ${name} was deleted`);
}

function unassignedChanges(
  before: readonly UnassignedNode[],
  after: readonly UnassignedNode[],
): readonly string[] {
  const reported = new Set(before.flatMap(unassignedText));
  return after.flatMap(unassignedText).filter((line) => !reported.has(line));
}

/** Only nodes that were managed before, or that several pools select, are reported. */
function unassignedText({ name, message }: UnassignedNode): readonly string[] {
  return message === undefined ? [] : [`node ${name} is in no pool: ${message}`];
}
