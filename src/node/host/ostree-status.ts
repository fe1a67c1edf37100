/**
 * Formats `rpm-ostree status`, as text and as JSON, and parses the JSON.
 */

import { Failure } from '../../base/errors.ts';
import { isObject, own } from '../../base/json.ts';
import { stringAt, stringsAt, valueAt } from '../../base/json-fields.ts';
import { parseDateTime } from '../../base/text/index.ts';
import type { Deployment, StatusOptions } from './host.ts';

/** One deployment to print. */
export type PrintedDeployment = Deployment & {
  /** With its transport: `ostree-unverified-registry:IMG`. */
  readonly reference: string;
  /** In RFC 3339. */
  readonly timestamp: string;
  /** Of a staged one: how its packages differ from the booted ones. `19 upgraded` */
  readonly diff?: string;
};

/** The column of the colons. */
const KEY_COLUMNS = 26;

export function ostreeStatus(
  deployments: readonly PrintedDeployment[],
  { isUtf8 = false }: StatusOptions = {},
): string {
  const mark = isUtf8 ? '●' : '*';
  const rows = deployments.map((deployment) => {
    const lines = [`${deployment.isBooted ? mark : ' '} ${deployment.reference || deployment.commit}`];
    const add = (key: string, value: string) => lines.push(`${`${key}:`.padStart(KEY_COLUMNS)} ${value}`);
    if (deployment.digest !== undefined) add('Digest', deployment.digest);
    add('Version', `${deployment.version} (${deployment.timestamp})`);
    if (deployment.diff !== undefined) add('Diff', deployment.diff);
    if (deployment.removedPackages.length > 0) {
      add('RemovedBasePackages', deployment.removedPackages.join(' '));
    }
    if (deployment.layeredPackages.length > 0) add('LayeredPackages', deployment.layeredPackages.join(' '));
    return `${lines.join('\n')}\n`;
  });
  return `State: idle\nDeployments:\n${rows.join('\n')}`;
}

/** The fields of `rpm-ostree status --json` that are used. */
export function ostreeStatusJson(deployments: readonly PrintedDeployment[]): string {
  const rows = deployments.map((deployment, index) => ({
    id: `${deployment.commit}.${index}`,
    booted: deployment.isBooted,
    staged: deployment.isStaged,
    version: deployment.version,
    checksum: deployment.commit,
    'base-checksum': deployment.commit,
    'container-image-reference': deployment.reference,
    'container-image-reference-digest': deployment.digest,
    'requested-packages': deployment.layeredPackages,
    'requested-base-removals': deployment.removedPackages,
    timestamp: Number((parseDateTime(deployment.timestamp) ?? 0n) / 1_000_000_000n),
  }));
  return `${JSON.stringify({ deployments: rows, transaction: null, 'cached-update': null }, undefined, 2)}\n`;
}

/** Reads `rpm-ostree status --json`. */
export function parseOstreeStatus(text: string): readonly Deployment[] {
  const status = parseJson(text);
  const rows = valueAt(status, 'deployments');
  if (!Array.isArray(rows)) throw unreadable('it names no deployments');
  return rows.filter(isObject).map(readDeployment);
}

/** The folder of the staged deployment, from the same JSON. */
export function stagedRoot(text: string): string | undefined {
  const rows = valueAt(parseJson(text), 'deployments');
  const staged = Array.isArray(rows) ? rows.find((row) => valueAt(row, 'staged') === true) : undefined;
  const [name, checksum] = [stringAt(staged, 'osname'), stringAt(staged, 'checksum')];
  const serial = valueAt(staged, 'serial');
  if (name === '' || checksum === '' || typeof serial !== 'number') return undefined;
  return `/sysroot/ostree/deploy/${name}/deploy/${checksum}.${serial}`;
}

const LOCAL_PACKAGES = [
  'requested-local-packages',
  'requested-local-fileoverride-packages',
  'requested-base-local-replacements',
];

function readDeployment(row: { readonly [key: string]: unknown }): Deployment {
  const digest = stringAt(row, 'container-image-reference-digest');
  const localPackages = LOCAL_PACKAGES.flatMap((key) => stringsAt(row, key));
  return {
    isBooted: own(row, 'booted') === true,
    isStaged: own(row, 'staged') === true,
    image: imageOf(stringAt(row, 'container-image-reference'), stringsAt(row, 'custom-origin')),
    ...(digest === '' ? {} : { digest }),
    version: stringAt(row, 'version'),
    commit: stringAt(row, 'base-checksum') || stringAt(row, 'checksum'),
    layeredPackages: stringsAt(row, 'requested-packages'),
    removedPackages: stringsAt(row, 'requested-base-removals'),
    ...(localPackages.length === 0 ? {} : { localPackages }),
  };
}

function imageOf(reference: string, customOrigin: readonly string[]): string {
  if (reference !== '') return imageOfReference(reference);
  const origin = customOrigin[0] ?? '';
  return origin.startsWith(PIVOT) ? origin.slice(PIVOT.length) : '';
}

const PIVOT = 'pivot://';

/** The pullspec in `container-image-reference`, without the prefixes for transport and verification. */
export function imageOfReference(reference: string): string {
  const [scheme = '', ...rest] = reference.split(':');
  // Names of the transport `docker` begin with two slashes.
  const after = (count: number) => rest.slice(count).join(':').replace(/^\/\//, '');
  switch (scheme) {
    case 'ostree-unverified-registry':
      return after(0);
    case 'ostree-image-signed':
    case 'ostree-unverified-image':
    case 'ostree-remote-registry':
      return after(1);
    case 'ostree-remote-image':
      return after(2);
    default:
      throw unreadable(`unknown scheme in ${reference}`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable('it is not JSON', error);
  }
}

function unreadable(why: string, cause?: unknown): Failure {
  return new Failure('stalled', 'StatusUnreadable', `failed to parse rpm-ostree status: ${why}`, cause);
}
