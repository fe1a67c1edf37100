/** OS images that a node cannot pull, by the answer of the registry. Nothing is drained for an image that cannot be pulled. */

import type { NextCommand } from '../finding.ts';
import { shell } from '../shell.ts';
import { type FailureDetails, type FailureKind, sourcesOf } from './failure-kind.ts';

const PREFIX = /failed to update OS to (\S+) after retries: /i;

/** The image, and what follows it that the pattern knows. */
function pullOf(why: string): RegExp {
  return new RegExp(`${PREFIX.source}.*(?:${why})`, 'i');
}

/** The evidence has the error as a whole. */
const cause =
  (what: string) =>
  ({ node, match }: FailureDetails) =>
    `node ${node} cannot pull its OS image ${match}, ${what}`;

/** Which host, port, certificate or proxy it is about is known by the error alone. */
const causeWithError = (what: string) => (details: FailureDetails) =>
  `${cause(what)(details)}: ${details.error.replace(PREFIX, '')}`;

const inspect = ({ match }: FailureDetails, why: string): NextCommand => ({
  command: shell`skopeo inspect docker://${match}`,
  why,
});

export const OS_FAILURES: readonly FailureKind[] = [
  {
    code: 'DiskFull',
    pattern: /no space left on device|disk quota exceeded|\bENOSPC\b/i,
    cause: ({ node, error }) => `a disk of node ${node} is full: ${error}`,
    next: ({ node }) => [
      { command: 'df -h / /boot /var /etc', why: 'on the machine' },
      {
        command: shell`kubectl describe node ${node}`,
        why: 'its condition DiskPressure; the daemon tries again by itself',
      },
    ],
  },
  {
    code: 'OSImageRejected',
    pattern: pullOf('Source image rejected|signature|policy\\.json'),
    cause: cause('which its signature policy rejects'),
    next: () => [
      { command: 'kubectl get clusterimagepolicies,imagepolicies -A', why: 'the policies that apply to it' },
      { command: 'cat /etc/containers/policy.json', why: 'on the machine' },
    ],
  },
  {
    code: 'OSRegistryNotTrusted',
    pattern: pullOf('x509|certificate|unknown authority|self-signed|unable to verify'),
    cause: causeWithError('since it does not trust the certificate of the registry'),
    next: () => [
      {
        command: 'kubectl get image.config.openshift.io cluster -o yaml',
        why: 'spec.additionalTrustedCA names the ConfigMap with the CAs of registries (docs/synced-files.md)',
      },
    ],
  },
  {
    code: 'OSImageUnauthorized',
    pattern: pullOf('unauthorized|authentication required|denied|\\b401\\b|\\b403\\b|invalid username'),
    cause: cause('since the registry refuses its credentials'),
    next: ({ namespace }) => [
      {
        command: shell`kubectl -n ${namespace} get secrets pull-secret global-pull-secret-copy`,
        why: 'the credentials of nodes; a change reaches them without a rollout',
      },
    ],
  },
  {
    code: 'OSImageNotFound',
    pattern: pullOf('manifest unknown|name unknown|not found|manifest invalid|\\b404\\b'),
    cause: cause('which does not exist'),
    next: (details) => [inspect(details, 'is it there?'), sourcesOf(details)],
  },
  {
    code: 'OSRegistryUnreachable',
    pattern: pullOf(
      'dial |lookup |no such host|time(d )?out|refused|reset by peer|unreachable|\\bEOF\\b|no route|proxy',
    ),
    cause: causeWithError('since it cannot reach the registry'),
    next: (details) => [
      inspect(details, 'on the machine: DNS, proxy and mirrors as the node has them'),
      { command: 'kubectl get imagedigestmirrorsets,imagetagmirrorsets', why: 'mirrors of this registry' },
    ],
  },
  {
    code: 'OSImageNotPulled',
    pattern: PREFIX,
    cause: causeWithError('for another reason'),
    next: (details) => [inspect(details, 'what the registry answers'), sourcesOf(details)],
  },
];
