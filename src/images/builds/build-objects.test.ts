import { describe, expect, it } from 'vitest';
import type { ControllerConfig, MachineConfig, MachineOSBuild, MachineOSConfig } from '../../api/index.ts';
import type { Secret } from '../../kubernetes/types/index.ts';
import { buildObjects } from './build-objects.ts';
import { unpackedConfig } from './config-archive.ts';

type Inputs = Parameters<typeof buildObjects>[0];

const secret = (auth: string) =>
  ({
    metadata: { name: 's', namespace: 'n' },
    type: 'kubernetes.io/dockercfg',
    data: { '.dockercfg': btoa(JSON.stringify({ 'quay.io': { auth } })) },
  }) as unknown as Secret;

const inputs = (change: Partial<Inputs> = {}): Inputs => ({
  namespace: 'ours',
  build: {
    metadata: { name: 'infra-1', uid: 'build-uid', labels: {} },
    spec: { renderedImagePushSpec: 'quay.io/example/os:infra-1' },
  } as unknown as MachineOSBuild,
  config: { metadata: { name: 'infra' } } as unknown as MachineOSConfig,
  rendered: {
    metadata: { name: 'rendered-infra-1' },
    spec: { osImageURL: 'quay.io/os' },
  } as unknown as MachineConfig,
  containerfile: 'FROM x',
  secrets: { push: secret('cHVzaA=='), base: secret('YmFzZQ==') },
  optional: {},
  builderImage: 'quay.io/builder',
  timeoutMs: 3_600_000,
  ...change,
});

type Container = {
  readonly name: string;
  readonly volumeMounts?: readonly { readonly name: string }[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
};
const podOf = (change: Partial<Inputs> = {}) => {
  const spec = buildObjects(inputs(change)).job.spec?.template.spec;
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])] as readonly Container[];
  return { spec, containers };
};
const mountsOf = (container: Container | undefined) => container?.volumeMounts?.map(({ name }) => name) ?? [];

describe('the objects of a build', () => {
  it('are named after it, and belong to it: the copy of the push credentials alone outlives it', () => {
    const { configMaps, secrets, job } = buildObjects(inputs());
    const owners = [...configMaps, ...secrets, job].map(({ metadata }) => [
      metadata.name,
      metadata.ownerReferences?.map(({ uid }) => uid) ?? [],
    ]);
    expect(owners).toEqual([
      ['containerfile-infra-1', ['build-uid']],
      ['mc-infra-1', ['build-uid']],
      ['additionaltrustbundle-infra-1', ['build-uid']],
      ['base-infra-1', ['build-uid']],
      ['final-infra-1', []],
      ['build-infra-1', ['build-uid']],
    ]);
  });

  it('have credentials in the one form that tools read, each for its own purpose', () => {
    const { secrets } = buildObjects(inputs());
    const texts = secrets.map(({ data }) => atob(data?.['.dockerconfigjson'] ?? ''));
    expect(texts).toEqual([
      '{"auths":{"quay.io":{"auth":"YmFzZQ=="}}}',
      '{"auths":{"quay.io":{"auth":"cHVzaA=="}}}',
    ]);
  });

  it('show the push credentials to the container that pushes, and to no other', () => {
    const { containers } = podOf();
    expect(containers.map(({ name }) => name)).toEqual([
      'image-build',
      'image-push',
      'create-digest-configmap',
    ]);
    const seeing = containers.filter((one) => mountsOf(one).includes('final-image-push-creds'));
    expect(seeing.map(({ name }) => name)).toEqual(['image-push']);
    expect(mountsOf(containers[1])).not.toContain('base-image-pull-creds');
  });

  it('mount a volume for every mount, and every volume somewhere', () => {
    const optional = {
      entitlement: 'etc-pki-entitlement-infra',
      yumRepos: 'etc-yum-repos-d',
      rpmGpg: 'etc-pki-rpm-gpg',
    };
    const { spec, containers } = podOf({ optional, registriesConf: 'x', policyJson: '{}' });
    const mounted = new Set(containers.flatMap(mountsOf));
    expect([...mounted].toSorted()).toEqual((spec?.volumes ?? []).map(({ name }) => name).toSorted());
  });

  it('say where optional inputs are, and only then', () => {
    const names = (change: Partial<Inputs>) =>
      podOf(change).containers[0]?.env?.map(({ name }) => name) ?? [];
    expect(names({})).not.toContain('ETC_YUM_REPOS_D_MOUNTPOINT');
    expect(names({ optional: { yumRepos: 'etc-yum-repos-d' } })).toContain('ETC_YUM_REPOS_D_MOUNTPOINT');
  });

  it('have the proxy and the trust bundle of the cluster', () => {
    const controllerConfig = {
      spec: { proxy: { httpsProxy: 'http://proxy:3128' }, additionalTrustBundle: 'UEVN' },
    } as unknown as ControllerConfig;
    const { configMaps } = buildObjects(inputs({ controllerConfig }));
    expect(configMaps[2]?.binaryData).toEqual({ 'openshift-config-user-ca-bundle.crt': 'UEVN' });
    const env = podOf({ controllerConfig }).containers[0]?.env;
    expect(env).toContainEqual({ name: 'HTTPS_PROXY', value: 'http://proxy:3128' });
  });

  it('hold the rendered config, packed in the same way every time', () => {
    const packed = () => buildObjects(inputs()).configMaps[1]?.data?.['machineconfig.json.gz'] ?? '';
    expect(unpackedConfig(packed())).toEqual(inputs().rendered);
    expect(packed()).toBe(packed());
  });

  it('are pulled by the default of the server: where a node does not have the tag or digest', () => {
    const { containers } = podOf();
    expect(containers.length).toBeGreaterThan(1);
    expect(containers.filter((container) => 'imagePullPolicy' in container)).toEqual([]);
  });

  it('end with the timeout of builds and after four attempts', () => {
    const { job } = buildObjects(inputs());
    expect(job.spec).toMatchObject({ backoffLimit: 3, completions: 1, activeDeadlineSeconds: 3600 });
  });
});
