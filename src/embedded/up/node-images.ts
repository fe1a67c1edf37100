/**
 * Image pulls of the machines of the embedded cluster, each with its own registries.conf and its own CAs of registries: OS
 * images, and pulls requested through the node proxy.
 */
import {
  createMirroredPuller,
  type FetchedImage,
  isShortName,
  type MergedRegistriesConf,
  NO_REGISTRIES_CONF,
  type Platform,
  type PullSource,
  type PullTry,
  pullCandidates,
  type RegistryAccess,
  type RegistryClient,
  readRegistriesConf,
  referenceText,
  registryAccess,
  repositoryText,
} from '../../images/index.ts';
import type { Host, PullImage } from '../../node/host/index.ts';
import { type ContainerImages, createOsPuller } from '../sandbox/index.ts';

type NodeImagesOptions = {
  readonly clientFor: (access: RegistryAccess) => RegistryClient;
  readonly platform: Platform;
};

/** Of rpm-ostree, which the daemon links to the credentials of the node, and of the container runtime. */
const AUTH_FILES = { os: '/run/ostree/auth.json', containers: '/var/lib/kubelet/config.json' } as const;

/** Pulls an image like `crictl pull` on the machine. */
export type NodePull = (host: Host, image: string, progress: PullProgress) => Promise<PulledNodeImage>;

export type PullProgress = {
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
};

type PulledNodeImage = {
  /** The requested name with its digest: `docker.io/library/nginx@sha256:…`. */
  readonly image: string;
};

export type NodeImages = {
  /** For the OS of a machine, with its registries.conf once it has a host. */
  readonly pullerFor: (host: () => Host | undefined) => PullImage;
  /** For the container runtime of a machine. */
  readonly containersFor: (host: () => Host | undefined) => ContainerImages;
  /** Verifies all content and discards it: a sandbox runs no containers. */
  readonly pull: NodePull;
};

export function createNodeImages(options: NodeImagesOptions): NodeImages {
  const { platform } = options;
  const clientOf = async (host: Host | undefined, source: PullSource, tool: keyof typeof AUTH_FILES) =>
    options.clientFor(await registryAccess(host?.files, source, AUTH_FILES[tool]));
  return {
    pullerFor: (host) =>
      createOsPuller((source) => clientOf(host(), source, 'os'), platform, {
        sourcesOf: async (name) => pullCandidates(await confOf(host()), name),
      }),
    containersFor: (host) => ({
      async withImage(name, signal, use) {
        const pull = createMirroredPuller({
          sourcesOf: async () => pullCandidates(await confOf(host()), name),
          pull: async (source) => {
            const client = await clientOf(host(), source, 'containers');
            const { reference } = source;
            const { named, manifest } = await client.fetchInstance(reference, platform, { signal });
            const { config, layers } = manifest;
            const read = (blob: { readonly digest: string; readonly size: number }) =>
              client.readBlob(reference, blob, { signal });
            return await use({ digest: named.digest, config, layers, read });
          },
        });
        return (await pull(name)).value;
      },
    }),
    async pull(host, name, progress) {
      const { report } = progress;
      const conf = await confOf(host);
      if (isShortName(name) && conf.searchFrom !== '') {
        const [bare] = name.split(/[:@]/);
        report(`Resolving "${bare}" using unqualified-search registries (${conf.searchFrom})`);
      }
      const pull = createMirroredPuller({
        sourcesOf: async () => pullCandidates(conf, name),
        pull: async (source) =>
          pullAll({ ...progress, platform, source, client: await clientOf(host, source, 'containers') }),
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

type OnePull = PullProgress & {
  readonly client: RegistryClient;
  readonly platform: Platform;
  readonly source: PullSource;
};

async function pullAll(one: OnePull): Promise<FetchedImage> {
  const { client, platform, source, report, signal } = one;
  const { reference } = source;
  const image = await client.fetchImage(reference, platform, { signal });
  for (const layer of image.manifest.layers) {
    report(`Copying blob ${layer.digest}`);
    for await (const _ of client.readBlob(reference, layer, { signal })) {
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
