/**
 * Images for the machines of the embedded cluster, each by its own registries.conf: the OS that it boots, and what somebody
 * pulls on it to see where it comes from.
 */
import { Failure, formatProblem } from '../../base/errors.ts';
import {
  createMirroredPuller,
  type FetchedImage,
  isShortName,
  type MergedRegistriesConf,
  NO_REGISTRIES_CONF,
  type Platform,
  type PullCandidate,
  type PullSource,
  type PullTry,
  pullSources,
  type RegistryClient,
  readRegistriesConf,
  referenceText,
  repositoryText,
} from '../../images/index.ts';
import type { Host, PullImage } from '../../node/host/index.ts';
import { createOsPuller } from '../sandbox/index.ts';

type NodeImagesOptions = {
  readonly client: RegistryClient;
  /** For registries that the machine calls insecure. */
  readonly insecureClient?: RegistryClient;
  readonly platform: Platform;
};

/** Pulls an image as `crictl pull` on the machine would. */
export type NodePull = (host: Host, image: string, progress: PullProgress) => Promise<PulledNodeImage>;

export type PullProgress = {
  /** For people. */
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
};

export type PulledNodeImage = {
  /** By the name that was asked for, and its digest: `docker.io/library/nginx@sha256:…`. */
  readonly image: string;
};

export type NodeImages = {
  /** For the OS of a machine: by the machine's own files once there are any. */
  readonly pullerFor: (host: () => Host | undefined) => PullImage;
  /** What comes is checked to its last byte and not kept: nothing in a sandbox would run it. */
  readonly pull: NodePull;
};

export function createNodeImages(options: NodeImagesOptions): NodeImages {
  const { client, insecureClient = client, platform } = options;
  return {
    pullerFor: (host) =>
      createOsPuller(client, platform, {
        insecureClient,
        sourcesOf: async (name) => candidates(await confOf(host()), name),
      }),
    async pull(host, name, progress) {
      const { say } = progress;
      const conf = await confOf(host);
      if (isShortName(name) && conf.searchFrom !== '') {
        const [bare] = name.split(/[:@]/);
        say(`Resolving "${bare}" using unqualified-search registries (${conf.searchFrom})`);
      }
      const pull = createMirroredPuller({
        sourcesOf: async () => candidates(conf, name),
        pull: (source) => pullAll({ ...options, ...progress, insecureClient, source }),
        onTry: (event) => say(tryText(event)),
      });
      const { value, image } = await pull(name);
      return { image: `${repositoryText(image)}@${value.named.digest}` };
    },
  };
}

async function confOf(host: Host | undefined): Promise<MergedRegistriesConf> {
  return host === undefined ? NO_REGISTRIES_CONF : await readRegistriesConf(host.files);
}

function candidates(conf: MergedRegistriesConf, name: string): readonly PullCandidate[] {
  const sources = pullSources(conf, name);
  if (sources.kind === 'ok') return sources.value;
  throw new Failure('stalled', 'BadReference', sources.problems.map(formatProblem).join('; '));
}

type OnePull = Required<NodeImagesOptions> & PullProgress & { readonly source: PullSource };

async function pullAll(one: OnePull): Promise<FetchedImage> {
  const { client, insecureClient, platform, source, say, signal } = one;
  const { reference, isInsecure } = source;
  const chosen = isInsecure ? insecureClient : client;
  const image = await chosen.fetchImage(reference, platform, { signal });
  for (const layer of image.manifest.layers) {
    say(`Copying blob ${layer.digest}`);
    for await (const _ of chosen.readBlob(reference, layer, { signal })) {
      // Read to its end, for only then its digest is proved.
    }
  }
  say(`Copying config ${image.manifest.config.digest}`);
  return image;
}

function tryText(event: PullTry): string {
  return event.kind === 'trying'
    ? `Trying to pull ${referenceText(event.source.reference)}...`
    : `  ${event.problem}`;
}
