/**
 * policy.json: which images containers/image and CRI-O accept (containers-policy.json(5)).
 */

import { compareBytes, type Json, type JsonObject, parseJson } from '../../base/json.ts';
import { objectAt, valueAt } from '../../base/json-fields.ts';
import type { Demands, Limits } from './image-policies.ts';

const ACCEPT: JsonObject = { type: 'insecureAcceptAnything' };
const REJECT: JsonObject = { type: 'reject' };
/** Scopes of this transport have at most host, namespace and name. */
const MAX_ATOMIC_SLASHES = 2;

type Scopes = ReadonlyMap<string, readonly JsonObject[]>;

/** `base` is the policy of the base MachineConfigs; `demands` take precedence over what is only allowed or rejected. */
export function formatPolicy(base: string, { allowed, rejected }: Limits, demands: Demands): string {
  const start = parseBase(base);
  const scopes = new Map<string, readonly JsonObject[]>([
    ...allowed.map((scope) => [scope, [ACCEPT]] as const),
    ...rejected.map((scope) => [scope, [REJECT]] as const),
    ...demands,
  ]);
  const limited = allowed.length > 0 ? [REJECT] : start.default;
  const policy = {
    default: rejected.length > 0 ? [ACCEPT] : limited,
    transports: sortedObject(new Map([...start.transports, ...transportsOf(scopes)])),
  };
  return `${JSON.stringify(policy, null, 2)}\n`;
}

function transportsOf(scopes: Scopes): readonly (readonly [string, Json])[] {
  const atomic = new Map([...scopes].filter(([scope]) => scope.split('/').length - 1 <= MAX_ATOMIC_SLASHES));
  const named: readonly (readonly [string, Scopes])[] = [
    ['atomic', atomic],
    ['docker', scopes],
  ];
  return named.flatMap(([name, some]) => (some.size === 0 ? [] : [[name, sortedObject(some)] as const]));
}

function sortedObject(map: ReadonlyMap<string, Json>): JsonObject {
  return Object.fromEntries([...map].sort(([a], [b]) => compareBytes(a, b)));
}

type Base = { readonly default: Json; readonly transports: readonly (readonly [string, Json])[] };

/** An unreadable policy counts as accepting everything, which is what the OS does without a policy. */
function parseBase(text: string): Base {
  const document = parseJson(text);
  return {
    default: valueAt(document, 'default') ?? [ACCEPT],
    transports: Object.entries(objectAt(document, 'transports') ?? {}),
  };
}
