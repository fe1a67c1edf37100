/** What `npm run image` puts into the image of Millwright, without the files of the machine. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assembleImage, type ImageFile, type ImageFiles } from '../../scripts/image/layers.ts';
import { imageLabels, MILLWRIGHT_RUNTIME, NOBODY, rootFiles } from '../../scripts/image/millwright-image.ts';
import { ociArchive } from '../../scripts/image/oci-archive.ts';
import { programFiles } from '../../scripts/image/program.ts';
import { parseLdd } from '../../scripts/image/runtime.ts';
import { containerfileProblems } from '../../src/images/builds/containerfile-syntax.ts';
import { digestOf, untar } from '../../src/images/index.ts';

const root = process.cwd();
const HOME = 'opt/millwright';
let program: ImageFiles;
let folder: string;

beforeAll(async () => {
  program = await programFiles(root);
  folder = mkdtempSync(join(tmpdir(), 'millwright-image-'));
  for (const [path, file] of program) if (file.kind === 'file') place(path, file);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function place(path: string, file: ImageFile & { readonly kind: 'file' }): void {
  mkdirSync(join(folder, dirname(path)), { recursive: true });
  writeFileSync(join(folder, path), file.content);
  chmodSync(join(folder, path), file.mode);
}

function texts(pattern: RegExp): readonly (readonly [path: string, text: string])[] {
  return [...program].flatMap(([path, file]) =>
    file.kind === 'file' && pattern.test(path)
      ? [[path, new TextDecoder().decode(file.content)] as const]
      : [],
  );
}

describe('the files of Millwright in its image', () => {
  it('are the program, the manifests and the templates, and nothing of development', () => {
    const allowed = [
      /^opt\/millwright\/(bin\/millwright|package\.json)$/,
      /^opt\/millwright\/dist\/[^/]+\.js$/,
      /^opt\/millwright\/(manifests|templates)\//,
      /^usr\/local\/bin\/millwright$/,
    ];
    expect([...program.keys()].filter((path) => !allowed.some((one) => one.test(path)))).toEqual([]);
    expect([...program.keys()].filter((path) => /\.map$|\.ts$|test|node_modules/.test(path))).toEqual([]);
  });

  it('contain nothing of the embedded cluster, and need no package', () => {
    const code = texts(/\.js$/);
    expect(code.filter(([, text]) => text.includes('// src/embedded/')).map(([path]) => path)).toEqual([]);
    const imports = code.flatMap(([, text]) =>
      [...text.matchAll(/^(?:import|\})[^"\n]* ?"([^"\n]+)";$|\bimport\("([^"\n]+)"\)/gm)].map(
        ([, line, call]) => line ?? call ?? '',
      ),
    );
    const isBuiltin = (name: string) => builtinModules.includes(name.replace(/^node:/, ''));
    expect(imports.filter((name) => !name.startsWith('./') && !isBuiltin(name))).toEqual([]);
    expect(imports.filter((name) => name.startsWith('./')).length).toBeGreaterThan(50);
    for (const name of imports.filter((one) => one.startsWith('./'))) {
      expect(program.has(`${HOME}/dist/${name.slice(2)}`), name).toBe(true);
    }
  });

  it('contain no path of the machine and no key', () => {
    const everything = texts(/./);
    expect(everything.filter(([, text]) => text.includes(root)).map(([path]) => path)).toEqual([]);
    const key = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----\s*[A-Za-z0-9+/=]{40}/;
    expect(everything.filter(([, text]) => key.test(text)).map(([path]) => path)).toEqual([]);
  });

  it('can be written by no one but root, and only the entry can be executed', () => {
    const modes = [...program].flatMap(([path, file]) => (file.kind === 'file' ? [[path, file.mode]] : []));
    expect(modes.filter(([, mode]) => mode !== 0o644)).toEqual([[`${HOME}/bin/millwright`, 0o755]]);
  });

  it('name the version and nothing that npm could run', () => {
    const own = JSON.parse(texts(/package\.json$/)[0]?.[1] ?? '{}');
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(own).toEqual({ name: 'millwright', version, type: 'module' });
  });
});

describe('bin/millwright in the image', () => {
  const run = (...args: string[]) =>
    spawnSync('sh', [join(folder, HOME, 'bin/millwright'), ...args], { encoding: 'utf8' });
  const state = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((name) => `${name} ${statSync(join(folder, name)).mtimeMs}`);

  it('runs without building or writing anything', () => {
    const before = state();
    const { stdout, stderr, status } = run('--version');
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect({ stdout, stderr, status }).toEqual({ stdout: `${version}\n`, stderr: '', status: 0 });
    expect(state()).toEqual(before);
  });

  it.each(['operator', 'controller', 'daemon', 'builder'])('has the command %s', (command) => {
    const { stdout, status } = run(command, '--help');
    expect(status).toBe(0);
    expect(stdout).toContain(`Usage: millwright ${command}`);
  });

  it('prints the manifests of an installation', () => {
    const { stdout, status } = run('install');
    expect(status).toBe(0);
    expect(stdout).toContain('kind: CustomResourceDefinition');
    expect(stdout).toContain('kind: DaemonSet');
  });

  it('says in one line that the embedded cluster is not there', () => {
    const { stderr, status } = run('up');
    expect(status).toBe(2);
    expect(stderr).toBe(
      'millwright: images of Millwright have neither an embedded cluster nor simulations: install the npm package for this command\n',
    );
  });
});

describe('the image of Millwright', () => {
  const labels = imageLabels({
    ...{ title: 'millwright', description: 'd', version: '1.2.3', nodeVersion: 'v20', revision: 'abc' },
  });
  const fakeNode: ImageFile = { kind: 'file', content: new TextEncoder().encode('node'), mode: 0o755 };
  const base = () => new Map([...rootFiles(), ['usr/bin/node', fakeNode] as const]);
  const assemble = (layers: readonly ImageFiles[], time = 0) =>
    assembleImage({ layers, architecture: 'amd64', labels, runtime: MILLWRIGHT_RUNTIME, time });

  it('is the same for the same files, in whatever order they were found', async () => {
    const again = await programFiles(root);
    const one = ociArchive(assemble([base(), program]), 'registry.example/millwright:1');
    const other = ociArchive(
      assemble([new Map([...base()].reverse()), new Map([...again].reverse())]),
      'registry.example/millwright:1',
    );
    expect(digestOf(one)).toBe(digestOf(other));
  });

  it('differs when a file or the time differs', () => {
    const digests = [
      assemble([base(), program]),
      assemble([base(), new Map([...program, ['etc/more', fakeNode]])]),
      assemble([base(), program], 1_700_000_000),
    ].map((image) => image.top.descriptor.digest);
    expect(new Set(digests).size).toBe(3);
  });

  it('is an OCI layout whose digests and sizes are right', () => {
    const entries = untar(ociArchive(assemble([base(), program]), 'registry.example/millwright:1'));
    const archive = new Map(
      (entries.kind === 'ok' ? entries.value : []).flatMap((one) =>
        one.kind === 'file' ? [[one.path, one.content] as const] : [],
      ),
    );
    const json = (path: string) => JSON.parse(new TextDecoder().decode(archive.get(path)));
    expect(json('oci-layout')).toEqual({ imageLayoutVersion: '1.0.0' });
    const [top] = json('index.json').manifests;
    expect(top.annotations['org.opencontainers.image.ref.name']).toBe('registry.example/millwright:1');
    const blob = ({ digest, size }: { readonly digest: string; readonly size: number }) => {
      const bytes = archive.get(`blobs/${digest.replace(':', '/')}`) ?? new Uint8Array();
      expect(digestOf(bytes)).toBe(digest);
      expect(bytes.length).toBe(size);
      return JSON.parse(new TextDecoder().decode(bytes));
    };
    const manifest = blob(top);
    const { config, os, architecture } = blob(manifest.config);
    expect({ os, architecture }).toEqual({ os: 'linux', architecture: 'amd64' });
    expect(config).toEqual({
      User: '65534:65534',
      Env: ['PATH=/usr/local/bin:/usr/bin:/bin'],
      Entrypoint: ['millwright'],
      Cmd: ['--help'],
      WorkingDir: '/',
      Labels: {
        'millwright.dev/node-version': 'v20',
        'org.opencontainers.image.description': 'd',
        'org.opencontainers.image.revision': 'abc',
        'org.opencontainers.image.title': 'millwright',
        'org.opencontainers.image.version': '1.2.3',
      },
    });
    expect(manifest.layers).toHaveLength(2);
  });

  it('has the accounts and mount points that a read-only root needs', () => {
    const files = rootFiles();
    for (const path of ['dev', 'proc', 'sys', 'rootfs', 'tmp']) expect(files.get(path)?.kind).toBe('folder');
    const passwd = files.get('etc/passwd');
    const text = passwd?.kind === 'file' ? new TextDecoder().decode(passwd.content) : '';
    expect(text).toContain(`nobody:x:${NOBODY}:${NOBODY}:`);
  });
});

describe('the libraries of a program', () => {
  it('are the absolute paths that ldd prints', () => {
    const text = [
      '\tlinux-vdso.so.1 (0x00007f573a352000)',
      '\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f573a25c000)',
      '\t/lib64/ld-linux-x86-64.so.2 (0x00007f573a354000)',
    ].join('\n');
    expect(parseLdd(text)).toEqual(['/lib/x86_64-linux-gnu/libm.so.6', '/lib64/ld-linux-x86-64.so.2']);
  });

  it('are none for a static program', () => expect(parseLdd('\tstatically linked\n')).toEqual([]));

  it('are an error when one is missing', () => {
    expect(() => parseLdd('\tlibnode.so.115 => not found\n')).toThrow(
      'the library libnode.so.115 is missing on this machine',
    );
  });

  it('are found for the Node that runs this test', () => {
    const printed = execFileSync('ldd', [process.execPath], { encoding: 'utf8' });
    expect(parseLdd(printed).every((path) => statSync(path).isFile())).toBe(true);
  });
});

describe('the Containerfile of Millwright', () => {
  const text = readFileSync('images/millwright/Containerfile', 'utf8');

  it('has no syntax errors', () => {
    const resolved = text.replace('$BASE_IMAGE', 'debian:13-slim');
    expect(containerfileProblems(resolved, { needsFrom: true })).toEqual([]);
  });

  it('starts containers as the image without a base does', () => {
    const { User, Entrypoint, Cmd, WorkingDir } = MILLWRIGHT_RUNTIME;
    const quoted = (words: readonly string[] | undefined) => JSON.stringify(words ?? []);
    expect(text.split('\n').slice(-5, -1)).toEqual([
      `USER ${User}`,
      `WORKDIR ${WorkingDir}`,
      `ENTRYPOINT ${quoted(Entrypoint)}`,
      `CMD ${quoted(Cmd)}`,
    ]);
  });
});
