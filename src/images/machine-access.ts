/**
 * How a machine reaches the registries of an image: by its registries.conf, with its CAs and its credentials.
 */
import { Failure, formatProblem } from '../base/errors.ts';
import { credentialsFor, parseAuthFile } from './auth-file.ts';
import type { RegistryClientOptions } from './client.ts';
import { type PullCandidate, type PullSource, pullSources } from './pull-sources.ts';
import type { MergedRegistriesConf } from './registries-conf.ts';
import { type CertificateReader, readRegistryCertificates } from './registry-certificates.ts';

export type RegistryAccess = {
  /** Any certificate is accepted, and plain HTTP. */
  readonly isInsecure: boolean;
  /** CAs that the machine trusts for the registry. */
  readonly authorityPem?: string;
  /** From the auth file of the tool that pulls; anonymous without one. */
  readonly credentialsFor: CredentialsFor;
};

type CredentialsFor = NonNullable<RegistryClientOptions['credentialsFor']>;

const MAX_AUTH_FILE_BYTES = 1024 ** 2;

/** `files`: of the machine; one that is being installed has none yet. `authFile`: of the tool that pulls. */
export async function registryAccess(
  files: CertificateReader | undefined,
  { reference, isInsecure }: PullSource,
  authFile: string,
): Promise<RegistryAccess> {
  const isVerified = !isInsecure && files !== undefined;
  const authorityPem = isVerified ? await readRegistryCertificates(files, reference.host) : undefined;
  return {
    isInsecure,
    credentialsFor: await readCredentials(files, authFile),
    ...(authorityPem === undefined ? {} : { authorityPem }),
  };
}

/** A file that cannot be read is no file, as for container tools. */
async function readCredentials(files: CertificateReader | undefined, path: string): Promise<CredentialsFor> {
  const bytes = await files?.read(path, MAX_AUTH_FILE_BYTES);
  const file = parseAuthFile(new TextDecoder().decode(bytes));
  return (repository) => (file.kind === 'ok' ? credentialsFor(file.value, repository) : undefined);
}

/** Throws where the name is none of an image. */
export function pullCandidates(conf: MergedRegistriesConf, name: string): readonly PullCandidate[] {
  const sources = pullSources(conf, name);
  if (sources.kind === 'ok') return sources.value;
  throw new Failure('stalled', 'BadReference', sources.problems.map(formatProblem).join('; '));
}
