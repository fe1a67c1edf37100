/**
 * A diagnosis as text:
 *
 *     blocked: the drain of node worker-1 is blocked: PodDisruptionBudget web allows no eviction of pod shop/web-0
 *       DrainBlocked for 12m, holds up pool worker
 *
 *       evidence
 *         Node worker-1, metadata.annotations[millwright.dev/drain], for 12m
 *           attempt 4; eviction of pod shop/web-0 refused: Cannot evict pod as it would violate the pod's disruption budget.
 *       next
 *         kubectl -n shop describe pdb web  # what it demands
 *       docs/troubleshooting.md#drainblocked
 *
 *     also seen
 *       PoolPaused for 3d: pool infra is paused, and 2 nodes wait for rendered-infra-1
 */
import { type Paint, paintWith, type Style } from '../paint.ts';
import { elapsed } from '../timestamp.ts';
import { lengthOf, wrapText } from '../wrap-text.ts';
import type { Diagnosis } from './diagnose.ts';
import type { Evidence, Finding, NextCommand, ObjectName } from './finding.ts';
import { listed } from './prose.ts';
import { sectionOf } from './section.ts';

type TextOptions = {
  readonly width: number;
  readonly hasColors: boolean;
  /** Plurals of kinds that could not be read, for lack of permission and in a damaged dump. */
  readonly unread: readonly string[];
  readonly damaged: readonly string[];
};

type Canvas = { readonly width: number; readonly paint: Paint; readonly now: string };

const MIN_WIDTH = 40;
/** Of each line below the cause. */
const INDENT = 2;

export function diagnosisText(diagnosis: Diagnosis, options: TextOptions): readonly string[] {
  const { top, others, now } = diagnosis;
  const canvas = { width: Math.max(MIN_WIDTH, options.width), paint: paintWith(options.hasColors), now };
  return [
    ...(top === undefined
      ? styled('good', wrapped(healthyText(diagnosis, options), 0, canvas), canvas)
      : topLines(top, canvas)),
    ...(others.length === 0
      ? []
      : ['', canvas.paint('bold', 'also seen'), ...others.flatMap((one) => otherLines(one, canvas))]),
    ...unseenLines(options, canvas),
  ];
}

/** What could not be looked at may block all the same. */
function healthyText(diagnosis: Diagnosis, { unread, damaged }: TextOptions): string {
  const seen = unread.length + damaged.length === 0 ? 'nothing' : 'nothing that can be seen';
  return `${seen} blocks ${subjectText(diagnosis)}`;
}

function unseenLines({ unread, damaged }: TextOptions, canvas: Canvas): readonly string[] {
  const texts = [
    ...(unread.length === 0 ? [] : [`not looked at, for lack of permission: ${unread.join(', ')}`]),
    ...(damaged.length === 0 ? [] : [`only seen in part, since the dump is damaged: ${damaged.join(', ')}`]),
  ];
  return texts.length === 0
    ? []
    : ['', ...texts.flatMap((text) => styled('held', wrapped(text, 0, canvas), canvas))];
}

function subjectText({ subject }: Diagnosis): string {
  return subject === undefined ? 'this cluster' : `${subject.kind} ${subject.name}`;
}

function topLines(finding: Finding, canvas: Canvas): readonly string[] {
  const { evidence, next, code } = finding;
  const { paint } = canvas;
  return [
    ...styled('bad', wrapped(`blocked: ${causeText(finding)}`, 0, canvas), canvas),
    ...wrapped(`${code}${lasting(finding.since, canvas)}${effectText(finding)}`, INDENT, canvas),
    '',
    ...(evidence.length === 0 ? [] : [`  ${paint('bold', 'evidence')}`]),
    ...evidence.flatMap((one) => evidenceLines(one, canvas)),
    ...(next.length === 0 ? [] : [`  ${paint('bold', 'next')}`]),
    ...next.map((one) => commandLine(one, 2 * INDENT, canvas)),
    `  ${paint('dim', sectionOf(code))}`,
  ];
}

function otherLines(finding: Finding, canvas: Canvas): readonly string[] {
  const text = `${finding.code}${lasting(finding.since, canvas)}: ${causeText(finding)}`;
  const [first] = finding.next;
  return [
    ...styled(finding.severity === 'blocks' ? 'bad' : 'busy', wrapped(text, INDENT, canvas), canvas),
    ...(first === undefined ? [] : [commandLine(first, 2 * INDENT, canvas)]),
  ];
}

/** With the names of others that have the same. */
function causeText({ cause, also = [] }: Finding): string {
  if (also.length === 0) return cause;
  return `${cause} (also ${listed(also.map(nameText))})`;
}

/** What is wrong beside a rollout does not keep it from going on. */
function effectText({ pools, stage }: Finding): string {
  if (pools.length === 0) return '';
  const verb = stage === 'other' ? 'concerns' : 'holds up';
  return `, ${verb} ${pools.length === 1 ? 'pool' : 'pools'} ${listed(pools)}`;
}

function lasting(since: string | undefined, { now }: Canvas): string {
  const duration = elapsed(since, now);
  return duration === undefined ? '' : ` for ${duration}`;
}

function evidenceLines({ object, field, value, since }: Evidence, canvas: Canvas): readonly string[] {
  const duration = elapsed(since, canvas.now);
  const head = `${nameText(object)}, ${field}${duration === undefined ? '' : `, for ${duration}`}`;
  return [
    ...wrapped(head, 2 * INDENT, canvas),
    ...wrapped(value === '' ? '(empty)' : value, 3 * INDENT, canvas).map((line) => canvas.paint('dim', line)),
  ];
}

function nameText({ kind, name, namespace }: ObjectName): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/** Never broken: people copy it. The purpose is a comment of the shell, if there is room. */
function commandLine({ command, why }: NextCommand, indent: number, { width, paint }: Canvas): string {
  const line = `${' '.repeat(indent)}${command}`;
  const full = `${line}  # ${why}`;
  return lengthOf(full) <= width ? `${line}${paint('dim', `  # ${why}`)}` : line;
}

function wrapped(text: string, indent: number, { width }: Canvas): readonly string[] {
  return wrapText(text, width - indent).map((line) => `${' '.repeat(indent)}${line}`);
}

function styled(style: Style, lines: readonly string[], { paint }: Canvas): readonly string[] {
  return lines.map((line) => paint(style, line));
}
