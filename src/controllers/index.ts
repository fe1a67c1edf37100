/**
 * The controllers of a cluster: one file each, all listed here, each field with one writer (docs/architecture.md).
 *
 *     operator   the built-in pools, the ControllerConfig, a MachineConfigNode for every node
 *     cluster-operator   the status of OpenShift's ClusterOperator, where that kind exists
 *     server-secrets   certificates, token and pointer Ignition of the MachineConfigServer, where it is installed
 *     template   the base MachineConfigs of every role
 *     registries   mirror sets, registry settings and signature policies as a MachineConfig of every built-in pool
 *     kubelet-config, container-runtime-config   settings of pools, as MachineConfigs (`settings-controller.ts`)
 *     render     renders the MachineConfigs of a pool into the one that it targets
 *     node       sends nodes to their pool's target, a few at a time; writes the status of pools
 *     pinned-image-set   which PinnedImageSets pools and nodes have
 *     drain      cordons, drains and uncordons nodes on request of their daemons
 *     prune      deletes rendered configs that nothing needs, of pools that ask for it
 *     client-certificates   approves requests of kubelets that join for the certificate with which they are a node, and their renewals
 *     serving-certificates   approves requests of kubelets for their serving certificate, where the cluster has no approver
 *     build      OS images of pools with a MachineOSConfig: MachineOSBuilds and their Jobs
 *     image-record   deletes images of builds that nothing uses any more
 *     failure-status   in the ControllerConfig: reconciles that keep failing (`failures`)
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
export { type ConfigServerOptions, SERVER_PORT } from './certificates/server-secrets.ts';
export type { Context, Release } from './context.ts';
export { BUILDER_METRICS, CONTROLLERS_METRICS, OPERATOR_METRICS } from './metrics/definitions.ts';
export {
  listRenderedConfigs,
  lookForPruning,
  type Pruned,
  type PruneOptions,
  pruneConfigs,
} from './pruning/prune-configs.ts';
export { type ControllerSettings, DEFAULT_SETTINGS, settingsAtSpeed } from './settings.ts';

import { memoisedRoleBase } from '../config/settings/index.ts';
import type { Controller } from '../kubernetes/client/index.ts';
import { createBuildController } from './builds/build.ts';
import type { BuildOptions } from './builds/build-context.ts';
import { createImageRecordController } from './builds/image-records.ts';
import { createClientCertificateController } from './certificates/client-certificates.ts';
import { type ConfigServerOptions, createServerSecretsController } from './certificates/server-secrets.ts';
import { createServingCertificateController } from './certificates/serving-certificates.ts';
import { createClusterOperatorController } from './cluster-operator.ts';
import { createContainerRuntimeConfigController } from './container-runtime-config.ts';
import type { Context } from './context.ts';
import { createDrainController } from './drain/drain.ts';
import { FailingReconciles } from './failures/failing-reconciles.ts';
import { createFailureStatusController } from './failures/failure-status.ts';
import { createKubeletConfigController } from './kubelet-config.ts';
import { createNodeController } from './node.ts';
import { createOperatorController } from './operator.ts';
import { createPinnedImageSetController } from './pinned/pinned-image-sets.ts';
import { createPruneController } from './pruning/prune.ts';
import { createRegistriesController } from './registries.ts';
import { createRenderController, createRenderState } from './render.ts';
import { createTemplateController, type TemplateOptions } from './template.ts';

/** The operator runs as its own process: it also ensures what the controllers depend on. */
export function createOperator(context: Context, configServer?: ConfigServerOptions): readonly Controller[] {
  const failing = new FailingReconciles(context, 'machine-config-operator');
  const controllers = [
    createOperatorController(context),
    createClusterOperatorController(context, failing),
    ...(configServer === undefined ? [] : [createServerSecretsController(context, configServer)]),
  ];
  return controllers.map((controller) => failing.track(controller));
}

export function createControllers(context: Context, options: TemplateOptions): readonly Controller[] {
  const baseOf = memoisedRoleBase(context.settings.base, options.templates);
  const renderState = createRenderState(context);
  const { servingCertificates, approvesClientCertificates } = context.settings;
  const generators = [
    createTemplateController(context, options),
    createKubeletConfigController(context, baseOf),
    createContainerRuntimeConfigController(context, baseOf),
    createRegistriesController(context, baseOf),
  ];
  const failing = new FailingReconciles(context, 'machine-config-controller');
  const controllers = [
    ...generators.map((controller) => renderState.generation.track(controller)),
    createRenderController(context, renderState),
    createNodeController(context, renderState.renders),
    createPinnedImageSetController(context),
    createDrainController(context),
    createPruneController(context),
    ...(approvesClientCertificates ? [createClientCertificateController(context)] : []),
    ...(servingCertificates === undefined
      ? []
      : [createServingCertificateController(context, servingCertificates.apiServerHosts)]),
  ];
  return [
    ...controllers.map((controller) => failing.track(controller)),
    createFailureStatusController(context, failing),
  ];
}

/** The builder runs as its own process too: of all components it alone can read Secrets and create Jobs. */
export function createBuilder(context: Context, options: BuildOptions): readonly Controller[] {
  const failing = new FailingReconciles(context, 'machine-os-builder');
  const controllers = [
    createBuildController(context, options),
    createImageRecordController(context, options),
  ];
  return controllers.map((controller) => failing.track(controller));
}
