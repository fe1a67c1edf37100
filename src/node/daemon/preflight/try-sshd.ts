/**
 * Has sshd of the machine try the configuration that it will have: from a copy in /run, which nothing else reads.
 */
import type { Host } from '../../host/index.ts';
import { type PreflightChange, sshdTrial } from '../../preflight/index.ts';

const TRIAL = '/run/machine-config-daemon-preflight/ssh';
const CURRENT = '/etc/ssh/sshd_config';

/**
 * Why sshd refuses it; undefined where it accepts it, and where it refuses the present one too: then it is not the change that
 * it minds. `onNode`: the present files, by path.
 */
export async function trySshd(
  { checkSshd, files }: Host,
  change: PreflightChange,
  onNode: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const trial = sshdTrial(change, onNode, TRIAL);
  if (trial === undefined) return undefined;
  const present = await checkSshd(CURRENT);
  if (present === undefined || present.problem !== undefined) return undefined;
  try {
    for (const [path, text] of trial) {
      await files.write(path, { bytes: new TextEncoder().encode(text), mode: 0o600 });
    }
    return (await checkSshd(`${TRIAL}/sshd_config`))?.problem?.replaceAll(TRIAL, '/etc/ssh');
  } finally {
    await files.removeFolder(TRIAL);
  }
}
