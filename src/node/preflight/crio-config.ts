/**
 * The configuration of CRI-O as it will be: values with which it does not start, and programs that it needs and the node does not
 * have. What is wrong with a runtime other than the default one makes CRI-O pass over that runtime, and is not judged.
 */
import { inWalkOrder } from '../../base/text/index.ts';
import { type CrioFile, mergeCrioFiles, parseCrioFile } from '../../config/crio/index.ts';
import { pathsOf } from '../plan/index.ts';
import {
  type Finding,
  type Needs,
  type NodeFacts,
  type PreflightChange,
  type PreflightSnapshot,
  refusal,
  warning,
} from './check.ts';
import { CRIO_SERVICES, crioCommand, crioCommandNeeds, crioUnitPaths } from './crio-command.ts';
import { type CrioState, crioProblems, neededPlaces } from './crio-programs.ts';
import { KUBELET_SERVICES, type Texts, textsAfter, textsBefore } from './kubelet-command.ts';
import { mayInstall } from './program-sources.ts';
import { writtenPaths } from './written-texts.ts';

export const CRIO = 'cri-o';

/** Of the first round: how CRI-O is started. Then its files, and at last its programs. */
export function crioNeeds(change: PreflightChange, node: NodeFacts | undefined): Needs {
  if (writtenPaths(change).length === 0) return {};
  if (node === undefined) return crioCommandNeeds(textsAfter(change));
  if (node.runtime !== CRIO) return {};
  const snapshot = { ...change, node };
  const texts = textsAfter(snapshot);
  const needs = crioCommandNeeds(texts);
  const command = crioCommand(texts);
  if (command === undefined) return needs;
  const places = [texts, textsBefore(snapshot)].flatMap((known) => {
    const state = crioState(snapshot, known);
    return state === undefined ? [] : neededPlaces(state);
  });
  return {
    files: [...needs.files, command.configFile],
    folders: [...needs.folders, command.configFolder],
    paths: [...needs.paths, command.configFile, command.program, ...places],
  };
}

/** Problems that the update brings: a CRI-O that runs with the same ones accepts them. */
export function crioFindings(snapshot: PreflightSnapshot): readonly Finding[] {
  const { to, node, change } = snapshot;
  // Another OS may bring other files and programs, and another CRI-O.
  if (node.runtime !== CRIO || node.nextOs !== 'booted' || change.extensions) return [];
  const [textsNow, texts] = [textsBefore(snapshot), textsAfter(snapshot)];
  const after = crioState(snapshot, texts);
  // Where not even CRI-O itself is seen, nothing can be said about the machine.
  if (after === undefined || node.paths.get(after.command.program) !== true) return [];
  if (isLeft(snapshot, after)) return [];
  const subject = subjectOf(snapshot, after);
  if (subject === undefined) return [];
  const before = crioState(snapshot, textsNow);
  const known = new Set(
    before === undefined ? [] : crioProblems(before, textsNow.isThere).map(({ text }) => text),
  );
  return crioProblems(after, texts.isThere, to)
    .filter(({ text }) => !known.has(text))
    .map(({ text, remedy, places }) => {
      const why = `${text}, so cri-o would not run pods`;
      const users = [...CRIO_SERVICES, ...KUBELET_SERVICES];
      const isBrought = places !== undefined && mayInstall(snapshot, { paths: places, users });
      return isBrought ? warning(subject, { why, remedy }) : refusal(subject, { why, remedy });
    });
}

/** Undefined where a part of it is not known, or cannot be read: that is reported for the file. */
function crioState({ node }: Pick<PreflightSnapshot, 'node'>, texts: Texts): CrioState | undefined {
  const command = crioCommand(texts);
  if (command === undefined) return undefined;
  const { configFile, configFolder } = command;
  const files: CrioFile[] = [];
  const main = texts.isThere(configFile) === false ? [] : [configFile];
  for (const path of [...main, ...inWalkOrder(texts.below(configFolder))]) {
    const text = texts.textAt(path);
    const parsed = text === undefined ? undefined : parseCrioFile(text);
    if (parsed?.kind !== 'file') return undefined;
    files.push(parsed.file);
  }
  return { command, config: mergeCrioFiles(files, node.runtimeVersion), version: node.runtimeVersion };
}

function isConfig({ command }: CrioState, path: string): boolean {
  return path === command.configFile || path.startsWith(command.configFolder);
}

/** Whether a file leaves the configuration: one from before may come back. */
function isLeft({ from, to }: PreflightChange, state: CrioState): boolean {
  const ours = new Set(pathsOf(to));
  return pathsOf(from).some((path) => isConfig(state, path) && !ours.has(path));
}

/** What the update changes of CRI-O; undefined where it does not touch it. */
function subjectOf(snapshot: PreflightSnapshot, state: CrioState): string | undefined {
  const written = writtenPaths(snapshot);
  const configs = written.filter((path) => isConfig(state, path));
  if (configs.length > 0) return configs.join(', ');
  const others = new Set([...crioUnitPaths(textsAfter(snapshot)), ...neededPlaces(state)]);
  return written.some((path) => others.has(path)) ? state.command.service : undefined;
}
