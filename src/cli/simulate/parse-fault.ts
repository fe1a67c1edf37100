/**
 * `--fault KIND[=VALUE]`: what goes wrong in a simulation.
 */
import { didYouMean } from '../../base/text/index.ts';
import type { WhatIf, WhatIfKind } from '../../simulation/index.ts';
import { durationMs } from '../duration.ts';
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

/** Throws a `Failure`. */
export function parseFault(text: string): WhatIf {
  const at = text.indexOf('=');
  const [name, value] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  const parse = Object.entries(PARSERS).find(([kind]) => kind === name)?.[1];
  if (parse !== undefined) return parse(value, text);
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

function duration(text: string): number {
  return durationMs('--fault', text);
}

/** As it was given. */
export function faultText(one: WhatIf): string {
  switch (one.kind) {
    case 'node-lost':
    case 'node-down':
    case 'disk-full':
      return `${one.kind}=${one.node}`;
    case 'slow-node':
      return `${one.kind}=${one.node}:${one.factor}`;
    case 'registry-down':
      return `${one.kind}=${one.ms / 1000}s`;
    case 'controller-crash':
      return one.ms === undefined ? one.kind : `${one.kind}=${one.ms / 1000}s`;
  }
}
