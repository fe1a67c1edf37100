/**
 * A plan as a comment on a pull request: a summary, and a fold for each pool.
 */
import { counted, type Hunk, printable } from '../../base/text/index.ts';
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
import type { FleetPlan, PoolPlan } from './plan-types.ts';

/** Comments have limits: GitHub's is 65,536 characters. */
const MAX_CHARACTERS = 60_000;

export function planMarkdown(plan: FleetPlan): string {
  const whole = comment(plan, { hasTexts: true, most: Number.POSITIVE_INFINITY });
  if (whole.length <= MAX_CHARACTERS) return whole;
  const short = comment(plan, { hasTexts: false, most: Number.POSITIVE_INFINITY });
  const texts = '\n_The texts of the differences are left out: they are too long for a comment._\n';
  if (short.length <= MAX_CHARACTERS) return `${short}${texts}`;
  const shortest = comment(plan, { hasTexts: false, most: SHOWN_IF_LONG });
  const rest = '\n_Texts of differences and long lists are left out: they are too long for a comment._\n';
  return `${cutAtFold(shortest)}${rest}`;
}

type Extent = {
  readonly hasTexts: boolean;
  /** Of each list. */
  readonly most: number;
};

const SHOWN_IF_LONG = 20;

function comment(plan: FleetPlan, extent: Extent): string {
  const lines = [
    '### Millwright plan',
    '',
    `**${effectText(plan)}**`,
    '',
    ...list(
      plan.problems.map(({ object, message }) => `❌ \`${object}\`: ${escaped(message)}`),
      extent,
    ),
    ...list(
      plan.warnings.map(({ object, message }) => `⚠️ \`${object}\`: ${escaped(message)}`),
      extent,
    ),
    ...list(
      plan.outside.map((one) => `ℹ️ ${escaped(outsideText(one))}`),
      extent,
    ),
    ...plan.pools.flatMap((pool) => poolFold(pool, extent)),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

/** Half a fold would swallow what follows it. */
function cutAtFold(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const end = text.lastIndexOf('\n<details>', MAX_CHARACTERS);
  return `${text.slice(0, end < 0 ? MAX_CHARACTERS : end)}\n`;
}

function list(lines: readonly string[], extent: Extent): readonly string[] {
  return lines.length === 0 ? [] : [...limited(lines, extent).map((line) => `- ${line}`), ''];
}

/** The first ones, and how many are left. */
function limited(items: readonly string[], { most }: Extent): readonly string[] {
  return items.length <= most ? items : [...items.slice(0, most), `… and ${items.length - most} more`];
}

function poolFold(pool: PoolPlan, extent: Extent): readonly string[] {
  const [first] = pool.updates;
  const what = first === undefined ? '' : `: ${escaped(outcomeText(first))}`;
  const nodes = pool.nodes.length === 0 ? '' : `, ${counted(pool.nodes.length, 'node')}`;
  const facts = [
    `\`${printable(stateText(pool))}\``,
    ...(pool.isPaused ? ['the pool is paused: nothing moves until it is resumed'] : []),
    ...(pool.gate === undefined || pool.state === 'refused'
      ? []
      : [`not now: ${escaped(pool.gate.message)}`]),
    ...[buildText(pool)].flatMap((line) => (line === undefined ? [] : [escaped(line)])),
    ...pool.updates.flatMap((update) => {
      const who =
        update.nodes.length === 0
          ? 'a node would'
          : limited(
              update.nodes.map((name) => `\`${name}\``),
              extent,
            ).join(', ');
      return [
        `${who}: ${escaped(outcomeText(update))}`,
        ...limited(
          update.reasons.map((reason) => escaped(reasonText(reason))),
          extent,
        ).map((line) => `  - ${line}`),
      ];
    }),
    ...limited(
      pool.overrides.map(
        ({ kind, name, winner, over }) =>
          `${kind} \`${name}\`: \`${winner}\` wins over ${over.map((one) => `\`${one}\``).join(', ')}`,
      ),
      extent,
    ),
    ...(pool.nodes.length === 0 ? [] : [`${orderText(pool)}: ${plannedNodes(pool, extent)}`]),
    ...limited(
      pool.waiting.map(({ name, why }) => `not sent: \`${name}\`: ${escaped(why)}`),
      extent,
    ),
    ...limited(
      pool.refusals.map(
        ({ namespace, pod, node, message, budgets }) =>
          `blocked now: pod \`${namespace}/${pod}\` on \`${node}\`: ${escaped(message)} (${budgets.map((one) => `\`${one}\``).join(', ')})`,
      ),
      extent,
    ),
    ...[durationText(pool)].flatMap((line) => (line === undefined ? [] : [escaped(line)])),
  ];
  return [
    '<details>',
    `<summary><b>${pool.name}</b>${what}${nodes}</summary>`,
    '',
    ...facts.map((line) => (line.startsWith('  - ') ? line : `- ${line}`)),
    '',
    ...(pool.differences.length === 0 ? [] : differenceBlock(pool.differences, extent)),
    '</details>',
    '',
  ];
}

function plannedNodes({ nodes }: PoolPlan, extent: Extent): string {
  const names = nodes.map(
    ({ name, zone }) => `\`${name}\`${zone === undefined ? '' : ` (${escaped(zone)})`}`,
  );
  return limited(names, extent).join(', ');
}

function differenceBlock(differences: readonly Difference[], extent: Extent): readonly string[] {
  const blocks = differences.map((one) =>
    [printable(differenceText(one)).replace(/^~/, '!'), ...(extent.hasTexts ? contentLines(one) : [])].join(
      '\n',
    ),
  );
  const lines = limited(blocks, extent);
  const fence = '`'.repeat(Math.max(3, longestRun(lines) + 1));
  return [`${fence}diff`, ...lines, fence, ''];
}

/** A fence is longer than every run of its character inside. */
function longestRun(lines: readonly string[]): number {
  return Math.max(0, ...lines.flatMap((line) => (line.match(/`+/g) ?? []).map(({ length }) => length)));
}

function contentLines(difference: Difference): readonly string[] {
  if (difference.kind === 'file') return textLines(difference.contents);
  if (difference.kind !== 'unit') return [];
  return [
    ...textLines(difference.contents),
    ...difference.dropins.flatMap(({ name, contents }) => [`  ${printable(name)}:`, ...textLines(contents)]),
  ];
}

function textLines(contents: ContentsDifference | undefined): readonly string[] {
  return contents?.kind === 'text' ? contents.hunks.flatMap(hunkLines) : [];
}

const MARKS = { same: ' ', removed: '-', added: '+' } as const;

function hunkLines({ beforeStart, afterStart, lines }: Hunk): readonly string[] {
  return [
    `@@ -${beforeStart} +${afterStart} @@`,
    ...lines.map(({ kind, text }) => `${MARKS[kind]}${printable(text)}`),
  ];
}

/** What would be Markdown or HTML is shown as it is. */
function escaped(text: string): string {
  return printable(text).replace(/[\\`*_[\]<>|#]/g, (mark) =>
    mark === '<' ? '&lt;' : mark === '>' ? '&gt;' : `\\${mark}`,
  );
}
