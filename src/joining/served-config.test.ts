import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyConfig } from '../../test/oracle/ignition-arbitraries.ts';
import type { ControllerConfigSpec, MachineConfig, MachineConfigPool } from '../api/index.ts';
import { canonicalJson } from '../base/json.ts';
import { parseYaml } from '../base/yaml/index.ts';
import {
  type File,
  fileContents,
  parseIgnition,
  TARGET_VERSIONS,
  type TargetVersion,
} from '../config/ignition/index.ts';
import { type JoinSnapshot, servedConfig, servedConfigName } from './served-config.ts';

const NAME = 'rendered-worker-1';
const P = 'machineconfiguration.openshift.io';

function pool(status: object = {}, target = NAME): MachineConfigPool {
  return {
    apiVersion: `${P}/v1`,
    kind: 'MachineConfigPool',
    metadata: { name: 'worker' },
    spec: { configuration: { name: target } },
    status: { configuration: { name: NAME }, updatedMachineCount: 1, ...status },
  } as MachineConfigPool;
}

function configWith(spec: object, name = NAME): MachineConfig {
  const metadata = { name, uid: 'u', managedFields: [{ manager: 'kubectl' }] };
  return { apiVersion: `${P}/v1`, kind: 'MachineConfig', metadata, spec } as unknown as MachineConfig;
}

const CONTROLLER_CONFIG = {
  kubeAPIServerServingCAData: btoa('kubelet CA\n'),
  rootCAData: btoa('\n'),
  cloudProviderCAData: null,
} as unknown as ControllerConfigSpec;

function snapshotOf(ignition: object, rest: Partial<JoinSnapshot> = {}): JoinSnapshot {
  return {
    pool: pool(),
    config: configWith({ config: { ignition: { version: '3.5.0' }, ...ignition } }),
    controllerConfig: CONTROLLER_CONFIG,
    osConfigs: [],
    osBuilds: [],
    bootstrap: { server: 'https://api.example:6443', authorityPem: 'CA', token: 'abc.def' },
    ...rest,
  };
}

function served(snapshot: JoinSnapshot, version: TargetVersion = '3.5.0') {
  const outcome = servedConfig(snapshot, version);
  if (outcome.kind === 'invalid') throw new Error(JSON.stringify(outcome.problems));
  const parsed = parseIgnition(JSON.parse(outcome.value));
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}

function filesOf(snapshot: JoinSnapshot, version?: TargetVersion): ReadonlyMap<string, File> {
  return new Map((served(snapshot, version).storage?.files ?? []).map((file) => [file.path, file]));
}

function textAt(files: ReadonlyMap<string, File>, path: string): string {
  const contents = fileContents(files.get(path)?.contents ?? {});
  if (contents.kind === 'invalid') throw new Error(path);
  return new TextDecoder().decode(contents.value);
}

const ANNOTATIONS = '/etc/machine-config-daemon/node-annotations.json';
const ENCAPSULATED = '/etc/ignition-machine-config-encapsulated.json';
const CONTENT = '/etc/mcs-machine-config-content.json';
const KUBECONFIG = '/etc/kubernetes/kubeconfig';

describe('servedConfigName', () => {
  it.each([
    ['the target once a machine has it', { updatedMachineCount: 1 }, 'rendered-worker-2'],
    ['the config that the pool runs until then', { updatedMachineCount: 0 }, NAME],
    ['the config that the pool runs without counts', { updatedMachineCount: undefined }, NAME],
    [
      'the target of a pool that runs nothing yet',
      { updatedMachineCount: 0, configuration: {} },
      'rendered-worker-2',
    ],
  ])('is %s', (_, status, name) => {
    expect(servedConfigName(pool(status, 'rendered-worker-2'))).toBe(name);
  });
});

describe('servedConfig', () => {
  it('adds the annotations, the kubeconfig and the MachineConfig, which is the last file', () => {
    const files = filesOf(
      snapshotOf({ storage: { files: [{ path: '/etc/a', contents: { source: 'data:,x' } }] } }),
    );
    expect([...files.keys()]).toEqual([
      '/etc/a',
      '/etc/kubernetes/kubelet-ca.crt',
      ANNOTATIONS,
      KUBECONFIG,
      CONTENT,
      ENCAPSULATED,
    ]);
    expect(textAt(files, ANNOTATIONS)).toBe(
      `{"${P}/currentConfig":"${NAME}","${P}/desiredConfig":"${NAME}","${P}/firstPivotConfig":"${NAME}","${P}/state":"Done"}`,
    );
    expect(textAt(files, '/etc/kubernetes/kubelet-ca.crt')).toBe('kubelet CA\n');
    expect(files.get(ANNOTATIONS)).toMatchObject({ mode: 0o644, overwrite: true });
    expect(files.get(KUBECONFIG)).toMatchObject({ mode: 0o600 });
  });

  it('writes a kubeconfig with which the kubelet asks for its certificate', () => {
    const parsed = parseYaml(textAt(filesOf(snapshotOf({})), KUBECONFIG));
    expect(parsed.kind === 'ok' && parsed.value[0]?.value).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'local',
          cluster: { server: 'https://api.example:6443', 'certificate-authority-data': btoa('CA') },
        },
      ],
      users: [{ name: 'kubelet', user: { token: 'abc.def' } }],
      contexts: [{ name: 'kubelet', context: { cluster: 'local', user: 'kubelet' } }],
      'current-context': 'kubelet',
      preferences: {},
    });
  });

  it('writes the whole MachineConfig, and one with an empty Ignition of the version', () => {
    const files = filesOf(snapshotOf({ passwd: { users: [{ name: 'core' }] } }), '3.2.0');
    const content = JSON.parse(textAt(files, CONTENT)) as MachineConfig;
    expect(content).toMatchObject({ metadata: { name: NAME }, spec: { config: { passwd: {} } } });
    expect(content.metadata).not.toHaveProperty('managedFields');
    expect(textAt(files, CONTENT)).toContain('\n    "kind": "MachineConfig",\n');
    const encapsulated = JSON.parse(textAt(files, ENCAPSULATED)) as MachineConfig;
    expect(encapsulated.spec?.config).toEqual({ ignition: { version: '3.2.0' } });
  });

  it.each(['3.2.0', '2.2.0'] as const)('moves kernel arguments into the MachineConfig for %s', (version) => {
    const snapshot = snapshotOf(
      {},
      {
        config: configWith({
          kernelArguments: ['a'],
          config: { ignition: { version: '3.5.0' }, kernelArguments: { shouldExist: ['b', 'c'] } },
        }),
      },
    );
    expect(served(snapshot, version)).not.toHaveProperty('kernelArguments');
    const encapsulated = JSON.parse(textAt(filesOf(snapshot, version), ENCAPSULATED)) as MachineConfig;
    expect(encapsulated.spec?.kernelArguments).toEqual(['a', 'b', 'c']);
    expect(served(snapshot, '3.3.0').kernelArguments).toEqual({ shouldExist: ['b', 'c'] });
  });

  it('refuses kernel arguments that should not exist before 3.3', () => {
    const snapshot = snapshotOf({ kernelArguments: { shouldNotExist: ['quiet'] } });
    expect(servedConfig(snapshot, '3.2.0')).toMatchObject({
      kind: 'invalid',
      problems: [{ path: 'kernelArguments.shouldNotExist' }],
    });
  });

  it('replaces what the config has at its paths, whatever it is', () => {
    const snapshot = snapshotOf({
      storage: {
        files: [
          { path: KUBECONFIG, contents: { source: 'data:,mine' } },
          { path: '/etc/kubernetes/kubelet-ca.crt', contents: { source: 'data:,old' } },
        ],
        links: [{ path: CONTENT, target: '/etc/a' }],
        directories: [{ path: ANNOTATIONS }],
      },
    });
    const files = filesOf(snapshot);
    expect(textAt(files, KUBECONFIG)).toContain('abc.def');
    expect(textAt(files, '/etc/kubernetes/kubelet-ca.crt')).toBe('kubelet CA\n');
    expect(served(snapshot).storage).not.toHaveProperty('links');
    expect(served(snapshot).storage).not.toHaveProperty('directories');
  });

  it('keeps the certificate of a registry that the config has, and adds the others', () => {
    const bundle = (file: string) => ({ file, data: btoa(`CA of ${file}`) });
    const controllerConfig = {
      ...CONTROLLER_CONFIG,
      imageRegistryBundleUserData: [bundle('a.example'), bundle('b.example..5000')],
    };
    const own = { path: '/etc/docker/certs.d/a.example/ca.crt', contents: { source: 'data:,mine' } };
    const files = filesOf(snapshotOf({ storage: { files: [own] } }, { controllerConfig }));
    expect(textAt(files, own.path)).toBe('mine');
    expect(textAt(files, '/etc/docker/certs.d/b.example:5000/ca.crt')).toBe('CA of b.example..5000');
  });

  it('serves a MachineConfig without Ignition', () => {
    const files = filesOf(snapshotOf({}, { config: configWith({ kernelArguments: null }) }));
    expect(files.has(ANNOTATIONS)).toBe(true);
  });

  it('reports a config that it cannot parse', () => {
    const config = configWith({ config: { ignition: { version: '4.0.0' } } });
    expect(servedConfig(snapshotOf({}, { config }), '3.5.0')).toMatchObject({ kind: 'invalid' });
  });

  it.each(TARGET_VERSIONS)('leaves what it was given as it was, in %s', (version) => {
    fc.assert(
      fc.property(anyConfig, (ignition) => {
        const snapshot = snapshotOf({}, { config: configWith({ config: ignition }) });
        const before = canonicalJson(snapshot as never);
        servedConfig(snapshot, version);
        expect(canonicalJson(snapshot as never)).toBe(before);
      }),
      { numRuns: 50 },
    );
  });
});

describe('servedConfig of a layered pool', () => {
  const IMAGE = `registry.example/os@sha256:${'a'.repeat(64)}`;
  const layered = (image: string, overrides: Partial<JoinSnapshot> = {}, state = 'Succeeded'): JoinSnapshot =>
    snapshotOf(
      {},
      {
        osConfigs: [
          {
            metadata: { name: 'worker' },
            spec: { machineConfigPool: { name: 'worker' } },
            status: { currentImagePullSpec: image },
          },
        ] as unknown as JoinSnapshot['osConfigs'],
        osBuilds: [
          {
            metadata: { name: 'worker-1' },
            spec: { machineOSConfig: { name: 'worker' }, machineConfig: { name: NAME } },
            status: { digestedImagePushSpec: image, conditions: [{ type: state, status: 'True' }] },
          },
        ] as unknown as JoinSnapshot['osBuilds'],
        ...overrides,
      },
    );

  it('boots straight into the image', () => {
    const files = filesOf(layered(IMAGE));
    expect(JSON.parse(textAt(files, ANNOTATIONS))).toMatchObject({
      [`${P}/currentImage`]: IMAGE,
      [`${P}/desiredImage`]: IMAGE,
    });
    for (const path of [CONTENT, ENCAPSULATED]) {
      expect(JSON.parse(textAt(files, path))).toMatchObject({ spec: { osImageURL: IMAGE } });
    }
  });

  it('boots straight into an image of a registry of the cluster that machines reach', () => {
    const image = IMAGE.replace('registry.example', 'reg.ns.svc:5000');
    const files = filesOf(layered(image, { reachableRegistries: ['reg.ns.svc:5000'] }));
    expect(JSON.parse(textAt(files, ANNOTATIONS))).toMatchObject({ [`${P}/currentImage`]: image });
  });

  it.each([
    ['no machine runs the config yet', layered(IMAGE, { pool: pool({ updatedMachineCount: 0 }) })],
    ['the build runs', layered(IMAGE, {}, 'Building')],
    ['the build failed', layered(IMAGE, {}, 'Failed')],
    [
      'the image is in a registry of the cluster',
      layered(IMAGE.replace('registry.example', 'reg.ns.svc:5000')),
    ],
    [
      'the image is in a registry of the cluster, with its domain',
      layered(IMAGE.replace('registry.example', 'reg.ns.svc.cluster.local:5000')),
    ],
    ['the build was of another config', layered(IMAGE, { pool: pool({}, 'rendered-worker-2') })],
    ['there is no build', layered(IMAGE, { osBuilds: [] })],
    ['there is no image', layered('')],
  ])('boots the base OS where %s', (_, snapshot) => {
    const files = filesOf(snapshot);
    expect(JSON.parse(textAt(files, ANNOTATIONS))).not.toHaveProperty(`${P}/currentImage`);
    expect(JSON.parse(textAt(files, ENCAPSULATED))).not.toHaveProperty('spec.osImageURL');
  });
});
