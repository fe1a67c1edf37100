/**
 * The folder in which an embedded cluster lives:
 *
 *     DIR/apiserver/    the objects (`store-node.ts`, which also sees to it that one process at a time uses them)
 *     DIR/pki/          ca, server and admin, each as .crt and .key, and token.key
 *     DIR/kubeconfig    for the administrator
 *     DIR/.gitignore    keys have no place in a repository
 *
 * Whatever is secret is for its owner alone. Files are replaced in one step and flushed, so that a crash leaves the old
 * or the new. The caller holds the store before it asks for anything here.
 */
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../errors.ts';
import { formatKubeconfig, leadsTo } from './kubeconfig.ts';
import type { KeptPki, PemPair, Pki } from './pki.ts';

const PRIVATE_FILE = 0o600;
const PUBLIC_FILE = 0o644;
const PRIVATE_FOLDER = 0o700;

export type { Pki } from './pki.ts';

export function storeFolderOf(dataDir: string): string {
  return join(dataDir, 'apiserver');
}

export function kubeconfigPathOf(dataDir: string): string {
  return join(dataDir, 'kubeconfig');
}

/**
 * The keys and certificates of the folder: `renew` is given what is there and says what there should be. Throws a
 * `Failure` when what is there cannot be used (`PkiUnusable`) or the folder cannot (`DataDirUnusable`).
 */
export function keepPki(dataDir: string, renew: (kept: KeptPki) => Pki): Pki {
  return using(dataDir, () => {
    const folder = join(dataDir, 'pki');
    fs.mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
    fs.chmodSync(folder, PRIVATE_FOLDER);
    ignoreInGit(dataDir);
    const kept = readPki(folder);
    const pki = renewed(folder, () => renew(kept));
    for (const [part, name] of PAIRS) {
      if (pki[part] !== kept[part]) writePair(folder, name, pki[part]);
    }
    if (pki.tokenKey !== kept.tokenKey) writeTokenKey(folder, pki.tokenKey);
    return pki;
  });
}

/** Makes DIR/kubeconfig lead to the server, and returns its path. One that does already is left as it is. */
export function keepKubeconfig(dataDir: string, server: string, { authority, admin }: Pki): string {
  return using(dataDir, () => {
    const path = kubeconfigPathOf(dataDir);
    const content = {
      ...{ server, authority: authority.certPem },
      ...{ certificate: admin.certPem, key: admin.keyPem },
    };
    const text = readIfThere(path)?.toString();
    if (text === undefined || !leadsTo(text, content)) {
      writeWhole(path, formatKubeconfig(content), PRIVATE_FILE);
    } else makePrivate(path);
    return path;
  });
}

const PAIRS = [
  ['authority', 'ca'],
  ['server', 'server'],
  ['admin', 'admin'],
] as const satisfies readonly (readonly [keyof Pki, string])[];
const TOKEN_KEY = 'token.key';

function readPki(folder: string): KeptPki {
  const pair = (name: string): PemPair | undefined => {
    const certPem = readIfThere(join(folder, `${name}.crt`))?.toString();
    const keyPem = readSecret(join(folder, `${name}.key`))?.toString();
    return certPem === undefined || keyPem === undefined ? undefined : { certPem, keyPem };
  };
  const found = PAIRS.flatMap(([part, name]) => {
    const kept = pair(name);
    return kept === undefined ? [] : [[part, kept] as const];
  });
  const text = readSecret(join(folder, TOKEN_KEY))?.toString();
  return {
    ...Object.fromEntries(found),
    ...(text !== undefined && { tokenKey: Buffer.from(text.trim(), 'base64') }),
  };
}

function renewed(folder: string, renew: () => Pki): Pki {
  try {
    return renew();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const advice = 'move the folder away to have it made anew';
    throw new Failure(error.kind, error.reason, `${folder}: ${error.message}: ${advice}`, error);
  }
}

/** The certificate goes first and comes back last: a crash between leaves no pair of two that do not fit. */
function writePair(folder: string, name: string, { certPem, keyPem }: PemPair): void {
  const certPath = join(folder, `${name}.crt`);
  fs.rmSync(certPath, { force: true });
  flush(folder);
  writeWhole(join(folder, `${name}.key`), keyPem, PRIVATE_FILE);
  writeWhole(certPath, certPem, PUBLIC_FILE);
}

function writeTokenKey(folder: string, key: Uint8Array): void {
  writeWhole(join(folder, TOKEN_KEY), `${Buffer.from(key).toString('base64')}\n`, PRIVATE_FILE);
}

function ignoreInGit(dataDir: string): void {
  const path = join(dataDir, '.gitignore');
  if (!fs.existsSync(path)) writeWhole(path, '*\n', PUBLIC_FILE);
}

function writeWhole(path: string, text: string, mode: number): void {
  const unfinished = `${path}.new`;
  // One that a crash left behind may be open to others.
  fs.rmSync(unfinished, { force: true });
  const file = fs.openSync(unfinished, 'wx', mode);
  try {
    fs.writeFileSync(file, text);
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
  fs.renameSync(unfinished, path);
  flush(dirname(path));
}

function flush(folder: string): void {
  const handle = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

function readSecret(path: string): Buffer | undefined {
  const content = readIfThere(path);
  if (content !== undefined) makePrivate(path);
  return content;
}

/** Somebody may have copied the folder about without much thought. */
function makePrivate(path: string): void {
  if ((fs.statSync(path).mode & 0o077) !== 0) fs.chmodSync(path, PRIVATE_FILE);
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return fs.readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function using<T>(dataDir: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('stalled', 'DataDirUnusable', `using the folder ${dataDir}: ${String(error)}`, error);
  }
}
