/**
 * A failing seed as text for people: all that is needed to replay it, and what led to it.
 */
import { type Scenario, stepText, type Violation } from '../../src/simulation/index.ts';
import type { JobResult } from './jobs.ts';

const LAST_STEPS = 25;
const MOST_VIOLATIONS = 5;

export function failureText({ seed, violations, scenario, lines }: JobResult, about: About): string {
  return [
    `seed ${seed} fails at commit ${about.commit}`,
    ...(scenario === undefined ? [] : scenarioLines(scenario)),
    '  violations:',
    ...violations.slice(0, MOST_VIOLATIONS).map(violationText),
    ...(violations.length > MOST_VIOLATIONS ? [`    and ${violations.length - MOST_VIOLATIONS} more`] : []),
    ...(lines.length === 0 ? [] : ['  the trace up to the first of them:']),
    ...lines.slice(-LAST_STEPS).map((line) => `    ${line}`),
    `  replay: ${about.replay}`,
    '',
  ].join('\n');
}

export type About = { readonly commit: string /** A command. */; readonly replay: string };

function scenarioLines({ nodes, workloads, steps, lengthMs }: Scenario): readonly string[] {
  const applications = workloads.map(({ name, replicas, minAvailable }) =>
    minAvailable === undefined ? `${name} (${replicas})` : `${name} (${replicas}, at least ${minAvailable})`,
  );
  return [
    `  nodes: ${nodes.map(({ name }) => name).join(', ')}`,
    `  applications: ${applications.join(', ') || 'none'}`,
    `  steps, and peace after ${Math.round(lengthMs / 60_000)} minutes:`,
    ...steps.map((step) => `    ${stepText(step)}`),
  ];
}

function violationText({ atMs, checker, text }: Violation): string {
  return `    ${(atMs / 1000).toFixed(1)} ${checker}: ${text}`;
}

/** A small scenario as a file for `test/simulation/pinned`. */
export function pinnedText(scenario: Scenario, { checker, text }: Violation): string {
  return [
    "import type { PinnedScenario } from '../pinned-scenario.ts';",
    '',
    'export const pinned: PinnedScenario = {',
    `  name: ${literal(`seed ${scenario.seed}: ${checker}`)},`,
    `  found: ${literal(text)},`,
    `  scenario: ${literal(scenario, '  ')},`,
    '};',
  ].join('\n');
}

/** Short things on one line, as a person would write them. */
const LINE_WIDTH = 100;

function literal(value: unknown, indent = ''): string {
  const short = onOneLine(value);
  if (short.length + indent.length <= LINE_WIDTH || typeof value !== 'object' || value === null) return short;
  const deeper = `${indent}  `;
  const entries = Array.isArray(value)
    ? value.map((one: unknown) => `${deeper}${literal(one, deeper)},`)
    : Object.entries(value).map(([key, one]) => `${deeper}${keyText(key)}: ${literal(one, deeper)},`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return [open, ...entries, `${indent}${close}`].join('\n');
}

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`;
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value).map(([key, one]) => `${keyText(key)}: ${onOneLine(one)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inner}'`;
}

function keyText(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? key : quoted(key);
}
