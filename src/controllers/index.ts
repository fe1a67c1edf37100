/**
 * The controllers of a cluster: one file each, all listed here, each field with one writer (docs/architecture.md).
 *
 *     operator   the built-in pools, the ControllerConfig, a MachineConfigNode for every node
 *     cluster-operator   how all is, for OpenShift's ClusterOperator where that kind exists
 *     template   the base MachineConfigs of every role
 *     registries   mirror sets, registry settings and signature policies into a MachineConfig of every built-in pool
 *     kubelet-config, container-runtime-config   settings for the nodes of some pools, as MachineConfigs
 *     render     a pool's MachineConfigs into its rendered one, which the pool then targets
 *     node       sends nodes to their pool's target, few at a time; writes the status of pools
 *     drain      empties nodes that ask for it, and puts them back into service
 *
 * They observe through caches, decide by pure functions (`render`, `registries`, `rollout`), and write. They meet only
 * through the API: none knows another.
 *
 * Not here: what happens on a machine (`daemon`), and the stand-ins of the embedded cluster (`cluster`).
 *
 * Start with `render.ts`, then `node.ts`.
 */
export type { Context, Release } from './context.ts';
export { type ControllerSettings, DEFAULT_SETTINGS, settingsAtSpeed } from './settings.ts';

import type { Controller } from '../kubernetes/client/index.ts';
import { createClusterOperatorController } from './cluster-operator.ts';
import { createContainerRuntimeConfigController } from './container-runtime-config.ts';
import type { Context } from './context.ts';
import { createDrainController } from './drain.ts';
import { createKubeletConfigController } from './kubelet-config.ts';
import { createNodeController } from './node.ts';
import { createOperatorController } from './operator.ts';
import { createRegistriesController } from './registries.ts';
import { createRenderController } from './render.ts';
import { rememberRoleBase } from './role-base.ts';
import { createTemplateController, type TemplateOptions } from './template.ts';

/** The operator runs by itself: it also keeps what the others need to run. */
export function createOperator(context: Context): readonly Controller[] {
  return [createOperatorController(context), createClusterOperatorController(context)];
}

export function createControllers(context: Context, options: TemplateOptions): readonly Controller[] {
  const baseOf = rememberRoleBase(options.templates);
  return [
    createTemplateController(context, options),
    createKubeletConfigController(context, baseOf),
    createContainerRuntimeConfigController(context, baseOf),
    createRegistriesController(context, baseOf),
    createRenderController(context),
    createNodeController(context),
    createDrainController(context),
  ];
}
