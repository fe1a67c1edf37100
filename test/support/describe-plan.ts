/**
 * A plan as text.
 */
import { unreachable } from '../../src/base/errors.ts';
import { isNoChange } from '../../src/node/plan/config-change.ts';
import { actionsText } from '../../src/node/plan/disruption-policy.ts';
import type { Plan, PostAction, Step } from '../../src/node/plan/plan-types.ts';

/** One line each: the kind of update, the changes, the disruption, and the numbered steps. */
export function describePlan(plan: Plan): readonly string[] {
  const { from, to, change, actions, steps } = plan;
  return [
    from === to ? `${to}, once more` : `${from} → ${to}`,
    `  changes: ${changedParts(plan).join(', ') || 'nothing'}`,
    ...change.changedFiles.map((path) => `    file ${path}`),
    ...change.changedUnits.map((name) => `    unit ${name}`),
    `  the node ${costText(plan)}; afterwards: ${actionsText(actions)}`,
    ...steps.map((step, index) => `  ${index + 1}. ${stepText(step)}`),
  ];
}

/** From the steps: nothing is drained at first boot. */
function costText({ steps, needsReboot }: Plan): string {
  const isDrained = steps.some(({ kind }) => kind === 'drain');
  if (needsReboot) return isDrained ? 'drains and reboots' : 'reboots without a drain';
  return isDrained ? 'drains, and does not reboot' : 'neither drains nor reboots';
}

function changedParts({ change }: Plan): readonly string[] {
  if (isNoChange(change)) return [];
  const parts: readonly [boolean, string][] = [
    [change.osImage, 'OS image'],
    [change.kernelArguments, 'kernel arguments'],
    [change.kernelType, 'kernel type'],
    [change.extensions, 'extensions'],
    [change.fips, 'FIPS mode'],
    [change.files, `files (${change.changedFiles.length})`],
    [change.units, `units (${change.changedUnits.length})`],
    [change.passwd, 'users'],
  ];
  return parts.filter(([isChanged]) => isChanged).map(([, name]) => name);
}

export function stepText(step: Step): string {
  switch (step.kind) {
    case 'fetch':
      return `download the OS image ${step.image}`;
    case 'drain':
      return 'drain the node';
    case 'files':
      return step.units.length === 0
        ? 'write the files, and remove what is stale'
        : `write the files and the units ${step.units.join(', ')}, and remove what is stale`;
    case 'ssh-keys':
      return 'write the SSH keys';
    case 'passwords':
      return 'set the passwords';
    case 'os':
      return `stage the OS for the next boot: ${step.reasons.join('; ')}`;
    case 'store-config':
      return 'store the new config as the current one';
    case 'post-action':
      return postActionText(step.action);
    default:
      return unreachable(step);
  }
}

function postActionText(action: PostAction): string {
  switch (action.type) {
    case 'Reboot':
      return 'reboot';
    case 'Drain':
      return 'drain the node';
    case 'DaemonReload':
      return 'make systemd read its units again';
    case 'None':
      return 'nothing more to do';
    case 'Special':
      return 'reload crio';
    case 'Reload':
      return `reload ${action.service}`;
    case 'Restart':
      return `restart ${action.service}`;
    default:
      return unreachable(action);
  }
}
