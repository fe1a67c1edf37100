/**
 * A pool that has been waiting for a build to start, although a builder runs and reports no problem: the builder itself fails, and
 * only its log says why.
 */
import { BUILDER_LEASE, machineOSBuild as machineOSBuildKind } from '../../../api/index.ts';
import { stringAt } from '../../../base/json-fields.ts';
import { hasTrueCondition, nameOf } from '../../../kubernetes/meta/index.ts';
import { lease as leaseKind } from '../../../kubernetes/types/index.ts';
import { buildStateOf, type Layering, leaderAbsence } from '../../../rollout/index.ts';
import type { Facts, PoolFacts } from '../facts.ts';
import type { Found } from '../finding.ts';
import { isOver, LIMITS } from '../limits.ts';
import { conditionSince, named } from '../objects.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

export const buildNotStarted: Rule = {
  codes: ['BuildNotStarted'],
  stage: 'build',
  find: (facts) => facts.pools.flatMap((pool) => findingOf(facts, pool)),
};

function findingOf(facts: Facts, { name, pool, layering, summary }: PoolFacts): readonly Found[] {
  if (layering === undefined || summary.target === '' || !isBuilderRunning(facts)) return [];
  const { config, build } = layering;
  if (hasTrueCondition(config, 'Degraded') || isAnotherRunning(facts, layering)) return [];
  if (build !== undefined && buildStateOf(build) !== 'Initial') return [];
  // Since the later of the two: the pool has waited for this build, and there was something to build.
  const begun = [
    conditionSince(pool, 'Updated').since,
    stringAt(build ?? config, 'metadata', 'creationTimestamp'),
  ];
  if (!begun.every((since) => isOver(since, LIMITS.buildStartMs, facts.nowMs))) return [];
  const since = begun.toSorted().at(-1);
  const about = build === undefined ? named('MachineOSConfig', config) : named('MachineOSBuild', build);
  return [
    {
      code: 'BuildNotStarted',
      cause: `pool ${name} waits for the build of its OS image to start, and the builder, which runs, says nothing about it`,
      about,
      pools: [name],
      ...(since && { since }),
      evidence: [
        {
          object: about,
          field: build === undefined ? 'its MachineOSBuild' : 'status.conditions',
          value: build === undefined ? `none for ${summary.target}` : 'none is True',
          ...(since && { since }),
        },
      ],
      next: [
        {
          command: shell`kubectl -n ${facts.namespace} logs deployment/machine-os-builder --since 10m`,
          why: 'what it fails at',
        },
        {
          command: shell`kubectl describe ${about.kind.toLowerCase()} ${nameOf(build ?? config)}`,
          why: 'its events',
        },
      ],
    },
  ];
}

/** Where Leases cannot be read, that is unknown. */
function isBuilderRunning({ snapshot, namespace, nowMs }: Facts): boolean {
  const lease = snapshot.get(leaseKind, { name: BUILDER_LEASE, namespace });
  return lease !== undefined && leaderAbsence(lease, nowMs) === undefined;
}

/** A build waits for a running one of the same image, and takes it over. */
function isAnotherRunning({ snapshot }: Facts, { config }: Layering): boolean {
  return snapshot.all(machineOSBuildKind).some((build) => {
    const state = buildStateOf(build);
    const isOurs = stringAt(build, 'spec', 'machineOSConfig', 'name') === nameOf(config);
    return isOurs && (state === 'Prepared' || state === 'Building');
  });
}
