import { describe, expect, it } from 'vitest';
import type { MachineConfig, MachineOSBuild, MachineOSConfig } from '../../api/index.ts';
import type { Secret } from '../../kubernetes/types/index.ts';
import { BUILD_PATHS, buildObjects } from './build-objects.ts';

const NAME = 'infra-0123456789abcdef0123456789abcdef';

function objects(given: Partial<Parameters<typeof buildObjects>[0]> = {}) {
  const secret = (name: string, host: string): Secret => ({
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name }, type: 'kubernetes.io/dockerconfigjson' },
    data: { '.dockerconfigjson': btoa(`{"auths":{"${host}":{"auth":"YTpi"}}}`) },
  });
  return buildObjects({
    namespace: 'ours',
    build: {
      metadata: { name: NAME, uid: 'uid-1', labels: {} },
      spec: { renderedImagePushSpec: `quay.io/example/os:${NAME}` },
    } as unknown as MachineOSBuild,
    config: { metadata: { name: 'infra' } } as unknown as MachineOSConfig,
    rendered: {
      metadata: { name: 'rendered-infra-1' },
      spec: { osImageURL: 'quay.io/a/os@sha256:1' },
    } as unknown as MachineConfig,
    containerfile: 'FROM scratch\n',
    secrets: { push: secret('push', 'quay.io'), base: secret('base', 'registry.example') },
    optional: {},
    builderImage: 'registry.example/builder:1',
    timeoutMs: 90_500,
    ...given,
  });
}

const pod = () => objects().job.spec.template.spec;
const container = (name: string) => {
  const { initContainers = [], containers = [] } = pod() ?? {};
  const found = [...initContainers, ...containers].find((one) => one.name === name);
  return { found, paths: (found?.volumeMounts ?? []).map(({ mountPath }) => mountPath) };
};

describe('the pod of a build', () => {
  it('has the account of build pods, whose token is not mounted by the kubelet', () => {
    expect(pod()).toMatchObject({
      serviceAccountName: 'machine-os-build-pod',
      automountServiceAccountToken: false,
      restartPolicy: 'Never',
    });
  });

  it.each(['image-build', 'image-push'])('has no token of the cluster in the container %s', (name) => {
    expect(container(name).paths).not.toContain(BUILD_PATHS.token);
  });

  it('has a token in the container that reports the digest, which has no credentials and no privileges', () => {
    const { found, paths } = container('create-digest-configmap');
    expect(paths).toEqual([BUILD_PATHS.done, BUILD_PATHS.token]);
    expect(found?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const token = pod()?.volumes?.find(({ name }) => name === 'token');
    expect(JSON.stringify(token)).toContain('serviceAccountToken');
  });

  it('runs nothing but commands of Millwright, with the builder’s image', () => {
    const { initContainers = [], containers = [] } = pod() ?? {};
    expect(
      [...initContainers, ...containers].map(({ command, image, args }) => [command, image, args]),
    ).toEqual([
      [['millwright', 'build-image'], 'registry.example/builder:1', undefined],
      [['millwright', 'push-image'], 'registry.example/builder:1', undefined],
      [['millwright', 'create-digest-configmap'], 'registry.example/builder:1', undefined],
    ]);
  });
});

describe('the objects of a build', () => {
  it('have names that the admission policies guard', () => {
    const { configMaps, secrets } = objects({ registriesConf: 'x', policyJson: '{}' });
    const names = [...configMaps, ...secrets].map(({ metadata }) => metadata.name);
    expect(names.toSorted()).toEqual(
      ['additionaltrustbundle', 'base', 'containerfile', 'etc-policy', 'etc-registries', 'final', 'mc'].map(
        (prefix) => `${prefix}-${NAME}`,
      ),
    );
  });
});
