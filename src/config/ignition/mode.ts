/**
 * File modes: decimal numbers in Ignition, shown in octal.
 */

/** The bits of a mode: permissions and the special bits. */
export const MAX_MODE = 0o7777;
const MAX_PLAIN_MODE = 0o777;

/** `420` → `0644`. */
export function formatMode(mode: number): string {
  return `0${mode.toString(8)}`;
}

/**
 * Files must not have the setuid, setgid and sticky bits, in configs of every version; directories may. Nearly always they
 * are a forgotten zero: decimal 644 is octal 01204.
 */
export function fileModeProblem({
  path,
  mode = 0,
}: {
  readonly path: string;
  readonly mode?: number;
}): string | undefined {
  if (mode <= MAX_PLAIN_MODE) return undefined;
  return `invalid mode ${formatMode(mode)} for ${path}, cannot exceed ${formatMode(MAX_PLAIN_MODE)}`;
}
