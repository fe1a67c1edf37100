/**
 * Enablement as the machine's presets have it. A unit that systemd does not know has none, and nothing is wrong with that.
 */
import { Failure } from '../../base/errors.ts';
import { quoted } from '../../base/text/index.ts';
import type { Work } from './context.ts';

export async function presetLeniently({ host, log }: Work, unit: string): Promise<void> {
  try {
    await host.units.preset(unit);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'cancelled') throw error;
    log.line(`Failed to reset unit preset for ${quoted(unit)}: ${error.message}`);
  }
}
