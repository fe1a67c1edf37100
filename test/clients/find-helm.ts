/** Helm 3: the one in the path, or one that is built once from the module that `helm/go.mod` pins. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Unavailable } from '../oracle/oracle.ts';
import { goProgram } from '../support/go-programs.ts';

/** With `MILLWRIGHT_REQUIRE_TOOLS=1` none is an error. */
export async function findHelm(): Promise<string | Unavailable> {
  const found = (await isHelm('helm')) ? 'helm' : await builtHelm();
  if (typeof found !== 'string' && process.env.MILLWRIGHT_REQUIRE_TOOLS === '1') {
    throw new Error(`helm is required but unavailable: ${found.unavailable}`);
  }
  return found;
}

function isHelm(program: string): Promise<boolean> {
  return promisify(execFile)(program, ['version', '--short']).then(
    ({ stdout }) => stdout.startsWith('v3.'),
    () => false,
  );
}

function builtHelm(): Promise<string | Unavailable> {
  return goProgram({
    name: 'helm',
    cache: 'helm',
    folder: fileURLToPath(new URL('helm', import.meta.url)),
    package: 'helm.sh/helm/v3/cmd/helm',
    flags: ['-trimpath', '-buildvcs=false'],
  });
}
