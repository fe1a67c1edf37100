/**
 * The conditions of a MachineConfigNode that each progress event sets. Their texts are upstream's, which people and tools look
 * for.
 *
 * A step belongs to a phase: both change together, the reason of the phase names the step, and the reason of the step
 * names both. The feature gate ImageModeStatusReporting reports files and OS separately.
 */
import { type ConditionUpdate, DRAIN_NOT_REQUIRED } from '../../rollout/index.ts';
import type { ConfigChange, PostAction } from '../plan/index.ts';

type Status = ConditionUpdate['status'];

export const updated = (node: string, isUpdated: boolean): ConditionUpdate => ({
  type: 'Updated',
  status: isUpdated ? 'True' : 'False',
  reason: 'Updated',
  message: isUpdated ? `Node ${node} Updated` : `Node ${node} needs an update`,
});

/** The list of actions is always empty in upstream's text, which ends before the warnings. */
export const prepared = (needsDrain: boolean, warnings: readonly string[] = []): ConditionUpdate => {
  const text = `Update Compatible. Post Cfg Actions: [] Drain Required: ${needsDrain}`;
  const all = warnings.length === 0 ? '' : `. Pre-flight warnings: ${warnings.join('; ')}`;
  return parent('UpdatePrepared', 'True', `${text}${all}`);
};

export const incompatible = ({ from, to, error }: Versus): ConditionUpdate =>
  parent('UpdatePrepared', 'Unknown', `${failedFor({ from, to })} compatible. Err: ${error}`);

export const unavailable = ({ from, to, error }: Versus): ConditionUpdate =>
  parent('UpdatePrepared', 'Unknown', `${failedFor({ from, to })} available for update. Error: ${error}`);

export const actionsUnknown = ({ from, to, error }: Versus): ConditionUpdate =>
  parent(
    'UpdatePrepared',
    'Unknown',
    `${failedFor({ from, to })} available for update. Error calculating post config change actions: ${error}`,
  );

type Versus = { readonly from: string; readonly to: string; readonly error: string };

const failedFor = ({ from, to }: Omit<Versus, 'error'>) =>
  `Update Failed compatibility validation. MachineConfigs ${from} and ${to} are not`;

/** The config that a message of `incompatible`, `unavailable` or `actionsUnknown` is about. */
export function refusedConfig(message: string): string | undefined {
  return /^Update Failed compatibility validation\. MachineConfigs \S* and (\S+) are not /.exec(message)?.[1];
}

export const drainNotRequired = executing('Drained', {
  phase: ['Unknown', DRAIN_NOT_REQUIRED],
  step: ['False', DRAIN_NOT_REQUIRED],
});

export const rebooting = parent('RebootedNode', 'Unknown', 'Upgrade requires a reboot.');
export const rebooted = parent('RebootedNode', 'True', 'Node has rebooted');

/** Drains and reboots have conditions of their own. */
export function postActionDone(action: PostAction): ConditionUpdate | undefined {
  if (action.type === 'None') {
    return {
      ...parent('UpdatePostActionComplete', 'True', 'Changes do not require a reboot'),
      reason: 'None',
    };
  }
  const done = (text: string) => parent('UpdatePostActionComplete', 'True', `Node has ${text}`);
  if (action.type === 'Restart') return done(`restarted service ${action.service}`);
  const service = reloadedService(action);
  return service === undefined ? undefined : done(`reloaded service ${service}`);
}

/** The service that an action reloads: CRI-O's registries and systemd's units are reloads too. */
export function reloadedService(action: PostAction): string | undefined {
  if (action.type === 'Reload') return action.service;
  if (action.type === 'Special') return 'crio';
  return action.type === 'DaemonReload' ? 'daemon-reload' : undefined;
}

export const postActionFailed = (error: string) => parent('UpdatePostActionComplete', 'Unknown', error);
export const rebootFailed = (error: string) => parent('RebootedNode', 'Unknown', error);

export const completing = (config: string): ConditionUpdate =>
  parent(
    'Resumed',
    'True',
    `In desired config ${config}. Resumed normal operations. Applying proper annotations.`,
  );

export const resumed = (config: string): ConditionUpdate =>
  parent('Resumed', 'True', `In desired config ${config}. Resumed normal operations.`);

export const succeeded = (node: string): ConditionUpdate =>
  parent('NodeDegraded', 'False', `Node ${node} upgrade succeeded`);

export const degraded = (node: string, error: string): ConditionUpdate =>
  parent('NodeDegraded', 'True', `Node ${node} upgrade failure. ${error}`);

export const prefetching = (node: string): ConditionUpdate => ({
  ...{ type: 'PinnedImageSetsProgressing', status: 'True', reason: 'ImagePrefetch' },
  message: `node is prefetching images: ${node}`,
});

export const imagesComplete: ConditionUpdate = {
  ...{ type: 'PinnedImageSetsProgressing', status: 'False', reason: 'AsExpected' },
  message: 'All pinned image sets complete',
};

export const imagesGood: ConditionUpdate = {
  ...{ type: 'PinnedImageSetsDegraded', status: 'False', reason: 'AsExpected' },
  message: 'All is good',
};

export const prefetchFailed: ConditionUpdate = {
  ...{ type: 'PinnedImageSetsDegraded', status: 'True', reason: 'PrefetchFailed' },
  message: 'One or more PinnedImageSet is experiencing an error. See PinnedImageSet list for more details',
};

export type Stage = 'applying' | 'applied';

export function filesAndOS(stage: Stage, { os, keys }: { readonly os: boolean; readonly keys: boolean }) {
  const [verb, doing, tense, status] = TEXTS[stage];
  const slots = `OS ${needText(tense, os)}. SSH Keys ${needText(tense, keys)}`;
  return executing('AppliedFilesAndOS', {
    phase: [status, `${doing} the Files and OS on disk as a part of the in progress phase`],
    step: [status, `${verb} files and new OS config to node. ${slots}`],
  });
}

/** With the feature gate. Whether keys changed is only part of the final message. */
export function files(stage: Stage, needsKeys: boolean): readonly ConditionUpdate[] {
  const [verb, doing, tense, status] = TEXTS[stage];
  const end = stage === 'applying' ? ' to node.' : `. SSH Keys ${needText(tense, needsKeys)}`;
  return executing('AppliedFiles', {
    phase: [status, `${doing} the Files on disk as a part of the in progress phase`],
    step: [status, `${verb} files${end}`],
  });
}

export function os(stage: Stage): readonly ConditionUpdate[] {
  const [verb, doing, , status] = TEXTS[stage];
  return executing('AppliedOSImage', {
    phase: [status, `${doing} the OS on disk as a part of the in progress phase`],
    step: [status, `${verb} new OS config to node.`],
  });
}

function needText(tense: 'will' | 'did', isNeeded: boolean): string {
  return `${tense} ${isNeeded ? '' : 'not '}need an update`;
}

const TEXTS = {
  applying: ['Applying', 'Updating', 'will', 'Unknown'],
  applied: ['Applied', 'Updated', 'did', 'True'],
} as const;

export const filesFailed = (error: string) =>
  executing('AppliedFiles', {
    phase: ['Unknown', 'Error updating the Files on disk as a part of the in progress phase'],
    step: ['Unknown', `Update failed applying files to node: ${error}`],
  });

export const osFailed = (error: string) =>
  executing('AppliedOSImage', {
    phase: ['Unknown', 'Error the OS on disk as a part of the in progress phase'],
    step: ['Unknown', `Update failed applying new OS config to node: ${error}`],
  });

type Fetch = { readonly image: string };
type ImageReporting = { readonly isImageReported: boolean };

/** Before the drain, unlike upstream. It is a part of the OS's change, which is in progress from here on. */
export const fetching = ({ image }: Fetch, reporting: ImageReporting) =>
  executing(osStep(reporting), {
    phase: ['Unknown', `${FETCHING} ${image} as a part of the in progress phase`],
    step: [
      'Unknown',
      `${FETCHING} ${image} while the node still serves. It is drained when the image is there`,
    ],
  });

export const fetched = ({ image }: Fetch, reporting: ImageReporting): ConditionUpdate => {
  const type = osStep(reporting);
  const message = `Fetched OS image ${image}. It is applied when the node is drained`;
  return { type, status: 'False', reason: `UpdateExecuted${type}`, message };
};

/** Whether a condition says that the OS image is being fetched, or that it could not be. */
export function isFetching(
  condition: { readonly message: string; readonly status: string } | undefined,
): boolean {
  return condition?.status === 'Unknown' && isFetchText(condition.message);
}

export const isFetchText = (message: string) => message.startsWith(FETCHING);

const FETCHING = 'Fetching OS image';
const osStep = ({ isImageReported }: ImageReporting) =>
  isImageReported ? 'AppliedOSImage' : 'AppliedFilesAndOS';

type Pull = { readonly image: string; readonly isExtensions?: boolean };

export const pulling = (pull: Pull) => pulledImage('Unknown', `Pulling ${imageText(pull)}`);
export const pulled = (pull: Pull) => pulledImage('True', `Successfully pulled ${imageText(pull)}`);
export const pullFailed = (pull: Pull & { readonly error: string }) =>
  pulledImage('False', `Failed to pull ${imageText(pull)}: ${pull.error}`);

const pulledImage = (status: Status, message: string) => parent('ImagePulledFromRegistry', status, message);
const imageText = ({ image, isExtensions = false }: Pull) =>
  `${isExtensions ? 'extensions' : 'OS'} image ${image} from registry`;

/** The conditions for a change of the disk. With the feature gate, a change without an OS part is reported as files. */
export function changing(
  stage: Stage,
  change: ConfigChange,
  { isImageReported }: { readonly isImageReported: boolean },
): readonly ConditionUpdate[] {
  const needsOs = change.osImage || change.extensions || change.kernelType;
  const needsKeys = change.sshKeys === true;
  if (!isImageReported) return filesAndOS(stage, { os: needsOs, keys: needsKeys });
  const isDeployed = needsOs || change.kernelArguments || change.fips;
  const isWritten = change.passwd || change.files || change.units || !isDeployed;
  return [...(isWritten ? files(stage, needsKeys) : []), ...(isDeployed ? os(stage) : [])];
}

function parent(type: string, status: Status, message: string): ConditionUpdate {
  return { type, status, reason: type, message };
}

type StatusAndMessage = readonly [status: Status, message: string];

/** A step of the phase UpdateExecuted, after its phase. */
function executing(
  type: string,
  { phase, step }: { readonly phase: StatusAndMessage; readonly step: StatusAndMessage },
) {
  const updates: readonly [phase: ConditionUpdate, step: ConditionUpdate] = [
    { type: 'UpdateExecuted', status: phase[0], reason: type, message: phase[1] },
    { type, status: step[0], reason: `UpdateExecuted${type}`, message: step[1] },
  ];
  return updates;
}
