/** The programs that ours are compared with, as Debian packages them; tests name those they need. */
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

export type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string };

const isRequired = process.env.MILLWRIGHT_REQUIRE_TOOLS === '1';

/** Where a program is; undefined where it is not there. */
export function programPath(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** For `describe.skipIf`: false where all are there, and where they must be, so that the tests fail then. */
export function lacks(...names: readonly string[]): boolean {
  const missing = names.filter((name) => programPath(name) === undefined);
  if (missing.length > 0 && !isRequired) {
    process.stderr.write(`skipped: ${missing.join(', ')} not installed\n`);
  }
  return missing.length > 0 && !isRequired;
}

/** No command of ours takes this long but one that hangs. */
const LIMIT_MS = 60_000;

export async function run(
  program: string,
  args: readonly string[],
  env: { readonly [name: string]: string } = {},
): Promise<Ran> {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, [...args], {
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
      maxBuffer: 16 * 1024 * 1024,
      env: { ...process.env, ...env },
    });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    return { code: typeof code === 'number' ? code : -1, stdout, stderr: stderr || String(error) };
  }
}

/** Its standard output; throws where it fails. */
export async function ok(
  program: string,
  args: readonly string[],
  env: { readonly [name: string]: string } = {},
): Promise<string> {
  const { code, stdout, stderr } = await run(program, args, env);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')}: ${code}\n${stdout}${stderr}`);
  return stdout;
}
