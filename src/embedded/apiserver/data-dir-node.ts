/**
 * The data directory of an embedded cluster:
 *
 *     DIR/apiserver/    the objects (`store-node.ts`, which also locks them for one process)
 *     DIR/pki/          ca, server and admin, each as .crt and .key, and token.key
 *     DIR/kubeconfig    for the administrator
 *     DIR/.gitignore    keeps keys out of repositories; only in directories that we created
 *
 * Secrets are readable by the owner only. Files are replaced atomically and flushed. A directory with other contents is
 * not touched. The caller opens the store before it asks for keys.
 */
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../../base/errors.ts';
import type { PemPair } from '../../certificates/index.ts';
import { errnoOf, osErrorMessage } from './os-error.ts';
import { isOurKubeconfig, updatedKubeconfig } from './pki/kubeconfig.ts';
import type { Pki, StoredPki } from './pki/pki.ts';

export function storeFolderOf(dataDir: string): string {
  return join(dataDir, 'apiserver');
}

function pkiFolderOf(dataDir: string): string {
  return join(dataDir, 'pki');
}

function kubeconfigPathOf(dataDir: string): string {
  return join(dataDir, 'kubeconfig');
}

/**
 * Whether the directory belongs to a cluster or can be used for a new one. Writes nothing. Throws a `Failure` if it
 * contains something else (`DataDirForeign`, `KubeconfigForeign`) or cannot be read (`DataDirUnusable`).
 */
export function inspectDataDir(dataDir: string): 'new' | 'ours' {
  return using(dataDir, () => {
    const names = namesIn(dataDir);
    if (names === undefined) return 'new';
    const isOurs =
      isStore(storeFolderOf(dataDir)) ||
      fs.statSync(join(pkiFolderOf(dataDir), TOKEN_KEY), { throwIfNoEntry: false }) !== undefined;
    if (!isOurs && !names.every((name) => isNothing(dataDir, name))) {
      const message = `the directory ${dataDir} is not empty and is not a data directory of Millwright`;
      throw new Failure('stalled', 'DataDirForeign', message);
    }
    const kubeconfig = readIfThere(kubeconfigPathOf(dataDir));
    if (kubeconfig !== undefined && !isOurKubeconfig(kubeconfig)) throw foreignKubeconfig(dataDir);
    return isOurs ? 'ours' : 'new';
  });
}

/** Creates the directory if missing. */
export function createDataDir(dataDir: string): void {
  using(dataDir, () => {
    if (makeFolder(dataDir)) writeWhole(join(dataDir, '.gitignore'), IGNORE_ALL, PUBLIC_FILE);
  });
}

/**
 * The keys and certificates of the directory: `renew` gets the existing ones and returns those to use. Throws a
 * `Failure` if they (`PkiUnusable`) or the directory (`DataDirUnusable`) cannot be used.
 */
export function ensurePki(dataDir: string, renew: (kept: StoredPki) => Pki): Pki {
  return using(dataDir, () => {
    const folder = pkiFolderOf(dataDir);
    makeFolder(folder);
    fs.chmodSync(folder, PRIVATE_FOLDER);
    const kept = readPki(folder);
    const pki = renewed(folder, () => renew(kept));
    for (const [part, name] of PAIRS) {
      if (pki[part] !== kept[part]) writePair(folder, name, pki[part]);
    }
    if (pki.tokenKey !== kept.tokenKey) writeTokenKey(folder, pki.tokenKey);
    return pki;
  });
}

/**
 * Makes DIR/kubeconfig refer to the server and returns its path. Other entries stay unchanged. Throws a `Failure`
 * (`KubeconfigForeign`) if it is not ours.
 */
export function ensureKubeconfig(dataDir: string, server: string, { authority, admin }: Pki): string {
  return using(dataDir, () => {
    const path = kubeconfigPathOf(dataDir);
    const text = readIfThere(path);
    const updated = updatedKubeconfig(text, {
      server,
      authority: authority.certPem,
      certificate: admin.certPem,
      key: admin.keyPem,
    });
    if (updated === undefined) throw foreignKubeconfig(dataDir);
    if (updated === text) makePrivate(path);
    else writeWhole(path, updated, PRIVATE_FILE);
    return path;
  });
}

/** Reports errors of the action with the directory. */
function using<T>(dataDir: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof Failure) throw error;
    // The directory was readable before, so creating something failed.
    const why = errnoOf(error) === 'ENOENT' ? 'nothing can be made there' : osErrorMessage(error);
    const message = `the directory ${dataDir} cannot be used: ${why}`;
    throw new Failure('stalled', 'DataDirUnusable', message, error);
  }
}

const IGNORE_ALL = '*\n';

/** What an empty volume contains, and what an interrupted first start leaves behind. */
function isNothing(dataDir: string, name: string): boolean {
  if (name === '.gitignore') return readIfThere(join(dataDir, name)) === IGNORE_ALL;
  return name === 'lost+found' || name === '.gitignore.new';
}

/** Other programs use this name too. */
function isStore(folder: string): boolean {
  const names = namesIn(folder, 'ENOTDIR');
  return (
    names !== undefined && (names.length === 0 || names.some((name) => /^(data\.mdb$|holder-)/.test(name)))
  );
}

function namesIn(folder: string, ...harmless: readonly string[]): readonly string[] | undefined {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (['ENOENT', ...harmless].includes(errnoOf(error))) return undefined;
    throw error;
  }
}

function foreignKubeconfig(dataDir: string): Failure {
  const message = `${kubeconfigPathOf(dataDir)} refers to another cluster and is left unchanged`;
  return new Failure('stalled', 'KubeconfigForeign', message);
}

const TOKEN_KEY = 'token.key';
const PAIRS = [
  ['authority', 'ca'],
  ['server', 'server'],
  ['admin', 'admin'],
] as const satisfies readonly (readonly [keyof Pki, string])[];

function readPki(folder: string): StoredPki {
  const pair = (name: string): PemPair | undefined => {
    const certPem = readIfThere(join(folder, `${name}.crt`));
    const keyPem = readSecret(join(folder, `${name}.key`));
    return certPem === undefined || keyPem === undefined ? undefined : { certPem, keyPem };
  };
  const found = PAIRS.flatMap(([part, name]) => {
    const kept = pair(name);
    return kept === undefined ? [] : [[part, kept] as const];
  });
  const text = readSecret(join(folder, TOKEN_KEY));
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
    const advice = 'move the directory away to create it again';
    throw new Failure(error.kind, error.reason, `${folder}: ${error.message}: ${advice}`, error);
  }
}

/** The certificate is removed first and written last, so that a crash leaves no mismatched pair. */
function writePair(folder: string, name: string, { certPem, keyPem }: PemPair): void {
  const certPath = join(folder, `${name}.crt`);
  fs.rmSync(certPath, { force: true });
  flushFolder(folder);
  writeWhole(join(folder, `${name}.key`), keyPem, PRIVATE_FILE);
  writeWhole(certPath, certPem, PUBLIC_FILE);
}

function writeTokenKey(folder: string, key: Uint8Array): void {
  writeWhole(join(folder, TOKEN_KEY), `${Buffer.from(key).toString('base64')}\n`, PRIVATE_FILE);
}

const PRIVATE_FILE = 0o600;
const PUBLIC_FILE = 0o644;
const PRIVATE_FOLDER = 0o700;

/**
 * Creates the directory and missing parents, accessible by the owner only. Returns whether it was missing.
 *
 * Not with Node's `recursive`, which loops forever where directories cannot be created, such as in /proc.
 */
function makeFolder(path: string): boolean {
  if (isFolder(path)) return false;
  const parent = dirname(path);
  if (parent !== path && !isFolder(parent)) makeFolder(parent);
  try {
    fs.mkdirSync(path, { mode: PRIVATE_FOLDER });
    return true;
  } catch (error) {
    // Another process may have created it.
    if (errnoOf(error) === 'EEXIST' && isFolder(path)) return false;
    throw error;
  }
}

function isFolder(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Replaces the file in one step, and flushes it: a crash leaves the old or the new. */
function writeWhole(path: string, text: string, mode: number): void {
  const unfinished = `${path}.new`;
  // One left over from a crash may have other permissions.
  fs.rmSync(unfinished, { force: true });
  const file = fs.openSync(unfinished, 'wx', mode);
  try {
    fs.writeFileSync(file, text);
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
  fs.renameSync(unfinished, path);
  flushFolder(dirname(path));
}

/** Directory entries are durable only once the directory is flushed. */
function flushFolder(folder: string): void {
  const handle = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function readSecret(path: string): string | undefined {
  const content = readIfThere(path);
  if (content !== undefined) makePrivate(path);
  return content;
}

/** A copy of the directory may have lost its permissions. */
function makePrivate(path: string): void {
  if ((fs.statSync(path).mode & 0o077) !== 0) fs.chmodSync(path, PRIVATE_FILE);
}
