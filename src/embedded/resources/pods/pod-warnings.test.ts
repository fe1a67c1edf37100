/** Recorded from kube-apiserver 1.33. */
import { describe, expect, it } from 'vitest';
import { created, updated } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { podStrategy as strategy } from './pod.ts';

const container = { name: 'a', image: 'x' };
const pod = (spec: JsonObject, name = 'a'): JsonObject => ({
  metadata: { name },
  spec: { containers: [container], ...spec },
});

describe('podWarnings', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    [
      'duplicate environment variables',
      {
        containers: [
          {
            ...container,
            env: [
              { name: 'A', value: '1' },
              { name: 'A', value: '2' },
            ],
          },
        ],
      },
      ['spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply'],
    ],
    [
      'deprecated node labels',
      { nodeSelector: { 'failure-domain.beta.kubernetes.io/zone': 'a', 'beta.kubernetes.io/arch': 'amd64' } },
      [
        'spec.nodeSelector[beta.kubernetes.io/arch]: deprecated since v1.14; use "kubernetes.io/arch" instead',
        'spec.nodeSelector[failure-domain.beta.kubernetes.io/zone]: deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
      ],
    ],
    [
      'fractional byte quantities',
      { containers: [{ ...container, resources: { requests: { memory: '100m' } } }] },
      [
        'spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer',
      ],
    ],
    [
      'duplicate ports',
      { containers: [{ ...container, ports: [{ containerPort: 80 }, { containerPort: 80 }] }] },
      ['spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]'],
    ],
    [
      'an image pull secret without a name',
      { imagePullSecrets: [{ name: '' }] },
      ['spec.imagePullSecrets[0].name: invalid empty name ""'],
    ],
    [
      'duplicate image pull secrets',
      { imagePullSecrets: [{ name: 'a' }, { name: 'a' }] },
      ['spec.imagePullSecrets[1].name: duplicate name "a"'],
    ],
    [
      'duplicate host aliases',
      { hostAliases: [{ ip: '1.1.1.1' }, { ip: '1.1.1.1' }] },
      ['spec.hostAliases[1].ip: duplicate ip "1.1.1.1"'],
    ],
    [
      'a removed volume type',
      { volumes: [{ name: 'g', gitRepo: { repository: 'x' } }] },
      ['spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+'],
    ],
    ['nothing', {}, []],
  ])('warns of %s', (_, spec, warnings) => {
    expect(created(strategy, pod(spec)).warnings).toEqual(warnings);
  });

  it('warns of a name that is no valid hostname on create, but not on update', () => {
    const { object, warnings } = created(strategy, pod({}, 'a.b'));
    expect(warnings).toEqual([
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
    ]);
    expect(updated(strategy, object, object).warnings).toEqual([]);
  });
});
