/**
 * Resets the enablement of a unit to the machine's presets. A unit that systemd does not know has none, which is no failure.
 */
import { Failure } from '../../base/errors.ts';
import { quoted } from '../../base/text/index.ts';
import type { HostContext } from './context.ts';

export async function tryPreset({ host, log }: HostContext, unit: string): Promise<void> {
  try {
    await host.units.preset(unit);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'cancelled') throw error;
    log.line(`Failed to reset unit preset for ${quoted(unit)}: ${error.message}`);
  }
}
