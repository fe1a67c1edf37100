/**
 * `systemctl` of a sandbox: real enablement symlinks, recorded starts, and the error messages of systemctl.
 */
import { Failure } from '../../base/errors.ts';
import { isBadlySet, isUnitName, settings, unitName } from '../../config/systemd/index.ts';
import type { HostFiles, HostUnits } from '../../node/host/index.ts';
import {
  commandFailure,
  disableUnits,
  enablementOf,
  enableUnits,
  type FoundUnit,
  findUnit,
  type LinkOutcome,
  presetUnit,
} from '../../node/host/index.ts';
import { type ServiceBook, startedState } from './sandbox-services.ts';

type SandboxUnitsOptions = {
  readonly files: HostFiles;
  readonly services: ServiceBook;
  /** Injected failures of start and reload. */
  readonly isFailing: (unit: string) => boolean;
  /** Logs commands. */
  readonly log: (line: string) => void;
};

export function createSandboxUnits(options: SandboxUnitsOptions): HostUnits {
  const { files, services, log } = options;
  return {
    isEnabled: async (unit) => await enablementOf(files, checked(unit)),
    isKnown: async (unit) => (await findUnit(files, checked(unit))) !== undefined,
    async enable(units) {
      log(`Running: systemctl enable ${units.join(' ')}`);
      orThrow('error enabling units', await enableUnits(files, units.map(checked)));
    },
    async disable(units) {
      log(`Running: systemctl disable ${units.join(' ')}`);
      orThrow('error disabling unit', await disableUnits(files, units.map(checked)));
    },
    async preset(unit) {
      log(`Running: systemctl preset ${unit}`);
      const outcome = await presetUnit(files, checked(unit));
      if (outcome.kind === 'done') return;
      throw commandFailure({ command: 'systemctl', args: ['preset', unit], exitCode: 1, ...outcome });
    },
    async reloadManager() {
      log('Running: systemctl daemon-reload');
    },
    reload: (service) => reload(options, service),
    restart: (service) => restart(options, service),
    commandLine: (service) => commandLine(options, checked(service)),
    async failed() {
      return (await services.all()).filter(({ state }) => state === 'failed').map(({ name }) => name);
    },
  };
}

function checked(unit: string): string {
  if (isUnitName(unit)) return unit;
  throw new Failure('stalled', 'InvalidUnitName', `invalid unit name ${JSON.stringify(unit)}`);
}

function orThrow(what: string, outcome: LinkOutcome): void {
  if (outcome.kind === 'done') return;
  throw new Failure('transient', 'CommandFailed', `${what}: ${outcome.stderr}`);
}

/** There are no processes: it is what the unit file says. */
async function commandLine(
  { files, services }: SandboxUnitsOptions,
  service: string,
): Promise<readonly string[] | undefined> {
  if ((await services.find(service)).state !== 'active') return undefined;
  const found = await findUnit(files, service);
  const [command] = found === undefined ? [] : settings(found.unit, 'Service', 'ExecStart').slice(-1);
  return command?.split(/\s+/);
}

async function restart(
  { files, services, isFailing, log }: SandboxUnitsOptions,
  service: string,
): Promise<void> {
  log(`Running: systemctl restart ${service}`);
  const fail = failing('restart', service);
  const name = checked(unitName(service));
  const found = await startable(files, { name, verb: 'restart', fail });
  if (isBadlySet(name, found.unit)) {
    fail(`Failed to restart ${name}: Unit ${name} has a bad unit file setting.\n${seeStatus(name)}`, 1);
  }
  const before = await services.find(name);
  const state = startedState(found.unit, isFailing(name));
  await services.put([{ ...before, state, starts: before.starts + 1 }]);
  if (state === 'failed') {
    const why = 'failed because the control process exited with error code.';
    fail(`Job for ${name} ${why}\n${seeJournal(name)}`, 1);
  }
}

async function reload(
  { files, services, isFailing, log }: SandboxUnitsOptions,
  service: string,
): Promise<void> {
  log(`Running: systemctl reload ${service}`);
  const fail = failing('reload', service);
  const name = checked(unitName(service));
  const { unit } = await startable(files, { name, verb: 'reload', fail });
  if (settings(unit, 'Service', 'ExecReload').length === 0) {
    fail(
      `Failed to reload ${name}: Job type reload is not applicable for unit ${name}.\n${seeStatus(name)}`,
      1,
    );
  }
  const before = await services.find(name);
  if (before.state !== 'active') fail(`${name} is not active, cannot reload.\n`, 1);
  if (isFailing(name)) fail(`Job for ${name} failed.\n${seeJournal(name)}`, 1);
  await services.put([{ ...before, reloads: before.reloads + 1 }]);
}

const seeStatus = (name: string) => `See system logs and 'systemctl status ${name}' for details.\n`;
const seeJournal = (name: string) =>
  `See "systemctl status ${name}" and "journalctl -xeu ${name}" for details.\n`;

type Fail = (stderr: string, exitCode: number) => never;

function failing(verb: string, service: string): Fail {
  return (stderr, exitCode) => {
    throw commandFailure({ command: 'systemctl', args: [verb, service], stderr, exitCode });
  };
}

type Wanted = { readonly name: string; readonly verb: string; readonly fail: Fail };

async function startable(files: HostFiles, { name, verb, fail }: Wanted): Promise<FoundUnit> {
  const found = await findUnit(files, name);
  if (found === undefined) return fail(`Failed to ${verb} ${name}: Unit ${name} not found.\n`, 5);
  if (found.isMasked) return fail(`Failed to ${verb} ${name}: Unit ${name} is masked.\n`, 1);
  return found;
}
