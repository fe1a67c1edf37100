/**
 * What looks doubtful about units. Nothing is refused: an OS image, an extension or an administrator may bring what is missing.
 */
import { parseUnitFile, settings } from '../../config/systemd/index.ts';
import { type Check, type Finding, type PreflightChange, type PreflightSnapshot, warning } from './check.ts';
import { essentialServices } from './kubelet-program.ts';
import { unitPresence } from './unit-presence.ts';
import { isMissing, programBeforeNeeds, programIn, programPaths, unexecutableMode } from './unit-programs.ts';

export const doubtfulUnits: Check = {
  name: 'doubtful-units',
  needs(change, node) {
    const programs = changedUnits(change).flatMap(programOf);
    // Of the others, what they were started with before is of no interest.
    const missing = programs.filter(({ program }) => node?.paths.get(program) === false);
    const before = missing.map(({ unit }) => programBeforeNeeds(unit));
    return {
      units: dropinUnits(change),
      paths: programs.flatMap(({ program }) => programPaths(program)),
      files: before.flatMap(({ files }) => files ?? []),
      folders: before.flatMap(({ folders }) => folders ?? []),
      commandLines: before.flatMap(({ commandLines }) => commandLines ?? []),
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

/** Of an enabled service. */
function programOf({ name, enabled, contents }: Unit) {
  if (enabled !== true || !contents) return [];
  const [command = ''] = settings(parseUnitFile(contents), 'Service', 'ExecStart');
  const program = programIn(command);
  return program === undefined ? [] : [{ unit: name, program }];
}

function programFindings(snapshot: PreflightSnapshot): readonly Finding[] {
  const elsewhere = new Set(essentialServices(snapshot.node.runtime));
  return changedUnits(snapshot)
    .flatMap(programOf)
    .filter(({ unit }) => !elsewhere.has(unit))
    .flatMap(({ unit, program }) => {
      if (isMissing(snapshot, { unit, program })) {
        return [warning(unit, { why: `its program ${program} does not exist on the node` })];
      }
      const mode = unexecutableMode(snapshot.to, program);
      if (mode === undefined) return [];
      const why = `the config writes its program ${program} with mode ${mode}, so that nobody can execute it`;
      return [warning(unit, { why, remedy: 'set mode 0755' })];
    });
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
