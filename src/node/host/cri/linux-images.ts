/**
 * The images of CRI-O: presence, pulls and their file system over its socket, sizes by `podman manifest inspect`, as upstream. Without
 * podman their registries are asked.
 *
 * A runtime without pinned images is refused: containerd keeps its pins in labels that nothing here writes.
 */
import { Failure } from '../../../base/errors.ts';
import { parseJson } from '../../../base/json.ts';
import { listAt, numberAt, objectsAt, stringAt } from '../../../base/json-fields.ts';
import {
  credentialsFor,
  parseAuthFile,
  pullSources,
  readRegistriesConf,
  repositoryText,
} from '../../../images/index.ts';
import { type Commands, NO_SUCH_COMMAND } from '../command-runner.ts';
import { type HostFiles, type HostImages, type ImageLayerSize, NO_SPACE } from '../host.ts';
import { type CriAuth, imageRequest, readImageFolder, readImageId } from './cri-messages.ts';
import type { ManifestReader } from './registry-manifests.ts';

/** Calls a method (`ImageService/PullImage`) of the runtime; fails with its message. */
export type CriCall = (
  method: string,
  request: Uint8Array,
  options: { readonly signal: AbortSignal; readonly limitMs: number },
) => Promise<Uint8Array>;

type LinuxImagesOptions = {
  readonly files: HostFiles;
  readonly commands: Commands;
  readonly call: CriCall;
  /** For a machine without podman. */
  readonly readManifest: ManifestReader;
  /** In Go's notation: `amd64`. */
  readonly architecture: string;
};

/** On the machine. */
export const CRIO_SOCKET = '/run/crio/crio.sock';
const CONTAINERD_SOCKET = '/run/containerd/containerd.sock';
export const KUBELET_AUTH_FILE = '/var/lib/kubelet/config.json';
const MAX_AUTH_FILE_BYTES = 1024 ** 2;
const QUESTION_LIMIT_MS = 2 * 60_000;
/** Longer than any image takes: a runtime ends pulls without progress by itself. */
const PULL_LIMIT_MS = 2 * 60 * 60_000;

export function createLinuxImages(options: LinuxImagesOptions): HostImages {
  const { files, call } = options;
  return {
    pinningProblem: () => pinningProblem(files),
    async isPresent(image, signal) {
      const answer = await call('ImageService/ImageStatus', imageRequest(image), asking(signal));
      return readImageId(answer) !== undefined;
    },
    inspect: (image, signal) => inspect(options, image, signal),
    async pull(image, signal) {
      const request = imageRequest(image, await credentialsOf(files, image));
      try {
        await call('ImageService/PullImage', request, { signal, limitMs: PULL_LIMIT_MS });
      } catch (error) {
        throw isDiskFull(error) ? new Failure('transient', NO_SPACE, error.message, error) : error;
      }
    },
    async freeBytes() {
      const answer = await call('ImageService/ImageFsInfo', new Uint8Array(), asking(NEVER));
      const folder = readImageFolder(answer);
      return folder === undefined ? undefined : (await files.space(folder))?.freeBytes;
    },
  };
}

const NEVER = new AbortController().signal;

function asking(signal: AbortSignal) {
  return { signal, limitMs: QUESTION_LIMIT_MS };
}

async function pinningProblem(files: HostFiles): Promise<string | undefined> {
  if ((await files.stat(CRIO_SOCKET)) !== undefined) return undefined;
  const isContainerd = (await files.stat(CONTAINERD_SOCKET)) !== undefined;
  const found = isContainerd
    ? 'the container runtime of this node is containerd'
    : `there is no ${CRIO_SOCKET}`;
  return `pinning images needs CRI-O, and ${found}`;
}

/** Its message is all that a runtime says of it. */
function isDiskFull(error: unknown): error is Failure {
  return (
    error instanceof Failure &&
    error.kind !== 'cancelled' &&
    error.message.includes('no space left on device')
  );
}

/** Where nothing is known of sizes only the reserve is checked, and a missing image fails when it is pulled. */
async function inspect(
  options: LinuxImagesOptions,
  image: string,
  signal: AbortSignal,
): Promise<readonly ImageLayerSize[]> {
  const manifest = await podmanManifest(options, image, signal);
  if (manifest === undefined) return (await options.readManifest(image, signal)) ?? [];
  if (listAt(manifest, 'manifests').length === 0) return layersOf(manifest);
  const entry = objectsAt(manifest, 'manifests').find(
    (one) =>
      stringAt(one, 'platform', 'os') === 'linux' &&
      stringAt(one, 'platform', 'architecture') === options.architecture,
  );
  const [repository = ''] = image.split('@');
  const digest = stringAt(entry, 'digest');
  if (digest === '') {
    const message = `choosing image instance: no image found in image index for architecture "${options.architecture}"`;
    throw new Failure('stalled', 'NoSuchPlatform', message);
  }
  return layersOf(await podmanManifest(options, `${repository}@${digest}`, signal));
}

/** Undefined where there is no podman. */
async function podmanManifest(
  { commands }: LinuxImagesOptions,
  image: string,
  signal: AbortSignal,
): Promise<unknown> {
  const args = ['manifest', '--log-level', 'error', 'inspect', '--authfile', KUBELET_AUTH_FILE, image];
  const { exitCode, stdout, stderr } = await commands.try('podman', args, { signal });
  if (signal.aborted) throw new Failure('cancelled', 'Stopped', 'podman was stopped');
  if (exitCode === NO_SUCH_COMMAND) return undefined;
  const text = stderr.trim();
  if (exitCode !== 0)
    throw new Failure('transient', 'ManifestUnreadable', text === '' ? `exit status ${exitCode}` : text);
  return parseJson(stdout) ?? {};
}

function layersOf(manifest: unknown): readonly ImageLayerSize[] {
  return objectsAt(manifest, 'layers').map((layer) => ({
    digest: stringAt(layer, 'digest'),
    sizeBytes: numberAt(layer, 'size'),
  }));
}

/** Of the first source of the image that has some: its mirrors, then its own registry. Without any it is pulled anonymously. */
async function credentialsOf(files: HostFiles, image: string): Promise<CriAuth | undefined> {
  const bytes = await files.read(KUBELET_AUTH_FILE, MAX_AUTH_FILE_BYTES);
  const auth = parseAuthFile(new TextDecoder().decode(bytes));
  const candidates = pullSources(await readRegistriesConf(files), image);
  if (auth.kind !== 'ok' || candidates.kind !== 'ok') return undefined;
  for (const { reference } of candidates.value.flatMap(({ sources }) => sources)) {
    const found = credentialsFor(auth.value, repositoryText(reference));
    if (found !== undefined) return found;
  }
  return undefined;
}
