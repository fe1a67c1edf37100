/**
 * Access to a server by a kubeconfig file: what kubectl uses, on a laptop or in CI.
 */
import { readFile } from 'node:fs/promises';
import { delimiter, dirname, resolve } from 'node:path';
import { Failure, formatProblem, type Outcome } from '../../base/errors.ts';
import {
  type Kubeconfig,
  type KubeconfigFile,
  kubeconfigContext,
  parseKubeconfig,
  type Reference,
  type Source,
} from './kubeconfig.ts';
import { type ServerAccess, tokenFrom } from './server-access.ts';

/** Of its current context, or of the given one. Throws a stalled `Failure` that says what to fix. */
export async function readKubeconfig(path: string, context?: string): Promise<ServerAccess> {
  return accessOf([await readFileOf(path)], context);
}

/** Of several, merged. Files that do not exist are left out, as kubectl does; `undefined` where none exists. */
export async function readKubeconfigs(
  paths: readonly string[],
  context?: string,
): Promise<ServerAccess | undefined> {
  const files: KubeconfigFile[] = [];
  for (const path of paths) {
    try {
      files.push(await readFileOf(path));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return files.length === 0 ? undefined : await accessOf(files, context);
}

function isMissing(error: unknown): boolean {
  if (!(error instanceof Failure) || error.reason !== 'KubeconfigUnreadable') return false;
  return error.cause instanceof Error && 'code' in error.cause && error.cause.code === 'ENOENT';
}

async function readFileOf(path: string): Promise<KubeconfigFile> {
  return valid(path, parseKubeconfig(path, await read(path, path)));
}

function valid<T>(path: string, outcome: Outcome<T>): T {
  if (outcome.kind === 'ok') return outcome.value;
  const why = outcome.problems.map(formatProblem).join('; ');
  throw new Failure('stalled', 'KubeconfigInvalid', `kubeconfig ${path}: ${why}`);
}

async function accessOf(files: readonly KubeconfigFile[], contextName?: string): Promise<ServerAccess> {
  const paths = files.map(({ path }) => path).join(delimiter);
  const kubeconfig = valid(paths, kubeconfigContext(files, contextName));
  const { server, serverName, isUnverified, namespace, context, path } = kubeconfig;
  const [authorityPem, certPem, keyPem] = await Promise.all(
    [kubeconfig.authority, kubeconfig.certificate, kubeconfig.key].map(pemOf),
  );
  const token = tokenOf(kubeconfig);
  return {
    url: server,
    origin: { kubeconfig: path, context },
    ...(authorityPem === undefined ? {} : { authorityPem }),
    ...(serverName === undefined ? {} : { serverName }),
    ...(isUnverified ? { isUnverified } : {}),
    ...(certPem === undefined || keyPem === undefined ? {} : { certificate: { certPem, keyPem } }),
    ...(token === undefined ? {} : { token }),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

/** The file takes precedence, as with kubectl. */
function tokenOf({ token, tokenFile }: Kubeconfig): ServerAccess['token'] {
  if (tokenFile !== undefined) return tokenFrom(() => readReference(tokenFile));
  return token === undefined ? undefined : () => Promise.resolve(token);
}

async function pemOf(source: Source | undefined): Promise<string | undefined> {
  if (source === undefined) return undefined;
  return source.kind === 'base64'
    ? Buffer.from(source.text, 'base64').toString()
    : await readReference(source);
}

function readReference({ path, from }: Reference): Promise<string> {
  return read(resolve(dirname(from), path), from);
}

async function read(file: string, kubeconfig: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const what = file === kubeconfig ? `kubeconfig ${file}` : `kubeconfig ${kubeconfig}: ${file}`;
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new Failure('stalled', 'KubeconfigUnreadable', `${what} cannot be read (${code})`, error);
  }
}
