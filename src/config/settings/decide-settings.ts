/**
 * What follows from one KubeletConfig or ContainerRuntimeConfig: the MachineConfigs of every pool that it selects, or why it is
 * refused, and which of its settings have no effect.
 */
import type { MachineConfig, MachineConfigPool } from '../../api/index.ts';
import { formatProblem, type Problem } from '../../base/errors.ts';
import { byteLength } from '../../base/json.ts';
import { controllerReference } from '../../kubernetes/meta/index.ts';
import { MAX_RENDERED_BYTES } from '../content/index.ts';
import { generatedConfig } from './generated-config.ts';
import { type GeneratingObject, selectedPools } from './generating-object.ts';
import { configName, nameSuffix, recordedSuffix } from './name-suffix.ts';
import type { Rival, SettingsKind } from './settings-kind.ts';

export type SettingsDecision = {
  readonly warnings: readonly SettingsWarning[];
} /** `selectsNoPool`: that is all that is wrong with it. */ & (
  | { readonly kind: 'refused'; readonly message: string; readonly selectsNoPool?: true }
  | { readonly kind: 'accepted'; readonly suffix: number; readonly configs: readonly MachineConfig[] }
);

/** The reason and the message of an event. */
export type SettingsWarning = { readonly reason: string; readonly message: string };

type SettingsInput<T> = {
  readonly object: T;
  /** The other objects of its kind. */
  readonly others: readonly T[];
  readonly pools: Iterable<MachineConfigPool>;
  /** The base MachineConfigs of a pool. */
  readonly baseOf: (pool: string) => readonly MachineConfig[];
  /** Whether a node of one of these pools runs containerd. */
  readonly hasContainerd: (pools: readonly MachineConfigPool[]) => boolean;
  readonly controllerVersion: string;
};

export function decideSettings<T extends GeneratingObject>(
  kind: SettingsKind<T>,
  input: SettingsInput<T>,
): SettingsDecision {
  const { object, others } = input;
  const { name } = object.metadata;
  const problems = kind.problems(object);
  if (problems.length > 0) return refusedFor(kind, problems);
  const pools = selectedPools(object, input.pools);
  if (pools.length === 0) return { ...refused(`Error: ${kind.noPool(name)}`), selectsNoPool: true };
  const rivalsIn = new Map(pools.map((pool) => [pool, others.filter((one) => selects(one, pool))]));
  const rivals = [...new Set([...rivalsIn.values()].flat())];
  const suffix = nameSuffix(
    object.metadata,
    rivals.map(({ metadata }) => metadata),
  );
  if (suffix === undefined) return refused(kind.tooMany);
  const configs: MachineConfig[] = [];
  const fileWarnings: Problem[] = [];
  for (const [pool, inPool] of rivalsIn) {
    const poolName = pool.metadata.name;
    const files = kind.files({ object, suffix, pool, base: input.baseOf(poolName), rivals: inPool });
    if (files.kind === 'invalid') return refusedFor(kind, files.problems);
    configs.push(
      generatedConfig({
        name: configName(kind.generatedKind, poolName, suffix),
        pool: poolName,
        files: files.value,
        owner: controllerReference(kind.resource, object.metadata),
        controllerVersion: input.controllerVersion,
      }),
    );
    fileWarnings.push(...files.warnings);
  }
  const sizeBytes = Math.max(...configs.map((config) => byteLength(JSON.stringify(config))));
  if (sizeBytes > MAX_RENDERED_BYTES) {
    const why = `it would take ${sizeBytes} bytes, and no MachineConfig can hold more than ${MAX_RENDERED_BYTES}`;
    return refused(`could not Create/Update MachineConfig: ${why}`);
  }
  const warnings = [
    ...new Set(fileWarnings.map(formatProblem)),
    ...kind.overshadowed(object, numbered(suffix, rivalsIn)),
    ...(input.hasContainerd(pools) ? (kind.withoutEffectOnContainerd?.(object) ?? []) : []),
  ].map((message) => ({ reason: 'NoEffect', message }));
  return { kind: 'accepted', suffix, configs, warnings };
}

function selects<T extends GeneratingObject>(object: T, pool: MachineConfigPool): boolean {
  return selectedPools(object, [pool]).length > 0;
}

/** The rivals of each pool that have a MachineConfig: one without a suffix has none yet. */
function numbered<T extends GeneratingObject>(
  suffix: number,
  rivalsIn: ReadonlyMap<MachineConfigPool, readonly T[]>,
): readonly Rival<T>[] {
  return [...rivalsIn].flatMap(([pool, rivals]) =>
    rivals
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .flatMap((object) => {
        const given = recordedSuffix(object.metadata);
        if (given === undefined) return [];
        return [{ pool: pool.metadata.name, object, suffix: given, isLater: given > suffix }];
      }),
  );
}

function refused(
  message: string,
  warnings: readonly SettingsWarning[] = [],
): Extract<SettingsDecision, { readonly kind: 'refused' }> {
  return { kind: 'refused', message, warnings };
}

/** The condition carries the first problem in upstream's wording; the event has all of them. */
function refusedFor<T extends GeneratingObject>(
  { resource }: SettingsKind<T>,
  problems: readonly Problem[],
): SettingsDecision {
  const messages = [...new Set(problems.map(({ message }) => message))];
  const reason = `Invalid${resource.kind}`;
  return refused(`Error: ${messages[0]}`, [{ reason, message: messages.join('; ') }]);
}
