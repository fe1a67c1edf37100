/**
 * `rpm-ostree status`, as it prints for people and for programs, and back.
 */

import { Failure } from '../../base/errors.ts';
import { isObject, own } from '../../base/json.ts';
import { stringAt, stringsAt, valueAt } from '../../base/json-fields.ts';
import { parseDateTime } from '../../base/text/index.ts';
import type { Deployment } from './host.ts';

/** What one deployment is printed from. */
export type PrintedDeployment = Deployment & {
  /** With its transport: `ostree-unverified-registry:IMG`. */
  readonly reference: string;
  /** As RFC 3339 writes it. */
  readonly timestamp: string;
};

/** The column at which the colons stand. */
const KEY_COLUMNS = 26;

export function ostreeStatus(deployments: readonly PrintedDeployment[]): string {
  const rows = deployments.map((deployment) => {
    const lines = [`${deployment.isBooted ? '*' : ' '} ${deployment.reference || deployment.commit}`];
    const say = (key: string, value: string) => lines.push(`${`${key}:`.padStart(KEY_COLUMNS)} ${value}`);
    if (deployment.digest !== undefined) say('Digest', deployment.digest);
    say('Version', `${deployment.version} (${deployment.timestamp})`);
    if (deployment.removedPackages.length > 0) {
      say('RemovedBasePackages', deployment.removedPackages.join(' '));
    }
    if (deployment.layeredPackages.length > 0) say('LayeredPackages', deployment.layeredPackages.join(' '));
    return `${lines.join('\n')}\n`;
  });
  return `State: idle\nDeployments:\n${rows.join('\n')}`;
}

/** The part of `rpm-ostree status --json` that somebody reads. */
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

function readDeployment(row: { readonly [key: string]: unknown }): Deployment {
  const digest = stringAt(row, 'container-image-reference-digest');
  return {
    isBooted: own(row, 'booted') === true,
    isStaged: own(row, 'staged') === true,
    image: imageOf(stringAt(row, 'container-image-reference'), stringsAt(row, 'custom-origin')),
    ...(digest === '' ? {} : { digest }),
    version: stringAt(row, 'version'),
    commit: stringAt(row, 'base-checksum') || stringAt(row, 'checksum'),
    layeredPackages: stringsAt(row, 'requested-packages'),
    removedPackages: stringsAt(row, 'requested-base-removals'),
  };
}

function imageOf(reference: string, customOrigin: readonly string[]): string {
  if (reference !== '') return imageOfReference(reference);
  const origin = customOrigin[0] ?? '';
  return origin.startsWith(PIVOT) ? origin.slice(PIVOT.length) : '';
}

const PIVOT = 'pivot://';

/** The pullspec in `container-image-reference`, whose first words say how it was pulled and verified. */
export function imageOfReference(reference: string): string {
  const [scheme = '', ...rest] = reference.split(':');
  // The transport `docker` writes its names with two slashes before them.
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
