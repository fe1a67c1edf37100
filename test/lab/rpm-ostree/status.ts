/** `rpm-ostree status`, for people and for programs. */
import type { LabDeployment } from './deployments.ts';

const KEY_COLUMNS = 26;

export function printStatus(deployments: readonly LabDeployment[]): string {
  const rows = deployments.map(({ isBooted, reference, commit, digest, version, timestampSeconds }) => {
    const date = new Date(timestampSeconds * 1000).toISOString().replace('.000Z', 'Z');
    const line = (key: string, value: string) => `${key.padStart(KEY_COLUMNS - 1)}: ${value}\n`;
    const name = `${isBooted ? '*' : ' '} ${reference === '' ? commit : reference}\n`;
    return `${name}${digest === '' ? '' : line('Digest', digest)}${line('Version', `${version} (${date})`)}`;
  });
  return `State: idle\nDeployments:\n${rows.join('\n')}`;
}

export function statusJson(deployments: readonly LabDeployment[]): string {
  const rows = deployments.map((deployment) => ({
    id: `lab-${deployment.commit}.${deployment.serial}`,
    osname: 'lab',
    serial: Number(deployment.serial),
    booted: deployment.isBooted,
    staged: deployment.isStaged,
    version: deployment.version,
    checksum: deployment.commit,
    ...(deployment.reference === '' ? {} : { 'container-image-reference': deployment.reference }),
    ...(deployment.digest === '' ? {} : { 'container-image-reference-digest': deployment.digest }),
    'requested-packages': [],
    'requested-base-removals': [],
    'requested-local-packages': [],
    timestamp: deployment.timestampSeconds,
  }));
  return `${JSON.stringify({ deployments: rows, transaction: null, 'cached-update': null }, undefined, 2)}\n`;
}
