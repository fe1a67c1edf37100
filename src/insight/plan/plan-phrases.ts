/**
 * The sentences of a plan, for text and Markdown alike.
 */
import { counted, humanDuration } from '../../base/text/index.ts';
import type { PostAction } from '../../node/plan/index.ts';
import type { UnassignedNode } from '../unassigned-nodes.ts';
import type { ContentsDifference, Difference, ItemChange, Pair } from './config-difference.ts';
import type { ActionReason, FleetPlan, NodeUpdate, PoolPlan } from './plan-types.ts';

const SIGNS: { readonly [change in ItemChange]: string } = { added: '+', removed: '-', changed: '~' };

/** One line: what differs, without contents. */
export function differenceText(difference: Difference): string {
  switch (difference.kind) {
    case 'file': {
      const { change, name, mode, owner, contents } = difference;
      const facts = [
        ...(change === 'changed' ? pairText('mode', mode) : modeNote(mode)),
        ...pairText('owner', owner),
        ...contentsNote(contents, change),
      ];
      return `${SIGNS[change]} file ${name}${noted(facts)}`;
    }
    case 'unit': {
      const { change, name, state, contents, dropins } = difference;
      const facts = [
        ...(change === 'changed' ? pairText('state', state) : [state?.after ?? []].flat()),
        ...contentsNote(contents, change),
        ...dropins.map(
          (dropin) =>
            `${SIGNS[dropin.change]} drop-in ${[dropin.name, ...contentsNote(dropin.contents, dropin.change)].join(', ')}`,
        ),
      ];
      return `${SIGNS[change]} unit ${name}${noted(facts)}`;
    }
    case 'user': {
      const { change, name, sshKeys, password } = difference;
      const facts = [
        ...(sshKeys === undefined ? [] : [`SSH keys: ${sshKeys.added} added, ${sshKeys.removed} removed`]),
        ...(password === undefined ? [] : [`password ${password}`]),
      ];
      return `${SIGNS[change]} user ${name}${noted(facts)}`;
    }
    case 'kernelArguments':
    case 'extensions': {
      const what = difference.kind === 'extensions' ? 'extensions' : 'kernel arguments';
      if (difference.isReordered) return `~ ${what} in another order`;
      const { added, removed } = difference;
      return `~ ${what} ${[...removed.map((one) => `-${one}`), ...added.map((one) => `+${one}`)].join(' ')}`;
    }
    case 'osImage':
      return `~ OS image ${difference.before || 'none'} → ${difference.after || 'none'}`;
    case 'kernelType':
      return `~ kernel type ${difference.before} → ${difference.after}`;
    case 'fips':
      return `~ FIPS ${difference.before} → ${difference.after}`;
    case 'other':
      return `${SIGNS[difference.change]} ${difference.item} ${difference.name}`;
  }
}

function noted(facts: readonly string[]): string {
  return facts.length === 0 ? '' : `  (${facts.join('; ')})`;
}

/** Why a text is not shown. */
function contentsNote(contents: ContentsDifference | undefined, change: ItemChange): readonly string[] {
  if (contents === undefined || contents.kind === 'text') return [];
  if (contents.kind === 'hidden') return [`contents not shown: ${contents.why}`];
  const { kind, beforeBytes, afterBytes } = contents;
  const sizes = {
    added: `${afterBytes}`,
    removed: `${beforeBytes}`,
    changed: `${beforeBytes} → ${afterBytes}`,
  };
  return [`contents not shown: ${kind}, ${sizes[change]} bytes`];
}

function pairText(what: string, pair: Pair | undefined): readonly string[] {
  return pair === undefined ? [] : [`${what} ${pair.before ?? 'none'} → ${pair.after ?? 'none'}`];
}

/** Of a new file: only what is unusual. */
function modeNote(mode: Pair | undefined): readonly string[] {
  return mode?.after === undefined || mode.after === '0644' ? [] : [`mode ${mode.after}`];
}

/** `reboot`, `reload crio.service`. */
function actionText(action: PostAction): string {
  switch (action.type) {
    case 'Reload':
    case 'Restart':
      return `${action.type.toLowerCase()} ${action.service}`;
    case 'DaemonReload':
      return 'reload systemd';
    case 'None':
      return 'nothing else';
    case 'Special':
      return 'reload crio, and a drain unless it is safe without';
    case 'Drain':
    case 'Reboot':
      return action.type.toLowerCase();
  }
}

/** `reboot: no NodeDisruptionPolicy for file /etc/a`. */
export function reasonText({ kind, name, actions, policy }: ActionReason): string {
  const what = kind === 'users' ? 'users and SSH keys' : kind === 'os' ? name : `${kind} ${name}`;
  const action = actions.length === 0 ? 'nothing else' : actions.map(actionText).join(', ');
  if (kind === 'os') return `${action}: ${what}, always`;
  if (policy === undefined) return `${action}: ${what}, which no NodeDisruptionPolicy covers`;
  return `${action}: ${what}, by the NodeDisruptionPolicy for ${policy}`;
}

/** What the nodes of an update do: `drain, apply, reboot`. */
export function outcomeText({ outcome }: NodeUpdate): string {
  switch (outcome.kind) {
    case 'unknown':
      return `unknown: ${outcome.message}`;
    case 'unreconcilable':
      return `cannot follow: ${outcome.message}`;
    case 'update': {
      const rest = outcome.actions.filter(({ type }) => !['Drain', 'None', 'Special'].includes(type));
      const isReloaded = outcome.actions.some(({ type }) => type === 'Special');
      const steps = [
        ...(outcome.needsDrain ? ['drain'] : []),
        'apply',
        ...(isReloaded ? ['reload crio.service'] : []),
        ...rest.map(actionText),
      ];
      return `${steps.join(', ')}${outcome.needsDrain || outcome.needsReboot ? '' : ' (no drain, no reboot)'}`;
    }
  }
}

export function stateText({ state, from, to }: PoolPlan): string {
  switch (state) {
    case 'deleted':
      return 'is deleted: its nodes go to the pools that then select them';
    case 'refused':
      return 'cannot be rendered, so its nodes stay as they are';
    case 'new':
      return `gets its first config ${to}`;
    case 'unchanged':
      return `keeps ${to}`;
    case 'changed':
      return from === to ? `keeps ${to} with another OS image` : `${from} → ${to}`;
  }
}

export function orderText({ nodes, maxUnavailable, isPaused }: PoolPlan): string {
  const limit = maxUnavailable === undefined ? '' : `, at most ${maxUnavailable} at a time`;
  const when = isPaused ? 'once the pool is resumed, in this order' : 'in this order';
  return `${counted(nodes.length, 'node')}${limit}, ${when}`;
}

export function buildText({ build }: PoolPlan): string | undefined {
  switch (build?.kind) {
    case undefined:
      return undefined;
    case 'new':
      return `an OS image is built first: MachineOSBuild ${build.build}`;
    case 'running':
      return `the OS image is being built: MachineOSBuild ${build.build}`;
    case 'reused':
      return `no OS image is built: that of ${build.build} is used`;
    case 'pre-built':
      return `no OS image is built: ${build.image} is used, which the MachineOSConfig names`;
    case 'blocked':
      return 'no OS image can be built';
  }
}

export function durationText({ duration, nodes }: PoolPlan): string | undefined {
  if (duration === undefined) return undefined;
  if (duration.kind === 'no-history') return 'duration: no history';
  const [low, likely, high] = [duration.lowSeconds, duration.likelySeconds, duration.highSeconds].map(
    (seconds) => humanDuration(seconds * 1_000),
  );
  const from = `from ${counted(duration.samples, 'past update')}`;
  const all = nodes.length === 1 ? '' : ' for all of them';
  return `duration: about ${likely}${all}, ${low} to ${high} (${from})`;
}

export function outsideText({ name, kind, message }: UnassignedNode): string {
  if (message !== undefined) return message;
  return kind === 'windows' ? `node ${name} runs Windows` : `node ${name} is in no pool`;
}

/** The last line: what the exit code says. */
export function effectText({ effect, pools }: FleetPlan): string {
  const nodes = new Set(pools.flatMap(({ updates }) => updates.flatMap((update) => update.nodes))).size;
  const who = nodes === 0 ? 'Nodes' : counted(nodes, 'node');
  const isUnknown = pools.some(({ updates }) => updates.some(({ outcome }) => outcome.kind === 'unknown'));
  switch (effect) {
    case 'none':
      return pools.length === 0 ? 'No node changes.' : 'Configs change, but no node does.';
    case 'live':
      return `${who} would change without a drain or a reboot.`;
    case 'disruptive':
      return isUnknown
        ? `${who} would change; what some of them do is unknown.`
        : `${who} would change, with drains or reboots.`;
    case 'invalid':
      return 'The change has problems: it would not take effect.';
  }
}
