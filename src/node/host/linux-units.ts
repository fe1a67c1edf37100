/**
 * Units of a real machine: `systemctl`.
 */
import { Failure } from '../../base/errors.ts';
import { isUnitName, unitName } from '../../config/systemd/index.ts';
import type { Commands } from './command-runner.ts';
import type { HostFiles, HostUnits } from './host.ts';

const CA_TRUST = 'coreos-update-ca-trust.service';

export function createLinuxUnits(commands: Commands, files: Pick<HostFiles, 'read'>): HostUnits {
  return {
    isEnabled: async (unit) => await isEnabled(commands, checked(unit)),
    isKnown: async (unit) => {
      const args = ['list-unit-files', '--no-legend', '--no-pager', checked(unit)];
      const { stdout } = await commands.try('systemctl', args);
      return stdout.trim() !== '';
    },
    async enable(units) {
      await combined(commands, { what: 'error enabling units', args: ['enable', ...units.map(checked)] });
    },
    async disable(units) {
      await combined(commands, { what: 'error disabling unit', args: ['disable', ...units.map(checked)] });
    },
    preset: async (unit) => await commands.run('systemctl', ['preset', checked(unit)]),
    reloadManager: () => commands.run('systemctl', ['daemon-reload']),
    reload: async (service) => await commands.run('systemctl', ['reload', checkedService(service)]),
    restart: async (service) => await restart(commands, checkedService(service)),
    commandLine: (service) => commandLine(commands, files, checked(service)),
    async failed() {
      const args = ['list-units', '--state=failed', '--no-legend'];
      return failedUnits(await commands.capture('systemctl', args));
    },
  };
}

/** The answer is on stdout, with any exit code; older versions print nothing for unknown units. */
async function isEnabled(commands: Commands, unit: string): Promise<string> {
  const { stdout } = await commands.try('systemctl', ['is-enabled', unit]);
  return stdout.trim().split('\n').at(-1)?.trim() || 'not-found';
}

async function commandLine(
  commands: Commands,
  files: Pick<HostFiles, 'read'>,
  service: string,
): Promise<readonly string[] | undefined> {
  const { stdout } = await commands.try('systemctl', ['show', '--property=MainPID', '--value', service]);
  const processId = Number(stdout.trim());
  if (!Number.isInteger(processId) || processId <= 0) return undefined;
  const bytes = await files.read(`/proc/${processId}/cmdline`, MAX_COMMAND_LINE_BYTES);
  const words = new TextDecoder().decode(bytes).split('\0').slice(0, -1);
  return words.length === 0 ? undefined : words;
}

const MAX_COMMAND_LINE_BYTES = 1024 ** 2;

async function combined(
  commands: Commands,
  { what, args }: { readonly what: string; readonly args: readonly string[] },
): Promise<void> {
  commands.log(`Running: systemctl ${args.join(' ')}`);
  const { stdout, stderr, exitCode } = await commands.try('systemctl', args);
  if (exitCode !== 0) throw new Failure('transient', 'CommandFailed', `${what}: ${stdout}${stderr}`);
}

async function restart(commands: Commands, service: string): Promise<void> {
  if (service !== CA_TRUST) return await commands.run('systemctl', ['restart', service]);
  try {
    await commands.run('systemctl', ['restart', service]);
  } catch {
    // Not every OS has the service, but all have the command that it runs.
    await commands.run('update-ca-trust', []);
  }
}

/** A failed unit may have a dot before its name. */
export function failedUnits(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim().split(/\s+/).find(isUnitName))
    .filter((name): name is string => name !== undefined);
}

function checked(unit: string): string {
  if (isUnitName(unit)) return unit;
  throw new Failure('stalled', 'InvalidUnitName', `invalid unit name ${JSON.stringify(unit)}`);
}

/** Services also have short names; the command gets the name unchanged. */
function checkedService(service: string): string {
  checked(unitName(service));
  return service;
}
