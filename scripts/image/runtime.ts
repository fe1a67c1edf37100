/**
 * What an image takes of the machine that makes it: Node with the libraries that it loads, and a static BusyBox for the shell of
 * `bin/millwright` and the programs that the daemon enters the host with. No base image and no registry are needed.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../../src/base/errors.ts';
import { findShell } from '../../src/embedded/sandbox/shell-node.ts';
import type { ImageFile, ImageFiles } from './layers.ts';

/** `bin/millwright` needs the first three, the daemon the next two. */
const APPLETS = ['sh', 'dirname', 'readlink', 'chroot', 'nsenter'];
/** Loaded by name where the C library does not contain them: names of hosts could not be resolved without. */
const RESOLVERS = ['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2'];
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64', ppc64: 'ppc64le' };

export type MachineRuntime = { readonly architecture: string; readonly files: ImageFiles };

export async function machineRuntime(): Promise<MachineRuntime> {
  const architecture = ARCHITECTURES[process.arch] ?? process.arch;
  const shell = await findShell(process.env.PATH);
  if (shell === undefined || shell.architecture !== architecture) {
    throw new Failure(
      'usage',
      'NoShell',
      `no static busybox for ${architecture} in PATH: install it (Debian: busybox-static)`,
    );
  }
  const files = new Map<string, ImageFile>([
    ...programWithLibraries(process.execPath, 'usr/bin/node'),
    ['usr/bin/busybox', { kind: 'file', content: shell.program, mode: 0o755 }],
    ...APPLETS.map((name): [string, ImageFile] => [
      `usr/bin/${name}`,
      { kind: 'symlink', target: 'busybox' },
    ]),
    ['bin', { kind: 'symlink', target: 'usr/bin' }],
  ]);
  return { architecture, files };
}

/** The libraries stay where the loader looks for them. */
export function programWithLibraries(program: string, path: string): ImageFiles {
  const libraries = parseLdd(ldd(program));
  const folder = dirname(libraries.find((name) => /\/libc\.so\./.test(name)) ?? '');
  const resolvers = RESOLVERS.map((name) => join(folder, name)).filter((name) => existsSync(name));
  return new Map([
    [path, machineFile(program, 0o755)],
    ...[...libraries, ...resolvers].map((name): [string, ImageFile] => [
      name.slice(1),
      machineFile(name, 0o755),
    ]),
  ]);
}

export function machineFile(path: string, mode: number): ImageFile {
  return { kind: 'file', content: readFileSync(realpathSync(path)), mode };
}

function ldd(program: string): string {
  try {
    return execFileSync('ldd', [program], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new Failure('usage', 'NoLibraries', `cannot find the libraries of ${program}: ${why}`);
  }
}

/** The absolute paths in the output of `ldd`, and none for a static program. */
export function parseLdd(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const missing = /^\s*(\S+) => not found/.exec(line)?.[1];
    if (missing !== undefined) {
      throw new Failure('usage', 'NoLibrary', `the library ${missing} is missing on this machine`);
    }
    const path = /^\s*(?:\S+ => )?(\/\S+) \(0x[0-9a-f]+\)$/.exec(line)?.[1];
    return path === undefined ? [] : [path];
  });
}
