/**
 * A plan for people at a terminal: short, or with the texts of all differences.
 */
import { counted, type DiffLine, type Hunk, printable } from '../../base/text/index.ts';
import { type Paint, paintWith, type Style } from '../paint.ts';
import type { ContentsDifference, Difference } from './config-difference.ts';
import {
  buildText,
  differenceText,
  durationText,
  effectText,
  orderText,
  outcomeText,
  outsideText,
  reasonText,
  stateText,
} from './plan-phrases.ts';
import type { FleetPlan, NodeUpdate, PoolPlan } from './plan-types.ts';

type PlanTextOptions = { readonly hasColors: boolean; readonly isVerbose: boolean };

/** More than these are counted instead of shown, unless verbose. */
const SHOWN_DIFFERENCES = 12;
const SHOWN_NODES = 8;
const SHOWN_LINES = 5;

export function planText(plan: FleetPlan, options: PlanTextOptions): readonly string[] {
  const paint = paintWith(options.hasColors);
  const writer = { paint, ...options };
  const problems = plan.problems.map(
    ({ object, message }) => `${paint('bad', 'problem:')} ${object}: ${message}`,
  );
  const warnings = plan.warnings.map(
    ({ object, message }) => `${paint('held', 'warning:')} ${object}: ${message}`,
  );
  const outside = shortened(
    plan.outside.filter(({ kind, message }) => kind !== 'windows' || message !== undefined),
    writer,
    (one) => `${paint('held', 'note:')} ${outsideText(one)}`,
    (left) => `${paint('held', 'note:')} … and ${counted(left, 'node')} more outside of all pools`,
  );
  const blocks = plan.pools.map((pool) => poolLines(pool, writer));
  return [
    ...[...problems, ...warnings, ...outside].map(printable),
    ...(problems.length + warnings.length + outside.length > 0 && blocks.length > 0 ? [''] : []),
    ...blocks.flatMap((lines) => [...lines, '']),
    paint('bold', effectText(plan)),
  ];
}

type Writer = PlanTextOptions & { readonly paint: Paint };

function poolLines(pool: PoolPlan, writer: Writer): readonly string[] {
  const { paint, isVerbose } = writer;
  const head = `${paint('bold', `pool ${pool.name}`)} ${printable(stateText(pool))}`;
  const facts = [buildText(pool), ...overrideLines(pool)].filter((line) => line !== undefined);
  return [
    head,
    ...some(pool.differences, isVerbose ? Number.POSITIVE_INFINITY : SHOWN_DIFFERENCES).flatMap((one) =>
      typeof one === 'number' ? [`  … and ${counted(one, 'difference')} more`] : differenceLines(one, writer),
    ),
    ...facts.map((line) => `  ${printable(line)}`),
    ...nodeLines(pool, writer),
  ];
}

/** A line for each, or for the first ones and one for the rest. */
function shortened<T>(
  list: readonly T[],
  { isVerbose }: Writer,
  lineOf: (one: T) => string,
  restOf: (left: number) => string,
): readonly string[] {
  const shown = isVerbose ? list : list.slice(0, SHOWN_LINES);
  const left = list.length - shown.length;
  return [...shown.map(lineOf), ...(left === 0 ? [] : [restOf(left)])];
}

/** The first ones, and the number of those that are left. */
function some<T>(list: readonly T[], most: number): readonly (T | number)[] {
  return list.length <= most ? list : [...list.slice(0, most), list.length - most];
}

const STYLES: { readonly [sign: string]: Style } = { '+': 'good', '-': 'bad', '~': 'busy' };

function differenceLines(difference: Difference, { paint, isVerbose }: Writer): readonly string[] {
  const text = printable(differenceText(difference));
  const line = `  ${paint(STYLES[text[0] ?? ''] ?? 'bold', text)}`;
  return isVerbose ? [line, ...contentLines(difference, paint)] : [line];
}

function contentLines(difference: Difference, paint: Paint): readonly string[] {
  if (difference.kind === 'file') return textLines(difference.contents, paint);
  if (difference.kind !== 'unit') return [];
  return [
    ...textLines(difference.contents, paint),
    ...difference.dropins.flatMap(({ name, contents }) => [`      ${name}:`, ...textLines(contents, paint)]),
  ];
}

function textLines(contents: ContentsDifference | undefined, paint: Paint): readonly string[] {
  if (contents?.kind !== 'text') return [];
  return contents.hunks.flatMap((hunk) => hunkLines(hunk, paint));
}

const MARKS: { readonly [kind in DiffLine['kind']]: readonly [string, Style | undefined] } = {
  same: [' ', undefined],
  removed: ['-', 'bad'],
  added: ['+', 'good'],
};

function hunkLines({ beforeStart, afterStart, lines }: Hunk, paint: Paint): readonly string[] {
  return [
    `      ${paint('dim', `@@ -${beforeStart} +${afterStart} @@`)}`,
    ...lines.map(({ kind, text }) => {
      const [mark, style] = MARKS[kind];
      const line = `${mark}${printable(text)}`;
      return `      ${style === undefined ? line : paint(style, line)}`.trimEnd();
    }),
  ];
}

function overrideLines({ overrides }: PoolPlan): readonly string[] {
  return overrides.map(
    ({ kind, name, winner, over }) => `${kind} ${name}: ${winner} wins over ${over.join(', ')}`,
  );
}

function nodeLines(pool: PoolPlan, writer: Writer): readonly string[] {
  const { paint, isVerbose } = writer;
  const names = nodeNames(
    pool.nodes.map(({ name, zone }) => (zone === undefined ? name : `${name} (${zone})`)),
    isVerbose,
  );
  const refusals = shortened(
    pool.refusals,
    writer,
    (one) =>
      `  ${paint('held', 'blocked now:')} pod ${one.namespace}/${one.pod} on ${one.node}: ${one.message} (${one.budgets.join(', ')})`,
    (left) => `  … and ${counted(left, 'pod')} more`,
  );
  const isSent = pool.nodes.length > 0;
  return [
    ...pool.updates.flatMap((update) => updateLines(update, pool, writer)),
    ...(isSent ? [`  ${orderText(pool)}: ${names}`] : []),
    ...(pool.isPaused && !isSent && pool.state !== 'refused' ? ['  the pool is paused'] : []),
    ...(pool.gate === undefined || pool.state === 'refused'
      ? []
      : [`  ${paint('held', 'not now:')} ${pool.gate.message}`]),
    ...shortened(
      pool.waiting,
      writer,
      ({ name, why }) => `  ${paint('held', 'not sent:')} ${name}: ${printable(why)}`,
      (left) => `  … and ${counted(left, 'node')} more`,
    ),
    ...refusals,
    ...[durationText(pool)].flatMap((line) => (line === undefined ? [] : [`  ${line}`])),
  ];
}

function nodeNames(names: readonly string[], isVerbose: boolean): string {
  const shown = some(names, isVerbose ? Number.POSITIVE_INFINITY : SHOWN_NODES);
  return shown.map((one) => (typeof one === 'number' ? `… and ${one} more` : one)).join(', ');
}

function updateLines(update: NodeUpdate, pool: PoolPlan, writer: Writer): readonly string[] {
  const { paint, isVerbose } = writer;
  const who =
    update.nodes.length === 0
      ? 'a node would'
      : pool.updates.length === 1
        ? 'nodes'
        : nodeNames(update.nodes, isVerbose);
  const isBad = update.outcome.kind !== 'update';
  const text = printable(`${who}: ${outcomeText(update)}`);
  const decisive = isVerbose ? update.reasons : decisiveReasons(update);
  return [
    `  ${isBad ? paint('bad', text) : text}`,
    ...shortened(
      decisive,
      writer,
      (reason) => `    ${paint('dim', printable(reasonText(reason)))}`,
      (left) => `    ${paint('dim', `… and ${counted(left, 'reason')} more`)}`,
    ),
  ];
}

/** Those for a reboot or a drain where there is one: the others do not matter then. */
function decisiveReasons({ reasons, outcome }: NodeUpdate): NodeUpdate['reasons'] {
  if (outcome.kind !== 'update' || !(outcome.needsReboot || outcome.needsDrain)) return reasons;
  const types = outcome.needsReboot ? ['Reboot'] : ['Drain', 'Special'];
  return reasons.filter(({ actions }) => actions.some(({ type }) => types.includes(type)));
}
