/**
 * Validation of units and drop-ins.
 */
import type { Unit } from './config.ts';
import { fail, type Report, warn } from './report.ts';
import { parseUnitFile } from './unit-file.ts';

const UNIT_EXTENSIONS = new Set([
  '.service',
  '.socket',
  '.device',
  '.mount',
  '.automount',
  '.swap',
  '.target',
  '.path',
  '.timer',
  '.snapshot',
  '.slice',
  '.scope',
]);

export function validateSystemd(units: readonly Unit[], report: Report): void {
  units.forEach((unit, index) => {
    const path = `systemd.units[${index}]`;
    if (!UNIT_EXTENSIONS.has(extensionOf(unit.name))) {
      fail(report, `${path}.name`, 'invalid systemd unit extension');
    }
    const sections = checkContents(unit.contents, `${path}.contents`, report);
    if (unit.enabled === true && unit.contents && sections !== undefined && !sections.has('Install')) {
      const text = `unit ${JSON.stringify(unit.name)} is enabled, but has no install section so enable does nothing`;
      warn(report, `${path}.contents`, text);
    }
    unit.dropins?.forEach((dropin, position) => {
      const dropinPath = `${path}.dropins[${position}]`;
      checkContents(dropin.contents, `${dropinPath}.contents`, report);
      if (extensionOf(dropin.name) !== '.conf') {
        fail(report, `${dropinPath}.name`, 'invalid systemd drop-in extension');
      }
    });
  });
}

/** The paths of units and drop-ins with contents. */
export function systemdPaths(units: readonly Unit[]): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const unit of units) {
    if (unit.contents) paths.add(`/etc/systemd/system/${unit.name}`);
    for (const dropin of unit.dropins ?? []) {
      if (dropin.contents) paths.add(`/etc/systemd/system/${unit.name}.d/${dropin.name}`);
    }
  }
  return paths;
}

function checkContents(
  contents: string | undefined,
  path: string,
  report: Report,
): ReadonlySet<string> | undefined {
  if (contents === undefined) return new Set();
  const parsed = parseUnitFile(contents);
  if (parsed.kind === 'sections') return parsed.names;
  fail(report, path, `invalid unit content: ${parsed.message}`);
  return undefined;
}

function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot < 0 || dot < name.lastIndexOf('/') ? '' : name.slice(dot);
}
