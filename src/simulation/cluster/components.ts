/**
 * The processes of operator and controllers, under supervision: two replicas of the controllers and, in image mode, of the builder,
 * of which one leads.
 */
import {
  type BuildOptions,
  type ControllerSettings,
  DEFAULT_SETTINGS,
  type Release,
} from '../../controllers/index.ts';
import { serviceAccountUser } from '../../embedded/rbac/index.ts';
import { DEFAULT_BUILD_LIMITS } from '../../images/index.ts';
import { ComponentMetrics } from '../../processes/component-metrics.ts';
import { runComponent } from '../../processes/component-process.ts';
import type { ProcessGate } from '../process/process-gate.ts';
import { SupervisedProcess } from '../process/supervised-process.ts';
import { randomOf } from '../seeded-random.ts';
import { builderRegistry } from './builder-registry.ts';
import type { Ground } from './ground.ts';

export const REPLICAS = ['operator/0', 'controller/0', 'controller/1'] as const;

/** In image mode, in addition. */
export const BUILDERS = ['builder/0', 'builder/1'] as const;

const ACCOUNTS = {
  operator: 'machine-config-operator',
  controller: 'machine-config-controller',
  builder: 'machine-os-builder',
} as const;

/** What they start with. */
export type ComponentSetup = {
  readonly settings: ControllerSettings;
  readonly release: Release;
  readonly templates: ReadonlyMap<string, string>;
};

export function createComponents(
  ground: Ground,
  { settings: given, release, templates }: ComponentSetup = USUAL_SETUP,
): readonly SupervisedProcess[] {
  const { seed, clock, trace, network, namespace } = ground;
  const settings: ControllerSettings = { ...given, namespace };
  return [...REPLICAS, ...(ground.isImageMode ? BUILDERS : [])].map((name) => {
    const component = componentOf(name);
    const account = ACCOUNTS[component];
    const user = serviceAccountUser({ namespace, name: account, uid: `uid-of-${account}` });
    return new SupervisedProcess({
      ...{ name, seed, clock, trace, restartMs: RESTART_MS, onBug: ground.onBug },
      connect: (gate, random) => network.link({ actor: name, user, gate, random }),
      run: ({ env, transport, gate, incarnation }) =>
        runComponent(component, {
          ...{ env, transport, version: 'simulated', release, templates, settings },
          ...(component === 'builder' ? { builds: buildOptions(ground, { name, gate, incarnation }) } : {}),
          identity: `${name}_${incarnation}`,
          predecessors: `${name}_`,
          metrics: new ComponentMetrics(component),
        }),
    });
  });
}

function componentOf(name: string): keyof typeof ACCOUNTS {
  return name.startsWith('builder') ? 'builder' : name.startsWith('operator') ? 'operator' : 'controller';
}

type Incarnation = { readonly name: string; readonly gate: ProcessGate; readonly incarnation: number };

function buildOptions(ground: Ground, { name, gate, incarnation }: Incarnation): BuildOptions {
  const { seed, registry, clock, trace } = ground;
  const random = randomOf(seed, 'registry', name, incarnation);
  return {
    registry: builderRegistry({ registry, clock, trace, gate, random }),
    builderImage: 'registry.example/millwright-builder',
    limits: { ...DEFAULT_BUILD_LIMITS, timeoutMs: BUILD_TIMEOUT_MS },
  };
}

/** Longer than any build that does not hang. */
const BUILD_TIMEOUT_MS = 20 * 60_000;

const USUAL_SETUP: ComponentSetup = {
  settings: { ...DEFAULT_SETTINGS, base: 'none' },
  release: {
    version: 'millwright simulated',
    controllerVersion: 'simulated',
    releaseVersion: 'simulated',
  },
  // Of the base `coreos` alone.
  templates: new Map(),
};
const RESTART_MS = [1_000, 10_000] as const;
