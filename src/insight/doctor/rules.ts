/**
 * All rules. Of one stage, the first one comes first in a diagnosis.
 */
import { buildFailed } from './build/build-failed.ts';
import { buildNotStarted } from './build/build-not-started.ts';
import { buildPodWaiting } from './build/build-pod-waiting.ts';
import { containerfileNotUsed } from './build/containerfile-not-used.ts';
import { imageConfigRefused } from './build/image-config-refused.ts';
import { noBuilder } from './build/no-builder.ts';
import { componentNotRunning } from './cluster/component-not-running.ts';
import { controllersFailing } from './cluster/controllers-failing.ts';
import { notInstalled } from './cluster/not-installed.ts';
import { operatorFailing } from './cluster/operator-failing.ts';
import { cordonFailed } from './node/cordon-failed.ts';
import { daemonNotRunning } from './node/daemon-not-running.ts';
import { drainBlocked } from './node/drain-blocked.ts';
import { drainReported } from './node/drain-reported.ts';
import { nodeFailed } from './node/node-failed.ts';
import { nodeInTwoPools } from './node/node-in-two-pools.ts';
import { nodeStuck } from './node/node-stuck.ts';
import { notBack } from './node/not-back.ts';
import { uncordonedDuringDrain } from './node/uncordoned-during-drain.ts';
import { controlPlaneInCustomPool } from './other/control-plane-in-custom-pool.ts';
import { nodeInNoPool } from './other/node-in-no-pool.ts';
import { pinnedImages } from './other/pinned-images.ts';
import { registriesRefused } from './other/registries-refused.ts';
import { serverNotRunning } from './other/server-not-running.ts';
import { servingCertificate } from './other/serving-certificate.ts';
import { settingsRefused } from './other/settings-refused.ts';
import { notRendered } from './render/not-rendered.ts';
import { otherVersion } from './render/other-version.ts';
import { renderFailed } from './render/render-failed.ts';
import { invalidPoolSpec } from './rollout/invalid-pool-spec.ts';
import { missingTarget } from './rollout/missing-target.ts';
import { nodeCordoned } from './rollout/node-cordoned.ts';
import { nodeNotReady } from './rollout/node-not-ready.ts';
import { poolPaused } from './rollout/pool-paused.ts';
import { waitsForPool } from './rollout/waits-for-pool.ts';
import type { Rule } from './rule.ts';

export const RULES: readonly Rule[] = [
  ...[notInstalled, componentNotRunning, controllersFailing, operatorFailing],
  ...[otherVersion, renderFailed, notRendered],
  ...[noBuilder, imageConfigRefused, buildFailed, buildPodWaiting, buildNotStarted, containerfileNotUsed],
  // A pause is deliberate: what is broken comes first.
  ...[invalidPoolSpec, missingTarget, waitsForPool, nodeNotReady, nodeCordoned, poolPaused],
  ...[
    cordonFailed,
    drainBlocked,
    drainReported,
    uncordonedDuringDrain,
    notBack,
    daemonNotRunning,
    nodeFailed,
    nodeStuck,
  ],
  ...[nodeInTwoPools],
  ...[settingsRefused, registriesRefused, pinnedImages, servingCertificate, serverNotRunning],
  ...[nodeInNoPool, controlPlaneInCustomPool],
];
