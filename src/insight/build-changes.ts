/**
 * What happened to builds of OS images between two looks, as lines of text:
 *
 *     infra: building OS image infra-431b28e65c05518130d823bafbffe0ce
 *     infra: OS image infra-431b28e65c05518130d823bafbffe0ce is built in 2m10s: sha256:9f86d081884c
 *     infra: the build of OS image infra-431b28e65c05518130d823bafbffe0ce failed: RUN false: exit status 1
 *
 * Builds that take over an image have no Job, and nothing is said about them.
 */
import { annotations, labels, type MachineOSBuild } from '../api/index.ts';
import { compareBytes, isObject } from '../base/json.ts';
import { stringAt } from '../base/json-fields.ts';
import { annotationOf, labelOf, nameOf } from '../kubernetes/meta/index.ts';
import { buildFailure, buildStateOf } from '../rollout/index.ts';
import { oneLine } from './messages.ts';
import { shortened } from './shortened.ts';
import { elapsed } from './timestamp.ts';

/** Causes quote the output of `RUN` steps. */
const MAX_LINE_CHARS = 500;

/** `before`: undefined at the first look, which tells what is running or has failed. */
export function buildChanges(
  before: Iterable<MachineOSBuild> | undefined,
  after: Iterable<MachineOSBuild>,
): readonly string[] {
  const known = byIdentity(before ?? []);
  const present = byIdentity(after);
  const stopped = [...known].filter(
    ([key, build]) => phaseOf(build) === 'running' && isGone(present.get(key)) && !isGone(build),
  );
  const changed = [...present].filter(([key, build]) => {
    const phase = phaseOf(build);
    if (isGone(build) || (before === undefined && phase === 'built')) return false;
    const last = known.get(key);
    return last === undefined || phaseOf(last) !== phase;
  });
  return [
    ...stopped.map(([, build]) => `${subject(build)} was stopped`),
    ...changed.flatMap(([, build]) => phaseText(build)),
  ].map((line) => shortened(oneLine(line), MAX_LINE_CHARS));
}

type BuildPhase = 'waiting' | 'running' | 'built' | 'taken-over' | 'failed' | 'interrupted';

function phaseOf(build: MachineOSBuild): BuildPhase {
  switch (buildStateOf(build)) {
    case 'Initial':
      return 'waiting';
    case 'Prepared':
    case 'Building':
      return 'running';
    case 'Succeeded':
      return annotationOf(build, annotations.jobUid) === undefined ? 'taken-over' : 'built';
    case 'Failed':
      return 'failed';
    case 'Interrupted':
      return 'interrupted';
  }
}

function phaseText(build: MachineOSBuild): readonly string[] {
  switch (phaseOf(build)) {
    case 'waiting':
    case 'taken-over':
      return [];
    case 'running':
      return [`${poolOf(build)}: building OS image ${nameOf(build)}`];
    case 'built':
      return [
        `${poolOf(build)}: OS image ${nameOf(build)} is built${durationText(build)}${digestText(build)}`,
      ];
    case 'failed':
      return [`${subject(build)} failed${causeText(build)}`];
    case 'interrupted':
      return [`${subject(build)} was interrupted${causeText(build)}`];
  }
}

function subject(build: MachineOSBuild): string {
  return `${poolOf(build)}: the build of OS image ${nameOf(build)}`;
}

function poolOf(build: MachineOSBuild): string {
  return labelOf(build, labels.targetMachineConfigPool) ?? stringAt(build, 'spec', 'machineOSConfig', 'name');
}

function causeText(build: MachineOSBuild): string {
  const cause = buildFailure(build);
  return cause === '' ? '' : `: ${cause}`;
}

function durationText({ status }: MachineOSBuild): string {
  const took = elapsed(stringAt(status, 'buildStart'), stringAt(status, 'buildEnd'));
  return took === undefined ? '' : ` in ${took}`;
}

/** Twelve digits, as tools show them. */
function digestText({ status }: MachineOSBuild): string {
  const digest = /@(sha256:[0-9a-f]{12})/.exec(stringAt(status, 'digestedImagePushSpec'))?.[1];
  return digest === undefined ? '' : `: ${digest}`;
}

function isGone(build: MachineOSBuild | undefined): boolean {
  return build === undefined || stringAt(build, 'metadata', 'deletionTimestamp') !== '';
}

/** By name and uid: a repeated build has the name of the one before. Ordered by name. */
function byIdentity(builds: Iterable<MachineOSBuild>): ReadonlyMap<string, MachineOSBuild> {
  const named = [...builds].filter((build) => isObject(build) && nameOf(build) !== '');
  const sorted = named.sort((a, b) => compareBytes(nameOf(a), nameOf(b)));
  return new Map(sorted.map((build) => [`${nameOf(build)} ${stringAt(build, 'metadata', 'uid')}`, build]));
}
