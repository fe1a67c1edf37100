/**
 * What looks doubtful about units. Nothing is refused: an OS image, an extension or an administrator may bring what is missing.
 */
import { parseUnitFile, settings } from '../../config/systemd/index.ts';
import { type Check, type Finding, type PreflightChange, type PreflightSnapshot, warning } from './check.ts';
import { unitPresence } from './unit-presence.ts';
import { configText } from './written-texts.ts';

export const doubtfulUnits: Check = {
  name: 'doubtful-units',
  needs(change) {
    const programs = changedUnits(change).flatMap(programOf);
    return {
      units: dropinUnits(change),
      paths: programs.flatMap((program) => [program, folderOf(program)]),
    };
  },
  run: (snapshot) => [...programFindings(snapshot), ...dropinFindings(snapshot)],
};

function changedUnits({ to, change, isForced }: PreflightChange) {
  const changed = new Set(change.changedUnits);
  const units = (to.ignition.systemd?.units ?? []).filter(({ name }) => isForced || changed.has(name));
  return [...units].sort((a, b) => (a.name < b.name ? -1 : 1));
}

type Unit = ReturnType<typeof changedUnits>[number];

/** Of an enabled service: the first word of its command, without systemd's prefixes. */
function programOf({ enabled, contents }: Unit): readonly string[] {
  if (enabled !== true || !contents) return [];
  const [command = ''] = settings(parseUnitFile(contents), 'Service', 'ExecStart');
  const program = /^[-@:+!|]*(\/[^\s"'%$]+)/.exec(command)?.[1];
  return program === undefined ? [] : [program];
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

function programFindings(snapshot: PreflightSnapshot): readonly Finding[] {
  const { to, node } = snapshot;
  if (node.nextOs !== 'booted' || snapshot.change.extensions) return [];
  return changedUnits(snapshot).flatMap((unit) =>
    programOf(unit)
      // In a folder that is missing too, nothing can be said about the machine.
      .filter((program) => node.paths.get(program) === false && node.paths.get(folderOf(program)) === true)
      .filter((program) => configText(to, program) === undefined)
      .map((program) => warning(unit.name, { why: `its program ${program} does not exist on the node` })),
  );
}

/** Units of which the config has drop-ins alone. */
function dropinUnits(change: PreflightChange): readonly string[] {
  return changedUnits(change)
    .filter(({ contents, mask, dropins }) => !contents && mask !== true && (dropins ?? []).length > 0)
    .map(({ name }) => name);
}

function dropinFindings(snapshot: PreflightSnapshot): readonly Finding[] {
  return dropinUnits(snapshot)
    .filter((name) => unitPresence(snapshot, name) === 'absent')
    .map((name) => warning(name, { why: 'the config has drop-ins for it, and the node has no such unit' }));
}
