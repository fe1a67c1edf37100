import { describe, expect, test } from 'vitest';
import type { MachineConfig, MachineConfigPool, MachineOSConfig } from '../../api/index.ts';
import { buildName, imageInputsDigest } from './build-name.ts';

const RELEASE = 'machineconfiguration.openshift.io/release-image-version';

function inputs() {
  const config = {
    metadata: { name: 'infra' },
    spec: {
      machineConfigPool: { name: 'infra' },
      imageBuilder: { imageBuilderType: 'Job' },
      renderedImagePushSecret: { name: 'push-secret' },
      renderedImagePushSpec: 'quay.io/example/os:latest',
      containerFile: [
        {
          containerfileArch: 'NoArch',
          content: 'FROM configs AS final\nRUN dnf install -y tree && ostree container commit',
        },
      ],
    },
  } as unknown as MachineOSConfig;
  const source = (name: string) => ({
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    name,
  });
  const pool = {
    metadata: { name: 'infra' },
    spec: {
      configuration: {
        name: 'rendered-infra-6208c0db8119cfe2c9c4e42099617a43',
        source: [source('00-worker'), source('99-infra-ssh')],
      },
    },
  } as unknown as MachineConfigPool;
  const rendered = {
    metadata: {
      name: 'rendered-infra-6208c0db8119cfe2c9c4e42099617a43',
      annotations: { [RELEASE]: '4.22.0' },
    },
    spec: {
      osImageURL: `quay.io/rel/os@sha256:${'a'.repeat(64)}`,
      baseOSExtensionsContainerImage: `quay.io/rel/ext@sha256:${'b'.repeat(64)}`,
    },
  } as unknown as MachineConfig;
  return { config, pool, rendered };
}

describe('buildName', () => {
  test('is the name of upstream for an empty configuration', () => {
    const config = {
      metadata: { name: 'worker' },
      spec: {
        containerFile: [],
        imageBuilder: { imageBuilderType: 'Job' },
        machineConfigPool: { name: 'worker' },
        renderedImagePushSecret: { name: '' },
        renderedImagePushSpec: 'registry.hostname.com/org/repo:latest',
      },
    } as unknown as MachineOSConfig;
    const image = (digest: string) => `registry.hostname.com/org/repo@sha256 string = ${digest}`;
    const rendered = {
      metadata: { name: 'rendered-worker-1', annotations: { [RELEASE]: 'release-version' } },
      spec: {
        osImageURL: image('220a60ecd4a3c32c282622a625a54db9ba0ff55b5ba9c29c7064a2bc358b6a3e'),
        baseOSExtensionsContainerImage: image(
          '5fb4ba1a651bae8057ec6b5cdafc93fa7e0b7d944d6f02a4b751de4e15464def',
        ),
      },
    } as unknown as MachineConfig;
    const pool = { metadata: { name: 'worker' }, spec: { paused: true } } as unknown as MachineConfigPool;
    expect(buildName({ config, pool, rendered })).toBe('worker-699e6be74658adcb3ff2b48f32cd1584');
  });

  test('is the name of upstream for a pool with sources and a Containerfile', () => {
    expect(buildName(inputs())).toBe('infra-431b28e65c05518130d823bafbffe0ce');
  });

  test('omits empty fields of the configuration', () => {
    const { config, pool, rendered } = inputs();
    const empty = { ...pool.spec?.configuration, uid: '', fieldPath: '' };
    const same = { ...pool, spec: { ...pool.spec, configuration: empty } } as unknown as MachineConfigPool;
    expect(buildName({ config, pool: same, rendered })).toBe('infra-431b28e65c05518130d823bafbffe0ce');
  });
});

describe('imageInputsDigest', () => {
  const changed = (spec: object) => {
    const { config, rendered } = inputs();
    return imageInputsDigest({
      config,
      rendered: { ...rendered, spec: { ...rendered.spec, ...spec } } as MachineConfig,
    });
  };

  test('is the same where only files, units or the unused extensions image differ', () => {
    expect(changed({ config: { storage: { files: [{ path: '/etc/motd' }] } } })).toBe(changed({}));
    expect(changed({ baseOSExtensionsContainerImage: 'quay.io/rel/other' })).toBe(changed({}));
    expect(changed({ kernelType: '' })).toBe(changed({ kernelType: 'default' }));
  });

  test.each([
    ['OS image', { osImageURL: 'quay.io/rel/os2' }],
    ['kernel type', { kernelType: 'realtime' }],
    ['extensions', { extensions: ['usbguard'] }],
    ['kernel arguments', { kernelArguments: ['nosmt'] }],
  ])('differs with another %s', (_, spec) => {
    expect(changed(spec)).not.toBe(changed({}));
  });

  test('differs with another extensions image where extensions are used', () => {
    const extensions = ['usbguard'];
    expect(changed({ extensions, baseOSExtensionsContainerImage: 'quay.io/rel/other' })).not.toBe(
      changed({ extensions }),
    );
  });

  test('differs with another MachineOSConfig spec', () => {
    const { config, rendered } = inputs();
    const other = { ...config, spec: { ...config.spec, containerFile: [] } } as unknown as MachineOSConfig;
    expect(imageInputsDigest({ config: other, rendered })).not.toBe(imageInputsDigest({ config, rendered }));
  });
});
