import { X509Certificate } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { systemClock } from '../../base/env.ts';
import {
  createDataDir,
  ensureKubeconfig,
  ensurePki,
  inspectDataDir,
  storeFolderOf,
} from './data-dir-node.ts';
import { renewPki } from './pki/certificates-node.ts';
import type { StoredPki } from './pki/pki.ts';

let root = '';
let dir = '';
beforeEach(() => {
  root = fs.mkdtempSync(join(tmpdir(), 'millwright-data-'));
  dir = join(root, 'data');
});
afterEach(() => fs.rmSync(root, { recursive: true }));

const renew = (kept: StoredPki) => renewPki(kept, { clock: systemClock, hostName: 'here' });
const keep = () => {
  createDataDir(dir);
  return ensurePki(dir, renew);
};
const read = (name: string) => fs.readFileSync(join(dir, name), 'utf8');
const modeOf = (name: string) => (fs.statSync(join(dir, name)).mode & 0o777).toString(8);

describe('inspectDataDir of an unusable directory', () => {
  it.each<[string, string, string]>([
    ['below a file', 'file/data', 'not a directory'],
    ['where a file is', 'file', 'not a directory'],
    ['with a name that is too long', 'x'.repeat(300), 'file name too long'],
  ])('reports an unusable directory: %s', (_, name, why) => {
    fs.writeFileSync(join(root, 'file'), '');
    const path = join(root, name);
    expect(() => {
      inspectDataDir(path);
      createDataDir(path);
    }).toThrow(
      expect.objectContaining({
        kind: 'stalled',
        reason: 'DataDirUnusable',
        message: `the directory ${path} cannot be used: ${why}`,
      }),
    );
  });

  it('rejects a path where directories cannot be created', () => {
    expect(() => createDataDir('/proc/millwright/data')).toThrow(
      expect.objectContaining({ reason: 'DataDirUnusable' }),
    );
  });

  it.each<[string, () => void]>([
    ['any file', () => fs.writeFileSync(join(dir, 'notes.txt'), '')],
    ['another repository', () => fs.writeFileSync(join(dir, '.gitignore'), 'dist\n')],
    ['sources of some server', () => fs.mkdirSync(join(dir, 'apiserver/cmd'), { recursive: true })],
    ['keys of some cluster', () => fs.mkdirSync(join(dir, 'pki/etcd'), { recursive: true })],
    ['a kubeconfig alone', () => fs.writeFileSync(join(dir, 'kubeconfig'), '')],
  ])('rejects a directory with other contents and leaves it unchanged: %s', (_, fill) => {
    fs.mkdirSync(dir);
    fill();
    const before = fs.readdirSync(dir);
    expect(() => inspectDataDir(dir)).toThrow(
      expect.objectContaining({
        reason: 'DataDirForeign',
        message: `the directory ${dir} is not empty and is not a data directory of Millwright`,
      }),
    );
    expect(fs.readdirSync(dir)).toEqual(before);
  });

  it.each(['ca.crt', 'ca.key', 'token.key'])(
    'rejects a directory with a damaged %s and leaves it unchanged',
    (name) => {
      keep();
      const path = join(dir, 'pki', name);
      fs.writeFileSync(path, 'garbage\n');
      expect(keep).toThrow(expect.objectContaining({ kind: 'stalled', reason: 'PkiUnusable' }));
      expect(keep).toThrow(`${join(dir, 'pki')}: `);
      expect(keep).not.toThrow(/Error:|routines/);
      expect(fs.readFileSync(path, 'utf8')).toBe('garbage\n');
    },
  );
});

describe('inspectDataDir of a usable directory', () => {
  it.each<[string, 'new' | 'ours', () => void]>([
    ['it is not there', 'new', () => undefined],
    ['it is empty', 'new', () => fs.mkdirSync(dir)],
    ['it is a volume', 'new', () => fs.mkdirSync(join(dir, 'lost+found'), { recursive: true })],
    ['its first start was interrupted', 'new', () => createDataDir(dir)],
    ['it has objects', 'ours', () => fill('apiserver/data.mdb')],
    ['it is about to have objects', 'ours', () => fs.mkdirSync(join(dir, 'apiserver'), { recursive: true })],
    ['another process holds it', 'ours', () => fill('apiserver/holder-1-2')],
    ['it has keys', 'ours', () => keep()],
    ['it has keys and more', 'ours', () => [keep(), fill('nodes/a')]],
  ])('recognises the directory: %s', (_, state, prepare) => {
    prepare();
    const before = fs.existsSync(dir) ? fs.readdirSync(dir) : undefined;
    expect(inspectDataDir(dir)).toBe(state);
    expect(fs.existsSync(dir) ? fs.readdirSync(dir) : undefined).toEqual(before);
  });

  it('adds a .gitignore to a directory that it has created', () => {
    createDataDir(join(dir, 'below'));
    expect(read('below/.gitignore')).toBe('*\n');
    expect(fs.readdirSync(dir)).toEqual(['below']);
    fs.mkdirSync(join(dir, 'there'));
    createDataDir(join(dir, 'there'));
    expect(fs.readdirSync(join(dir, 'there'))).toEqual([]);
  });

  function fill(name: string): void {
    const path = join(dir, name);
    fs.mkdirSync(join(path, '..'), { recursive: true });
    fs.writeFileSync(path, '');
  }
});

describe('ensurePki', () => {
  it('creates keys and certificates once', () => {
    const first = keep();
    expect(keep()).toEqual(first);
    expect(new X509Certificate(read('pki/ca.crt')).ca).toBe(true);
    expect(read('pki/admin.crt')).toBe(first.admin.certPem);
    expect(read('pki/server.key')).toBe(first.server.keyPem);
    expect(Buffer.from(read('pki/token.key'), 'base64')).toEqual(Buffer.from(first.tokenKey));
  });

  it('creates keys readable by the owner only and ignored by git', () => {
    keep();
    expect(modeOf('')).toBe('700');
    expect(modeOf('pki')).toBe('700');
    for (const name of ['ca.key', 'server.key', 'admin.key', 'token.key']) {
      expect(modeOf(`pki/${name}`), name).toBe('600');
    }
    expect(read('.gitignore')).toBe('*\n');
    fs.chmodSync(join(dir, 'pki'), 0o755);
    fs.chmodSync(join(dir, 'pki/ca.key'), 0o644);
    keep();
    expect(modeOf('pki')).toBe('700');
    expect(modeOf('pki/ca.key')).toBe('600');
  });

  it.each([
    ['ca.crt', ['ca', 'server', 'admin']],
    ['ca.key', ['ca', 'server', 'admin']],
    ['server.crt', ['server']],
    ['admin.key', ['admin']],
  ])('recreates what depends on a missing %s', (missing, expected) => {
    keep();
    const names = ['ca', 'server', 'admin'];
    const before = names.map((name) => read(`pki/${name}.key`));
    const tokenKey = read('pki/token.key');
    fs.rmSync(join(dir, 'pki', missing));
    keep();
    const changed = names.filter((name, index) => read(`pki/${name}.key`) !== before[index]);
    expect(changed).toEqual(expected);
    expect(read('pki/token.key')).toBe(tokenKey);
    expect(fs.readdirSync(join(dir, 'pki')).sort()).toHaveLength(7);
  });

  it('recovers from files left over from a crash', () => {
    const first = keep();
    for (const name of ['ca.key.new', 'token.key.new']) fs.writeFileSync(join(dir, 'pki', name), 'half');
    fs.rmSync(join(dir, 'pki/server.crt'));
    fs.writeFileSync(join(dir, 'pki/server.key.new'), 'half', { mode: 0o666 });
    const second = keep();
    expect(second.authority).toEqual(first.authority);
    expect(modeOf('pki/server.key')).toBe('600');
    expect(keep()).toEqual(second);
  });
});

describe('ensureKubeconfig', () => {
  const SERVER = 'https://127.0.0.1:6443';

  it('refers to the server with the credentials of the administrator', () => {
    const pki = keep();
    const path = ensureKubeconfig(dir, SERVER, pki);
    expect(path).toBe(join(dir, 'kubeconfig'));
    expect(modeOf('kubeconfig')).toBe('600');
    const data = (pem: string) => Buffer.from(pem).toString('base64');
    expect(parse(read('kubeconfig'))).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'millwright',
          cluster: { server: SERVER, 'certificate-authority-data': data(pki.authority.certPem) },
        },
      ],
      contexts: [{ name: 'millwright', context: { cluster: 'millwright', user: 'millwright-admin' } }],
      'current-context': 'millwright',
      preferences: {},
      users: [
        {
          name: 'millwright-admin',
          user: {
            'client-certificate-data': data(pki.admin.certPem),
            'client-key-data': data(pki.admin.keyPem),
          },
        },
      ],
    });
  });

  it('leaves an up-to-date kubeconfig with its other entries unchanged', () => {
    const pki = keep();
    const path = ensureKubeconfig(dir, SERVER, pki);
    const text = read('kubeconfig').replace('    cluster: millwright\n', '$&    namespace: mine\n');
    expect(text).toContain('namespace: mine');
    fs.writeFileSync(path, text);
    fs.chmodSync(path, 0o644);
    ensureKubeconfig(dir, SERVER, pki);
    expect(read('kubeconfig')).toBe(text);
    expect(modeOf('kubeconfig')).toBe('600');
  });

  it.each<[string, (path: string) => void]>([
    ['the port is another', (path) => replace(path, ':6443', ':6444')],
    ['it is empty', (path) => fs.writeFileSync(path, '')],
    ['it is gone', (path) => fs.rmSync(path)],
    ['its key is another', (path) => replace(path, 'client-key-data: ', 'client-key-data: x')],
  ])('updates the kubeconfig when %s', (_, change) => {
    const pki = keep();
    const path = ensureKubeconfig(dir, SERVER, pki);
    const text = read('kubeconfig');
    change(path);
    ensureKubeconfig(dir, SERVER, pki);
    expect(read('kubeconfig')).toBe(text);
    expect(modeOf('kubeconfig')).toBe('600');
  });

  it.each([
    ['no YAML', '{'],
    ['something else', 'clusters: 1\nusers: [x]\n'],
    ['the way to another cluster', 'clusters: [{name: prod, cluster: {server: "https://prod"}}]\n'],
    ['two documents', 'clusters: [{name: millwright}]\n---\nclusters: [{name: millwright}]\n'],
  ])('rejects a kubeconfig with %s and leaves it unchanged', (_, text) => {
    const pki = keep();
    const path = ensureKubeconfig(dir, SERVER, pki);
    fs.writeFileSync(path, text);
    const refusal = expect.objectContaining({
      reason: 'KubeconfigForeign',
      message: `${path} refers to another cluster and is left unchanged`,
    });
    expect(() => inspectDataDir(dir)).toThrow(refusal);
    expect(() => ensureKubeconfig(dir, SERVER, pki)).toThrow(refusal);
    expect(read('kubeconfig')).toBe(text);
  });

  function replace(path: string, from: string, to: string): void {
    fs.writeFileSync(path, fs.readFileSync(path, 'utf8').replace(from, to));
  }
});

it('has a directory for the store', () => {
  expect(storeFolderOf('.millwright')).toBe(join('.millwright', 'apiserver'));
});
