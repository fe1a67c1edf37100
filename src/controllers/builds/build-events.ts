/**
 * The events of builds, with upstream's reasons and messages.
 */
import {
  annotations,
  type MachineConfigPool,
  type MachineOSBuild,
  type MachineOSConfig,
  machineConfigPool as machineConfigPoolKind,
  machineOSBuild as machineOSBuildKind,
  machineOSConfig as machineOSConfigKind,
} from '../../api/index.ts';
import { stringAt } from '../../base/json-fields.ts';
import type { BuildAction, ConfigProblem } from '../../images/index.ts';
import { jobNameOf } from '../../images/index.ts';
import type { EventRecorder, EventSubject } from '../../kubernetes/client/index.ts';
import { annotationOf, apiVersionOf, nameOf } from '../../kubernetes/meta/index.ts';
import type { WarningEvents } from '../warning-events.ts';

export class BuildEvents {
  readonly #recorder: EventRecorder;
  readonly #warnings: WarningEvents;

  constructor(recorder: EventRecorder, warnings: WarningEvents) {
    this.#recorder = recorder;
    this.#warnings = warnings;
  }

  problem(config: MachineOSConfig, problem: ConfigProblem | undefined): void {
    const { uid = '' } = config.metadata;
    const events =
      problem === undefined
        ? []
        : [{ type: 'Warning' as const, reason: problem.reason, message: problem.message }];
    for (const { reason, message } of this.#warnings.due(uid, events)) {
      this.#recorder.warning(subjectOf(config, machineOSConfigKind), reason, message);
    }
  }

  started(build: MachineOSBuild): void {
    const pool =
      build.metadata.labels?.['machineconfiguration.openshift.io/target-machine-config-pool'] ?? '';
    const config = stringAt(build, 'spec', 'machineConfig', 'name');
    this.#about(build, 'BuildStarted', `Started build for pool "${pool}" with config "${config}"`);
    this.#about(build, 'BuildPreparing', `Preparing build: creating build job for pool "${pool}"`);
    this.#about(build, 'JobCreated', `Created build job: ${jobNameOf(nameOf(build))}`);
  }

  /** A state that was just reported. Builds that took over an image have no Job. */
  reported(
    { build, state, image, cause }: Extract<BuildAction, { readonly kind: 'report' }>,
    config: MachineOSConfig,
  ): void {
    const name = nameOf(build);
    const job = jobNameOf(name);
    const hasJob = annotationOf(build, annotations.jobUid) !== undefined;
    const details = `see MachineOSBuild "${name}" status conditions for details`;
    switch (state) {
      case 'Building':
        this.#about(build, 'JobStarted', `Build job started: ${job}`);
        this.#about(build, 'BuildBuilding', 'Build is now in progress');
        return;
      case 'Succeeded':
        if (hasJob) this.#about(build, 'JobCompleted', `Build job completed: ${job}`);
        this.#about(build, 'BuildCompleted', `Build completed successfully, image: ${image ?? ''}`);
        return;
      case 'Failed': {
        if (hasJob) this.#warn(build, 'JobFailed', `Build job "${job}" failed; ${details}`);
        this.#warn(
          build,
          'BuildFailed',
          `Build failed; ${details}${cause === undefined ? '' : `: ${cause}`}`,
        );
        const pool = stringAt(config, 'spec', 'machineConfigPool', 'name');
        const text = `Build for pool "${pool}" degraded; see MachineOSBuild status conditions for details`;
        this.#recorder.warning(subjectOf(config, machineOSConfigKind), 'BuildDegraded', text);
        return;
      }
      case 'Interrupted':
        this.#warn(build, 'BuildInterrupted', 'Build interrupted: build job was deleted');
        return;
      default:
    }
  }

  /** A change of the spec was taken up, or could not be. */
  reconciled(config: MachineOSConfig, problem: ConfigProblem | undefined): void {
    const about = subjectOf(config, machineOSConfigKind);
    if (problem === undefined) {
      const text = 'MachineOSConfig spec change detected and reconciled: new build created or reused';
      this.#recorder.normal(about, 'ConfigReconciled', text);
    } else {
      const text = `Failed to reconcile MachineOSConfig spec change: ${problem.message}`;
      this.#recorder.warning(about, 'ConfigReconcileFailed', text);
    }
  }

  poolConfigChanged(pool: MachineConfigPool, before: string): void {
    const text = `Rendered config changed from ${before} to ${pool.spec.configuration?.name ?? ''}`;
    this.#recorder.normal(subjectOf(pool, machineConfigPoolKind), 'PoolConfigChanged', text);
  }

  jobDeleted(build: MachineOSBuild): void {
    this.#about(build, 'JobDeleted', `Build job deleted: ${jobNameOf(nameOf(build))}`);
  }

  recovered(config: MachineOSConfig): void {
    const pool = stringAt(config, 'spec', 'machineConfigPool', 'name');
    const text = `Build for pool "${pool}" recovered from degraded state`;
    this.#recorder.normal(subjectOf(config, machineOSConfigKind), 'BuildRecovered', text);
  }

  configDeleted(config: MachineOSConfig): void {
    const text = `MachineOSConfig "${nameOf(config)}" deleted, removing associated builds`;
    this.#recorder.normal(subjectOf(config, machineOSConfigKind), 'ConfigDeleted', text);
  }

  deleted(build: MachineOSBuild): void {
    this.#about(build, 'BuildDeleted', 'Build deleted: build resources removed');
  }

  /** Nobody asked for the build that follows. */
  imageMissing(config: MachineOSConfig, image: string): void {
    const text = `Image ${image} is not in its registry any more: it is built again`;
    this.#recorder.warning(subjectOf(config, machineOSConfigKind), 'ImageMissing', text);
  }

  rebuildRequested(config: MachineOSConfig): void {
    const about = subjectOf(config, machineOSConfigKind);
    this.#recorder.normal(about, 'RebuildRequested', 'Rebuild requested: rebuild annotation applied');
  }

  #about(build: MachineOSBuild, reason: string, message: string): void {
    this.#recorder.normal(subjectOf(build, machineOSBuildKind), reason, message);
  }

  #warn(build: MachineOSBuild, reason: string, message: string): void {
    this.#recorder.warning(subjectOf(build, machineOSBuildKind), reason, message);
  }
}

function subjectOf(
  { metadata }: MachineOSBuild | MachineOSConfig | MachineConfigPool,
  kind: { readonly group: string; readonly version: string; readonly kind: string },
): EventSubject {
  const { name, uid } = metadata;
  const about = { apiVersion: apiVersionOf(kind), kind: kind.kind, name };
  return uid === undefined ? about : { ...about, uid };
}
