/**
 * Access to a server by a kubeconfig file: what kubectl uses, on a laptop or in CI.
 */
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Failure, formatProblem } from '../../base/errors.ts';
import { type Kubeconfig, parseKubeconfig, type Source } from './kubeconfig.ts';
import { type ServerAccess, tokenFrom } from './server-access.ts';

/** Of its current context, or of the given one. Throws a stalled `Failure` that says what to fix. */
export async function readKubeconfig(path: string, context?: string): Promise<ServerAccess> {
  const parsed = parseKubeconfig(await read(path, path), context);
  if (parsed.kind === 'invalid') {
    const why = parsed.problems.map(formatProblem).join('; ');
    throw new Failure('stalled', 'KubeconfigInvalid', `kubeconfig ${path}: ${why}`);
  }
  return accessOf(parsed.value, path);
}

async function accessOf(kubeconfig: Kubeconfig, path: string): Promise<ServerAccess> {
  const { server, serverName, isUnverified, namespace } = kubeconfig;
  const [authorityPem, certPem, keyPem] = await Promise.all(
    [kubeconfig.authority, kubeconfig.certificate, kubeconfig.key].map((source) => pemOf(source, path)),
  );
  const token = tokenOf(kubeconfig, path);
  return {
    url: server,
    ...(authorityPem === undefined ? {} : { authorityPem }),
    ...(serverName === undefined ? {} : { serverName }),
    ...(isUnverified ? { isUnverified } : {}),
    ...(certPem === undefined || keyPem === undefined ? {} : { certificate: { certPem, keyPem } }),
    ...(token === undefined ? {} : { token }),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

/** The file takes precedence, as with kubectl. */
function tokenOf({ token, tokenFile }: Kubeconfig, path: string): ServerAccess['token'] {
  if (tokenFile !== undefined) return tokenFrom(() => read(beside(path, tokenFile), path));
  return token === undefined ? undefined : () => Promise.resolve(token);
}

async function pemOf(source: Source | undefined, path: string): Promise<string | undefined> {
  if (source === undefined) return undefined;
  if (source.kind === 'base64') return Buffer.from(source.text, 'base64').toString();
  return read(beside(path, source.path), path);
}

/** Paths are relative to the kubeconfig. */
function beside(path: string, name: string): string {
  return resolve(dirname(path), name);
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
