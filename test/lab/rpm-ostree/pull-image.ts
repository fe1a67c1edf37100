/**
 * From a container image to a commit: `skopeo` pulls it, its layers are applied in order, and `/etc` and `/var` are moved
 * to where `ostree` expects them.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DIGEST_KEY, REFERENCE_KEY, REPOSITORY } from './deployments.ts';
import { attempt, Refusal, run } from './refusal.ts';

export type PulledImage = { readonly commit: string; readonly layers: number };

const SCHEME = 'ostree-unverified-registry:';
const CREDENTIALS = '/run/ostree/auth.json';

export function pullImage(reference: string): PulledImage {
  if (!reference.startsWith(SCHEME)) throw new Refusal(`Invalid container image reference: ${reference}`);
  // Within the repository, so that files move into it instead of being copied. What a power cut left goes first.
  const place = join(REPOSITORY, 'tmp/lab-image');
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  const folder = mkdtempSync(join(place, 'pull-'));
  try {
    const image = fetchImage(reference.slice(SCHEME.length), join(folder, 'image'));
    const tree = join(folder, 'tree');
    unpack(image.layers, tree);
    return {
      commit: commitTree({ tree, repository: REPOSITORY, reference, ...image }),
      layers: image.layers.length,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type FetchedImage = {
  readonly digest: string;
  readonly version: string;
  /** Paths of archives, the lowest first. */
  readonly layers: readonly string[];
};

function fetchImage(name: string, folder: string): FetchedImage {
  const hasCredentials = attempt('test', ['-s', CREDENTIALS]).exitCode === 0;
  const flags = [
    // Registries of the lab are on the loopback, and speak plain HTTP.
    ...(/^(127\.0\.0\.1|localhost)[:/]/.test(name) ? ['--src-tls-verify=false'] : []),
    ...(hasCredentials ? [`--src-authfile=${CREDENTIALS}`] : []),
  ];
  const { exitCode, stderr } = attempt('skopeo', [
    'copy',
    '-q',
    ...flags,
    `docker://${name}`,
    `dir:${folder}`,
  ]);
  if (exitCode !== 0) throw new Refusal(`Creating importer: ${OPENING}${OPENING}${whySkopeoFailed(stderr)}`);
  return readImage(folder);
}

const OPENING = 'failed to invoke method OpenImage: ';

/** `time="…" level=fatal msg="initializing source docker://IMG: reading manifest v2 in HOST/REPO: manifest unknown"` */
export function whySkopeoFailed(stderr: string): string {
  const [, quoted] = /msg=("(?:[^"\\]|\\.)*")/.exec(stderr) ?? [];
  const message: string = quoted === undefined ? stderr.trim() : JSON.parse(quoted);
  // Newer versions do not repeat the error of the registry.
  return message.replace(/^initializing source \S+: /, '').replace(/: (manifest unknown): \1$/, ': $1');
}

/** An image as `skopeo` writes it to a folder. */
export function readImage(folder: string): FetchedImage {
  const bytes = readFileSync(join(folder, 'manifest.json'));
  const manifest: Manifest = JSON.parse(bytes.toString('utf8'));
  const path = (digest: string) => join(folder, digest.replace(/^sha256:/, ''));
  const { config }: ImageConfig = JSON.parse(readFileSync(path(manifest.config.digest), 'utf8'));
  return {
    digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
    version: config?.Labels?.['org.opencontainers.image.version'] ?? '',
    layers: manifest.layers.map(({ digest }) => path(digest)),
  };
}

type Manifest = {
  readonly config: { readonly digest: string };
  readonly layers: readonly { readonly digest: string }[];
};
type ImageConfig = { readonly config?: { readonly Labels?: Readonly<Record<string, string>> } };

/** Whiteouts: a layer deletes a file by an entry with the prefix `.wh.`. */
function unpack(layers: readonly string[], tree: string): void {
  run('mkdir', tree);
  for (const layer of layers) {
    run('tar', '-C', tree, '--numeric-owner', '--same-permissions', '-xf', layer);
    const marks = run('find', tree, '-name', '.wh.*', '-print')
      .split('\n')
      .filter((path) => path !== '');
    for (const mark of marks) {
      rmSync(mark.replace(/\/\.wh\.([^/]*)$/, '/$1'), { recursive: true, force: true });
      rmSync(mark);
    }
  }
}

export type TreeToCommit = Pick<FetchedImage, 'digest' | 'version'> & {
  /** Is taken apart. */
  readonly tree: string;
  readonly repository: string;
  readonly reference: string;
};

/** Runtime directories are left out, and `/etc` becomes `/usr/etc`. */
export function commitTree({ tree, repository, reference, digest, version }: TreeToCommit): string {
  for (const name of ['var', 'run', 'dev', 'proc', 'sys', 'tmp', 'boot', 'sysroot']) {
    rmSync(join(tree, name), { recursive: true, force: true });
    run('mkdir', join(tree, name));
  }
  rmSync(join(tree, 'usr/etc'), { recursive: true, force: true });
  run('mv', join(tree, 'etc'), join(tree, 'usr/etc'));
  return run(
    ...(['ostree', 'commit', `--repo=${repository}`, '--orphan', '--consume', `--tree=dir=${tree}`] as const),
    '--no-xattrs',
    `--add-metadata-string=version=${version}`,
    ...[
      `--add-metadata-string=${REFERENCE_KEY}=${reference}`,
      `--add-metadata-string=${DIGEST_KEY}=${digest}`,
    ],
  ).trim();
}
