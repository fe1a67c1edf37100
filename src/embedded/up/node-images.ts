/**
 * Image pulls of the machines of the embedded cluster, each with its own registries.conf and its own CAs of registries: OS
 * images, and pulls requested through the node proxy.
 */
import { Failure, formatProblem } from '../../base/errors.ts';
import {
  createMirroredPuller,
  credentialsFor,
  type FetchedImage,
  isShortName,
  type MergedRegistriesConf,
  NO_REGISTRIES_CONF,
  type Platform,
  type PullCandidate,
  type PullSource,
  type PullTry,
  parseAuthFile,
  pullSources,
  type RegistryClient,
  type RegistryClientOptions,
  readRegistriesConf,
  readRegistryCertificates,
  referenceText,
  repositoryText,
} from '../../images/index.ts';
import type { Host, PullImage } from '../../node/host/index.ts';
import { createOsPuller } from '../sandbox/index.ts';

type NodeImagesOptions = {
  readonly clientFor: (access: RegistryAccess) => RegistryClient;
  readonly platform: Platform;
};

/** How a machine accesses a registry. */
export type RegistryAccess = {
  /** Any certificate is accepted, and plain HTTP. */
  readonly isInsecure: boolean;
  /** CAs that the machine trusts for the registry. */
  readonly authorityPem?: string;
  /** From the auth file of the tool that pulls; anonymous without one. */
  readonly credentialsFor: CredentialsFor;
};

type CredentialsFor = NonNullable<RegistryClientOptions['credentialsFor']>;

/** Of rpm-ostree, which the daemon links to the credentials of the node, and of the container runtime. */
const AUTH_FILES = { os: '/run/ostree/auth.json', containers: '/var/lib/kubelet/config.json' } as const;

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
  const { platform } = options;
  const clientOf = async (
    host: Host | undefined,
    { reference, isInsecure }: PullSource,
    tool: keyof typeof AUTH_FILES,
  ) => {
    const isVerified = !isInsecure && host !== undefined;
    const authorityPem = isVerified ? await readRegistryCertificates(host.files, reference.host) : undefined;
    return options.clientFor({
      isInsecure,
      credentialsFor: await readCredentials(host, AUTH_FILES[tool]),
      ...(authorityPem === undefined ? {} : { authorityPem }),
    });
  };
  return {
    pullerFor: (host) =>
      createOsPuller((source) => clientOf(host(), source, 'os'), platform, {
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
        pull: async (source) =>
          pullAll({ ...progress, platform, source, client: await clientOf(host, source, 'containers') }),
        onTry: (event) => report(tryText(event)),
      });
      const { value, image } = await pull(name);
      return { image: `${repositoryText(image)}@${value.named.digest}` };
    },
  };
}

const MAX_AUTH_FILE_BYTES = 1024 ** 2;

/** A machine that is being installed has none yet. A file that cannot be read is no file, as for container tools. */
async function readCredentials(host: Host | undefined, path: string): Promise<CredentialsFor> {
  const bytes = await host?.files.read(path, MAX_AUTH_FILE_BYTES);
  const file = parseAuthFile(new TextDecoder().decode(bytes));
  return (repository) => (file.kind === 'ok' ? credentialsFor(file.value, repository) : undefined);
}

async function confOf(host: Host | undefined): Promise<MergedRegistriesConf> {
  return host === undefined ? NO_REGISTRIES_CONF : await readRegistriesConf(host.files);
}

function candidates(conf: MergedRegistriesConf, name: string): readonly PullCandidate[] {
  const sources = pullSources(conf, name);
  if (sources.kind === 'ok') return sources.value;
  throw new Failure('stalled', 'BadReference', sources.problems.map(formatProblem).join('; '));
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
