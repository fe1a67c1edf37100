/**
 * `--fault KIND[=VALUE]`: what goes wrong in a simulation.
 */
import { didYouMean } from '../../base/text/index.ts';
import type { WhatIf, WhatIfKind } from '../../simulation/index.ts';
import { spanMs } from '../duration.ts';
import { throwUsageError } from '../objects/run-in-cluster.ts';

const DEFAULT_FACTOR = 3;
const MAX_FACTOR = 1000;

type Parse = (value: string, text: string) => WhatIf;

/** In the order in which the help lists them. */
const PARSERS: { readonly [kind in WhatIfKind]: Parse } = {
  'node-lost': (node, text) => ({ kind: 'node-lost', node: needed(node, text, 'NODE') }),
  'node-down': (node, text) => ({ kind: 'node-down', node: needed(node, text, 'NODE') }),
  'slow-node': parseSlowNode,
  'disk-full': (node, text) => ({ kind: 'disk-full', node: needed(node, text, 'NODE') }),
  'registry-down': (value, text) => ({ kind: 'registry-down', ms: duration(needed(value, text, '10m')) }),
  'controller-crash': (value) =>
    value === '' ? { kind: 'controller-crash' } : { kind: 'controller-crash', ms: duration(value) },
};

/** As it was given, and what it means. */
export type GivenFault = { readonly text: string; readonly whatIf: WhatIf };

/** Throws a `Failure`. */
export function parseFault(text: string): GivenFault {
  const at = text.indexOf('=');
  const [name, value] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  const parse = Object.entries(PARSERS).find(([kind]) => kind === name)?.[1];
  if (parse !== undefined) return { text, whatIf: parse(value, text) };
  const known = Object.keys(PARSERS);
  return throwUsageError(`--fault: no fault ${name}${didYouMean(name, known)}; faults: ${known.join(', ')}`);
}

/** `slow-node=worker-3`, `slow-node=worker-3:10`. */
function parseSlowNode(value: string, text: string): WhatIf {
  const [, node = '', digits] = /^(.*?)(?::([^:]*))?$/.exec(value) ?? [];
  const factor = digits === undefined ? DEFAULT_FACTOR : Number(digits);
  if (!(factor > 0 && factor <= MAX_FACTOR)) {
    throwUsageError(`--fault: ${JSON.stringify(text)}: write slow-node=NODE:3 for three times as slow`);
  }
  return { kind: 'slow-node', node: needed(node, text, 'NODE'), factor };
}

function needed(value: string, text: string, example: string): string {
  if (value !== '') return value;
  return throwUsageError(
    `--fault: ${JSON.stringify(text)} needs a value: ${text.replace(/=$/, '')}=${example}`,
  );
}

/** Every hour of it is simulated. */
const MAX_HOURS = 7 * 24;

function duration(text: string): number {
  const ms = spanMs('--fault', text);
  if (ms <= MAX_HOURS * 60 * 60_000) return ms;
  return throwUsageError(`--fault: ${JSON.stringify(text)} is too long: at most ${MAX_HOURS}h`);
}
