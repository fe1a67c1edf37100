/**
 * Snapshots for tests of pre-flight checks: a change between two configs, on a machine of which only the named facts are known.
 */
import { type NodeConfig, planUpdate } from '../../src/node/plan/index.ts';
import type { NodeFacts, PathSpace, PreflightChange, UnitFacts } from '../../src/node/preflight/index.ts';
import { preflight } from '../../src/node/preflight/index.ts';
import { aNodeConfig, COREOS, type NodeConfigParts } from './a-node-config.ts';

export type AMachine = Partial<Omit<NodeFacts, 'units' | 'paths' | 'files' | 'commandLines' | 'spaces'>> & {
  /** Names of units that it has; others are missing. */
  readonly units?: readonly string[];
  readonly unitFacts?: { readonly [name: string]: Partial<UnitFacts> };
  /** Paths that exist; others do not. */
  readonly paths?: readonly string[];
  readonly files?: { readonly [path: string]: string };
  readonly commandLines?: { readonly [service: string]: string };
  readonly spaces?: { readonly [path: string]: PathSpace };
};

/** The change from one config to another, as the daemon plans it. */
export function aChange(
  from: NodeConfigParts | NodeConfig,
  to: NodeConfigParts | NodeConfig,
  { isForced = false } = {},
): PreflightChange {
  const [before, after] = [configOf('before', from), configOf('after', to)];
  const policies = { kind: 'invalid', problems: [] } as const;
  const input = { from: before, to: after, policies, machine: COREOS, isForced, isFirstBoot: true };
  const result = planUpdate(input);
  if (result.kind !== 'plan') throw new Error(result.error);
  return { from: before, to: after, change: result.plan.change, isForced };
}

function configOf(name: string, given: NodeConfigParts | NodeConfig): NodeConfig {
  return 'machineConfig' in given ? given : aNodeConfig(name, given);
}

/** What the checks say of the change on this machine. */
export function judged(change: PreflightChange, machine: AMachine = {}): ReturnType<typeof preflight> {
  return preflight({ ...change, node: factsOf(machine) });
}

function factsOf(machine: AMachine): NodeFacts {
  const {
    units = [],
    unitFacts = {},
    paths = [],
    files = {},
    commandLines = {},
    spaces = {},
    ...rest
  } = machine;
  const unitOf = (name: string): UnitFacts => ({
    isKnown: units.includes(name),
    isInEtc: false,
    isMasked: false,
    isEnabled: false,
    ...unitFacts[name],
  });
  return {
    nextOs: 'booted',
    hasLayeredPackages: false,
    ...rest,
    units: everyKey(unitOf),
    paths: everyKey((path) => paths.includes(path)),
    files: new Map(Object.entries(files)),
    commandLines: new Map(Object.entries(commandLines).map(([name, line]) => [name, line.split(' ')])),
    spaces: new Map(Object.entries(spaces)),
  };
}

/** A map that has an answer to every question. */
function everyKey<T>(answer: (key: string) => T): ReadonlyMap<string, T> {
  const map = new Map<string, T>();
  return Object.assign(map, { get: answer, has: () => true });
}

export function aFile(path: string, text: string) {
  return { path, mode: 0o644, contents: { source: `data:,${encodeURIComponent(text)}` } };
}

export function filesOf(files: { readonly [path: string]: string }): NodeConfigParts {
  return { storage: { files: Object.entries(files).map(([path, text]) => aFile(path, text)) } };
}
