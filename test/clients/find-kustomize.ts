/** kustomize 5: the one in the path, or one that is built once from the module that `kustomize-program/go.mod` pins. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Unavailable } from '../oracle/oracle.ts';
import { goProgram } from '../support/go-programs.ts';

/** With `MILLWRIGHT_REQUIRE_TOOLS=1` none is an error. */
export async function findKustomize(): Promise<string | Unavailable> {
  const found = (await isKustomize('kustomize')) ? 'kustomize' : await builtKustomize();
  if (typeof found !== 'string' && process.env.MILLWRIGHT_REQUIRE_TOOLS === '1') {
    throw new Error(`kustomize is required but unavailable: ${found.unavailable}`);
  }
  return found;
}

function isKustomize(program: string): Promise<boolean> {
  return promisify(execFile)(program, ['version']).then(
    ({ stdout }) => stdout.startsWith('v5.'),
    () => false,
  );
}

function builtKustomize(): Promise<string | Unavailable> {
  return goProgram({
    name: 'kustomize',
    cache: 'kustomize',
    folder: fileURLToPath(new URL('kustomize-program', import.meta.url)),
    package: 'sigs.k8s.io/kustomize/kustomize/v5',
    flags: ['-trimpath', '-buildvcs=false'],
  });
}
