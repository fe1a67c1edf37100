/**
 * What has changed between two overviews, in lines for people.
 *
 *     fleetNews(undefined, overview, 'quiet')      what moves, waits or is wrong right now
 *     fleetNews(before, after, 'quiet')            what happened in between
 *
 * A line begins with the name of its pool and a colon. `verbose` adds each phase of each node.
 */
import { compareBytes } from '../base/json.ts';
import type { FleetOverview, StrayNode } from './fleet-overview.ts';
import { type NewsDetail, nodeNews, nodesToTell } from './node-news.ts';
import { poolNews, poolToTell } from './pool-news.ts';
import { cutInside, oneLine } from './words.ts';

/** Longer lines are cut: they quote what daemons say, which may be long. */
const MAX_LINE_CHARS = 500;
/** More than this at once nobody reads; `millwright status` shows the rest. */
const MAX_LINES = 50;

export function fleetNews(
  before: FleetOverview | undefined,
  after: FleetOverview,
  detail: NewsDetail,
): readonly string[] {
  const lines = before === undefined ? standing(after) : changes(before, after, detail);
  const shown = lines.length > MAX_LINES ? lines.slice(0, MAX_LINES - 1) : lines;
  const more = lines.length - shown.length;
  return [
    ...shown.map((line) => cutInside(oneLine(line), MAX_LINE_CHARS)),
    ...(more > 0 ? [`and ${more} more lines: see \`millwright status\``] : []),
  ];
}

function standing(overview: FleetOverview): readonly string[] {
  return [
    ...overview.pools.flatMap((pool) => [
      ...poolToTell(pool),
      ...nodesToTell(pool, overview.now).map((line) => `${pool.name}: ${line}`),
    ]),
    ...overview.strays.flatMap(strayText),
  ];
}

function changes(before: FleetOverview, after: FleetOverview, detail: NewsDetail): readonly string[] {
  const poolsBefore = new Map(before.pools.map((pool) => [pool.name, pool]));
  const poolsAfter = new Set(after.pools.map(({ name }) => name));
  const gone = before.pools.filter(({ name }) => !poolsAfter.has(name));
  const homes = homesOf(before);
  return [
    ...gone.map(({ name }) => `${name}: the pool is gone`),
    ...after.pools.flatMap((pool) => {
      const last = poolsBefore.get(pool.name);
      const { begun, ended } = poolNews(last, pool);
      const nodes = nodeNews({ before: last, after: pool, homes, now: after.now, detail });
      return [...begun, ...nodes, ...ended].map((line) => `${pool.name}: ${line}`);
    }),
    ...goneNodes(before, after),
    ...strayNews(before.strays, after.strays),
  ];
}

/** In which pool a node was; empty for one that was in none. */
function homesOf({ pools, strays }: FleetOverview): ReadonlyMap<string, string> {
  return new Map([
    ...strays.map(({ name }) => [name, ''] as const),
    ...pools.flatMap((pool) => pool.nodes.map((node) => [node.name, pool.name] as const)),
  ]);
}

function goneNodes(before: FleetOverview, after: FleetOverview): readonly string[] {
  const left = homesOf(after);
  return [...homesOf(before)]
    .filter(([name]) => !left.has(name))
    .sort(([a], [b]) => compareBytes(a, b))
    .map(([name, pool]) => `${pool === '' ? '' : `${pool}: `}node ${name} is gone`);
}

function strayNews(before: readonly StrayNode[], after: readonly StrayNode[]): readonly string[] {
  const told = new Set(before.flatMap(strayText));
  return after.flatMap(strayText).filter((line) => !told.has(line));
}

/** A node that nobody wants is no news; one that was managed, or is fought over, is. */
function strayText({ name, message }: StrayNode): readonly string[] {
  return message === undefined ? [] : [`node ${name} is in no pool: ${message}`];
}
