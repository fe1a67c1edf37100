import { describe, expect, it } from 'vitest';
import { annotations, type MachineOSConfig } from '../../api/index.ts';
import type { Node, Secret } from '../../kubernetes/types/index.ts';
import type { BuildSnapshot } from './build-snapshot.ts';
import { configProblem } from './config-problem.ts';

const NAMESPACE = 'openshift-machine-config-operator';
const secret = (change: object = {}) =>
  ({
    metadata: { name: 'push', namespace: NAMESPACE },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': btoa('{"auths":{}}') },
    ...change,
  }) as unknown as Secret;
const node = (osImage: string) =>
  ({ metadata: { name: 'n' }, status: { nodeInfo: { osImage } } }) as unknown as Node;

type Change = Partial<Omit<BuildSnapshot, 'config'>> & {
  readonly spec?: object;
  readonly name?: string;
  readonly annotations?: { readonly [key: string]: string };
};

function reasonOf({
  spec = {},
  name = 'infra',
  annotations: values = {},
  ...change
}: Change): string | undefined {
  const config = {
    metadata: { name, annotations: values },
    spec: {
      machineConfigPool: { name: 'infra' },
      renderedImagePushSecret: { name: 'push' },
      renderedImagePushSpec: 'quay.io/example/os:latest',
      ...spec,
    },
  } as unknown as MachineOSConfig;
  const snapshot = { config, pool: {}, nodes: [], secrets: { push: secret() }, ...change };
  const problem = configProblem(snapshot as unknown as BuildSnapshot);
  expect(problem?.message).not.toBe('');
  return problem?.reason;
}

const NO_BASE64 = { data: { '.dockerconfigjson': btoa('{"auths":{"a":{"auth":"!!!notbase64"}}}') } };
const base = { baseImagePullSecret: { name: 'base' } };
const digest = `sha256:${'a'.repeat(64)}`;

describe('configProblem', () => {
  // biome-ignore format: a table, one row per line
  it.each<[string, Change, string | undefined]>([
    ['none', {}, undefined],
    ['an older config for the pool', { rival: 'a' }, 'AnotherMachineOSConfig'],
    ['a pool that does not exist', { pool: undefined as never }, 'PoolNotFound'],
    ['a name of 24 characters', { name: 'a'.repeat(24) }, undefined],
    ['a name of 25 characters', { name: 'a'.repeat(25) }, 'NameTooLong'],
    ['a push spec with capitals', { spec: { renderedImagePushSpec: 'quay.io/Os/a:b' } }, 'InvalidPushSpec'],
    ['a push spec that is nested too deep', { spec: { renderedImagePushSpec: 'quay.io/a/b/c:d' } }, 'InvalidPushSpec'],
    ['no push secret', { secrets: {} }, 'SecretNotFound'],
    ['a push secret of another type', { secrets: { push: secret({ type: 'Opaque' }) } }, 'InvalidSecret'],
    ['a push secret that is no JSON', { secrets: { push: secret({ data: { '.dockerconfigjson': btoa('x') } }) } }, 'InvalidSecret'],
    ['a push secret whose auth is not base64', { secrets: { push: secret(NO_BASE64) } }, 'InvalidSecret'],
    ['a base secret whose auth is not base64', { spec: base, secrets: { push: secret(), base: secret(NO_BASE64) } }, 'InvalidSecret'],
    ['an auth that is not base64 in the pull secret of the cluster', { secrets: { push: secret(), base: secret(NO_BASE64) } }, undefined],
    ['no base secret where one is named', { spec: base }, 'SecretNotFound'],
    ['a base secret of another type', { spec: base, secrets: { push: secret(), base: secret({ type: 'Opaque' }) } }, 'InvalidSecret'],
    ['a pull secret of the cluster that is wrong', { secrets: { push: secret(), base: secret({ data: {} }) } }, 'InvalidSecret'],
    ['a pre-built image by digest', { annotations: { [annotations.preBuiltImage]: `quay.io/a/b@${digest}` } }, undefined],
    ['a pre-built image by tag', { annotations: { [annotations.preBuiltImage]: 'quay.io/a/b:c' } }, 'InvalidPreBuiltImage'],
    ['a pre-built image that the status would refuse', { annotations: { [annotations.preBuiltImage]: `quay.io/a/b/c@${digest}` } }, 'InvalidPreBuiltImage'],
    ['a pre-built image that comes too late', { annotations: { [annotations.preBuiltImage]: 'x', [annotations.currentMachineOSBuild]: 'b' } }, undefined],
    ['a node with Red Hat CoreOS', { nodes: [node('Red Hat Enterprise Linux CoreOS 418.94.202501')] }, undefined],
    ['a node with CentOS Stream CoreOS', { nodes: [node('CentOS Stream CoreOS 9')] }, undefined],
    ['a node that has not reported its OS', { nodes: [node('')] }, undefined],
    ['a node with another OS', { nodes: [node('Fedora CoreOS 41'), node('Ubuntu 24.04 LTS')] }, 'NotCoreOS'],
  ])('finds %s', (_, change, expected) => {
    expect(reasonOf(change)).toBe(expected);
  });
});
