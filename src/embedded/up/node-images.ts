/**
 * Image pulls of the machines of the embedded cluster, each with its own registries.conf: OS images, and pulls requested
 * through the node proxy.
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
  /** For registries configured as insecure. */
  readonly insecureClient?: RegistryClient;
  readonly platform: Platform;
};

/** Pulls an image like `crictl pull` on the machine. */
export type NodePull = (host: Host, image: string, progress: PullProgress) => Promise<PulledNodeImage>;

export type PullProgress = {
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
};

export type PulledNodeImage = {
  /** The requested name with its digest: `docker.io/library/nginx@sha256:…`. */
  readonly image: string;
};

export type NodeImages = {
  /** For the OS of a machine, with its registries.conf once it has a host. */
  readonly pullerFor: (host: () => Host | undefined) => PullImage;
  /** Verifies all content and discards it: a sandbox runs no containers. */
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
      const { report } = progress;
      const conf = await confOf(host);
      if (isShortName(name) && conf.searchFrom !== '') {
        const [bare] = name.split(/[:@]/);
        report(`Resolving "${bare}" using unqualified-search registries (${conf.searchFrom})`);
      }
      const pull = createMirroredPuller({
        sourcesOf: async () => candidates(conf, name),
        pull: (source) => pullAll({ ...options, ...progress, insecureClient, source }),
        onTry: (event) => report(tryText(event)),
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
  const { client, insecureClient, platform, source, report, signal } = one;
  const { reference, isInsecure } = source;
  const chosen = isInsecure ? insecureClient : client;
  const image = await chosen.fetchImage(reference, platform, { signal });
  for (const layer of image.manifest.layers) {
    report(`Copying blob ${layer.digest}`);
    for await (const _ of chosen.readBlob(reference, layer, { signal })) {
      // The digest is verified at the end.
    }
  }
  report(`Copying config ${image.manifest.config.digest}`);
  return image;
}

function tryText(event: PullTry): string {
  return event.kind === 'trying'
    ? `Trying to pull ${referenceText(event.source.reference)}...`
    : `  ${event.problem}`;
}
