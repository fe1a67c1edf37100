/**
 * What the kubelet keeps of its managers of CPUs and memory: with the state of another policy it does not start, and nothing but a
 * unit that deletes the file before helps.
 */
import { isObject, own } from '../../base/json.ts';
import type { Fields, Flags } from '../../config/kubelet/index.ts';
import { pathsOf } from '../plan/index.ts';
import { type Finding, type PreflightSnapshot, refusal } from './check.ts';
import { flagValue } from './kubelet-arguments.ts';
import { kubeletUnitOf, textsAfter } from './kubelet-command.ts';
import { parsedYaml } from './parse-problem.ts';
import { configText } from './written-texts.ts';

/** Each with its state, and the policy where none is set. */
const MANAGERS = [
  { field: 'cpuManagerPolicy', file: 'cpu_manager_state', unset: 'none' },
  { field: 'memoryManagerPolicy', file: 'memory_manager_state', unset: 'None' },
] as const;

/** What `managerFindings` reads of the machine. */
export function managerFiles(flags: Flags | undefined): readonly string[] {
  return MANAGERS.map(({ file }) => statePath(flags, file));
}

function statePath(flags: Flags | undefined, file: string): string {
  const folder = (flags === undefined ? undefined : flagValue(flags, 'root-dir')) || '/var/lib/kubelet';
  return `${folder.replace(/\/+$/, '')}/${file}`;
}

type Configured = {
  readonly subject: string;
  /** With defaults and flags. */
  readonly configuration: Fields;
  readonly flags: Flags;
  /** Where it is known: a policy that does not change is no news. */
  readonly before: Fields | undefined;
};

export function managerFindings(
  snapshot: PreflightSnapshot,
  { subject, configuration, flags, before }: Configured,
): readonly Finding[] {
  return MANAGERS.flatMap(({ field, file, unset }) => {
    const path = statePath(flags, file);
    const kept = policyIn(snapshot.node.files.get(path));
    const policy = own(configuration, field) || unset;
    const isNews = before === undefined || (own(before, field) || unset) !== policy;
    if (kept === undefined || kept === policy || !isNews || isDeleted(snapshot, file)) return [];
    const why = `with it, the kubelet would not start: ${field} is ${policy}, and ${path} has the state of the policy ${kept}`;
    const remedy = `add a unit that deletes the file: Before=kubelet.service, ExecStart=/usr/bin/rm --force ${path}`;
    return [refusal(subject, { why, remedy })];
  });
}

/** JSON is YAML. */
function policyIn(text: string | undefined): string | undefined {
  const parsed = text === undefined ? undefined : parsedYaml(text);
  const policy = parsed?.kind === 'value' && isObject(parsed.value) ? own(parsed.value, 'policyName') : '';
  return typeof policy === 'string' && policy !== '' ? policy : undefined;
}

/** Whether a unit of the config, the unit of the kubelet, or a script of the config names the file: it then deletes it. */
function isDeleted(snapshot: PreflightSnapshot, file: string): boolean {
  const { texts } = kubeletUnitOf(textsAfter(snapshot), 'kubelet.service');
  const ours = pathsOf(snapshot.to).map((path) => configText(snapshot.to, path) ?? '');
  return [...texts, ...ours].some((text) => text.includes(file));
}
