/**
 * The programs that units start, and whether the machine has them.
 */
import { formatMode } from '../../config/ignition/index.ts';
import { DEFAULT_MODE, type NodeConfig, pathsOf } from '../plan/index.ts';
import type { Needs, PreflightSnapshot } from './check.ts';
import {
  kubeletCommandOf,
  preparingCommands,
  type Texts,
  textsAfter,
  textsBefore,
  unitFileNeeds,
} from './kubelet-command.ts';

/** The program in a command, without systemd's prefixes; undefined where its place is not known. */
export function programIn(command: string): string | undefined {
  return /^[-@:+!|]*(\/[^\s"'%$]+)/.exec(command)?.[1];
}

export function programPaths(program: string): readonly string[] {
  return [program, folderOf(program)];
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

/**
 * Whether the update starts a program that is not there: not on the machine, whose OS stays, and not in the config. Where
 * neither its folder nor the program before is seen, nothing can be said about the machine. A program that the unit had before is no news.
 */
export function isMissing(snapshot: PreflightSnapshot, { unit, program }: UnitProgram): boolean {
  const { to, node, change } = snapshot;
  if (node.nextOs !== 'booted' || change.extensions || pathsOf(to).includes(program)) return false;
  const before = programsBefore(snapshot, unit);
  const isKnown = [folderOf(program), ...before].some((path) => node.paths.get(path) === true);
  return !before.includes(program) && isKnown && node.paths.get(program) === false;
}

type UnitProgram = { readonly unit: string; readonly program: string };

/** The mode with which a config writes a program so that nobody can execute it; undefined where it does not. */
export function unexecutableMode({ ignition }: NodeConfig, program: string): string | undefined {
  const file = (ignition.storage?.files ?? []).find(({ path }) => path === program);
  const mode = file?.mode ?? DEFAULT_MODE;
  return file === undefined || (mode & 0o111) !== 0 ? undefined : formatMode(mode);
}

/** What `programsBefore` reads of the machine. */
export function programBeforeNeeds(unit: string): Needs {
  return { ...unitFileNeeds(unit), commandLines: [unit] };
}

/** Empty where the unit is new, or its commands are not known. The last one is that of `ExecStart`. */
export function programsBefore(snapshot: PreflightSnapshot, unit: string): readonly string[] {
  const found = programsFrom(textsBefore(snapshot), unit);
  const running = snapshot.node.commandLines.get(unit)?.[0];
  return found.length === 0 && running !== undefined ? [running] : found;
}

/** Without one of them the service does not start. The last one is that of `ExecStart`. */
export function programsAfter(snapshot: PreflightSnapshot, unit: string): readonly string[] {
  return programsFrom(textsAfter(snapshot), unit);
}

function programsFrom(texts: Texts, unit: string): readonly string[] {
  const commands = [...preparingCommands(texts, unit), kubeletCommandOf(texts, unit)?.words ?? []];
  return commands.flatMap(([word = '']) => programIn(word) ?? []);
}
