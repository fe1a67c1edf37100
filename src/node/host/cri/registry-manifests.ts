/**
 * The sizes of images, from the manifests of their registries: for machines without podman.
 *
 * It is not the tool that pulls: it knows no proxy and not all CAs of the OS. So what it cannot find out is unknown rather than an
 * error; only a registry that says that it has no such image is believed.
 */
import type { Clock } from '../../../base/env.ts';
import { Failure } from '../../../base/errors.ts';
import {
  createMirroredPuller,
  type PullSource,
  pullCandidates,
  type RegistryAccess,
  type RegistryClient,
  readRegistriesConf,
  registryAccess,
} from '../../../images/index.ts';
import { USER_CA } from '../../plan/index.ts';
import type { HostFiles, ImageLayerSize } from '../host.ts';

type ManifestReaderOptions = {
  readonly files: Pick<HostFiles, 'read' | 'list'>;
  readonly clientFor: (access: RegistryAccess) => RegistryClient;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** In Go's notation: `amd64`. */
  readonly architecture: string;
  readonly authFile: string;
};

/** Undefined where the sizes are unknown. Fails where there is no such image. */
export type ManifestReader = (
  image: string,
  signal: AbortSignal,
) => Promise<readonly ImageLayerSize[] | undefined>;

/** A registry that did not answer is not asked for other images for so long: hundreds of them would wait for it. */
const SILENT_MS = 5 * 60_000;
const MAX_SILENT_HOSTS = 1_000;
const MAX_CA_BYTES = 1024 ** 2;

export function createManifestReader(options: ManifestReaderOptions): ManifestReader {
  const { files, clientFor, clock, architecture, authFile } = options;
  const platform = { os: 'linux', architecture };
  const silentUntilMs = new Map<string, number>();
  const read = async (source: PullSource, signal: AbortSignal) => {
    const { reference } = source;
    if (clock.monotonic() < (silentUntilMs.get(reference.host) ?? 0)) throw silent(reference.host);
    const access = withUserCas(await registryAccess(files, source, authFile), await userCas(files));
    try {
      const { manifest } = await clientFor(access).fetchInstance(reference, platform, { signal });
      return manifest.layers.map(({ digest, size }) => ({ digest, sizeBytes: size }));
    } catch (error) {
      if (error instanceof Failure && error.kind === 'transient') {
        if (silentUntilMs.size >= MAX_SILENT_HOSTS) silentUntilMs.clear();
        silentUntilMs.set(reference.host, clock.monotonic() + SILENT_MS);
      }
      throw error;
    }
  };
  return async (image, signal) => {
    const pull = createMirroredPuller({
      sourcesOf: async (name) => pullCandidates(await readRegistriesConf(files), name),
      pull: (source) => read(source, signal),
    });
    try {
      return (await pull(image)).value;
    } catch (error) {
      if (!(error instanceof Failure) || error.kind === 'cancelled' || isMissing(error)) throw error;
      return undefined;
    }
  };
}

/** Said by every source: where one did not answer, it may have the image. */
function isMissing({ kind, reason }: Failure): boolean {
  return kind === 'stalled' && ['ManifestUnknown', 'NameUnknown', 'NoSuchPlatform'].includes(reason);
}

function silent(host: string): Failure {
  return new Failure('transient', 'Unreachable', `registry ${host} did not answer a moment ago`);
}

/** What the OS trusts by the user's wish, as far as it is in a file of its own. */
async function userCas(files: ManifestReaderOptions['files']): Promise<string> {
  try {
    return new TextDecoder().decode(await files.read(USER_CA, MAX_CA_BYTES));
  } catch (error) {
    if (error instanceof Failure) return '';
    throw error;
  }
}

function withUserCas(access: RegistryAccess, pem: string): RegistryAccess {
  if (access.isInsecure || pem.trim() === '') return access;
  return { ...access, authorityPem: `${access.authorityPem ?? ''}\n${pem}` };
}
