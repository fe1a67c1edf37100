/**
 * The controllers of a cluster: one file each, all listed here, each field with one writer (docs/architecture.md).
 *
 *     operator   the built-in pools, the ControllerConfig, a MachineConfigNode for every node
 *     cluster-operator   the status of OpenShift's ClusterOperator, where that kind exists
 *     template   the base MachineConfigs of every role
 *     registries   mirror sets, registry settings and signature policies as a MachineConfig of every built-in pool
 *     kubelet-config, container-runtime-config   settings of pools, as MachineConfigs (`settings-controller.ts`)
 *     render     renders the MachineConfigs of a pool into the one that it targets
 *     node       sends nodes to their pool's target, a few at a time; writes the status of pools
 *     drain      cordons, drains and uncordons nodes on request of their daemons
 *     serving-certificates   approves requests of kubelets for their serving certificate, where the cluster has no approver
 *     build      OS images of pools with a MachineOSConfig: MachineOSBuilds and their Jobs
 *     image-record   deletes images of builds that nothing uses any more
 *
 * They observe through caches, decide by pure functions (`config`, `rollout`), and write. They communicate through the API,
 * with one exception: the render controller informs the node controller of pools that are not rendered yet
 * (`PendingRenders`), and is informed of sources that are not generated yet (`PendingGeneration`).
 *
 * Not here: what happens on a machine (`node`), and the workload controllers of the embedded cluster (`embedded`).
 *
 * Start with `render.ts`, then `node.ts`.
 */
export type { BuildOptions } from './builds/build-context.ts';
export { authoritiesIn } from './builds/registry-authorities.ts';
export type { Context, Release } from './context.ts';
export { type Base, type ControllerSettings, DEFAULT_SETTINGS, settingsAtSpeed } from './settings.ts';

import type { Controller } from '../kubernetes/client/index.ts';
import { createBuildController } from './builds/build.ts';
import type { BuildOptions } from './builds/build-context.ts';
import { createImageRecordController } from './builds/image-records.ts';
import { createServingCertificateController } from './certificates/serving-certificates.ts';
import { createClusterOperatorController } from './cluster-operator.ts';
import { createContainerRuntimeConfigController } from './container-runtime-config.ts';
import type { Context } from './context.ts';
import { createDrainController } from './drain/drain.ts';
import { createKubeletConfigController } from './kubelet-config.ts';
import { createNodeController } from './node.ts';
import { createOperatorController } from './operator.ts';
import { createRegistriesController } from './registries.ts';
import { createRenderController, createRenderState } from './render.ts';
import { memoisedRoleBase } from './role-base.ts';
import { createTemplateController, type TemplateOptions } from './template.ts';

/** The operator runs as its own process: it also ensures what the controllers depend on. */
export function createOperator(context: Context): readonly Controller[] {
  return [createOperatorController(context), createClusterOperatorController(context)];
}

export function createControllers(context: Context, options: TemplateOptions): readonly Controller[] {
  const baseOf = memoisedRoleBase(context.settings.base, options.templates);
  const renderState = createRenderState(context);
  const { servingCertificates } = context.settings;
  const generators = [
    createTemplateController(context, options),
    createKubeletConfigController(context, baseOf),
    createContainerRuntimeConfigController(context, baseOf),
    createRegistriesController(context, baseOf),
  ];
  return [
    ...generators.map((controller) => renderState.generation.track(controller)),
    createRenderController(context, renderState),
    createNodeController(context, renderState.renders),
    createDrainController(context),
    ...(servingCertificates === undefined
      ? []
      : [createServingCertificateController(context, servingCertificates.apiServerHosts)]),
  ];
}

/** The builder runs as its own process too: of all components it alone can read Secrets and create Jobs. */
export function createBuilder(context: Context, options: BuildOptions): readonly Controller[] {
  return [createBuildController(context, options), createImageRecordController(context, options)];
}
