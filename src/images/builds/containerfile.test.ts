import { describe, expect, test } from 'vitest';
import type { MachineConfig, MachineOSConfig } from '../../api/index.ts';
import { type ContainerfileInputs, composeContainerfile } from './containerfile.ts';
import { containerfileProblems } from './containerfile-syntax.ts';

const OS = `quay.io/rel/os@sha256:${'a'.repeat(64)}`;
const EXTENSIONS = `quay.io/rel/ext@sha256:${'b'.repeat(64)}`;

type Change = {
  readonly spec?: object;
  readonly containerFile?: readonly object[];
  readonly architectures?: readonly string[];
  readonly hasTrustBundle?: boolean;
};

function inputs(change: Change = {}): ContainerfileInputs {
  const { containerFile = [{ content: 'FROM configs AS final\nRUN true' }] } = change;
  return {
    config: {
      metadata: { name: 'infra' },
      spec: { machineConfigPool: { name: 'infra' }, containerFile },
    } as unknown as MachineOSConfig,
    rendered: {
      metadata: { name: 'rendered-infra-1' },
      spec: { osImageURL: OS, ...change.spec },
    } as unknown as MachineConfig,
    architectures: change.architectures ?? ['amd64'],
    hasTrustBundle: change.hasTrustBundle ?? false,
  };
}

function textOf(change: Change = {}): string {
  const outcome = composeContainerfile(inputs(change));
  return outcome.kind === 'ok' ? outcome.value : JSON.stringify(outcome.problems);
}

const problemsOf = (change: Change) => {
  const outcome = composeContainerfile(inputs(change));
  return outcome.kind === 'invalid' ? outcome.problems.map(({ message }) => message) : [];
};

describe('composeContainerfile', () => {
  test('unpacks the rendered config, applies its files and appends the content', () => {
    expect(textOf()).toBe(
      [
        `FROM ${OS} AS extract`,
        'COPY ./machineconfig/machineconfig.json.gz /tmp/machineconfig.json.gz',
        'RUN mkdir -p /etc/machine-config-daemon && base64 -d /tmp/machineconfig.json.gz | gunzip > /etc/machine-config-daemon/currentconfig',
        '',
        `FROM ${OS} AS configs`,
        'COPY --from=extract /etc/machine-config-daemon/currentconfig /etc/machine-config-daemon/currentconfig',
        'ADD ./machineconfig/files.tar /',
        'RUN ostree container commit',
        '',
        'LABEL machineconfig=rendered-infra-1',
        'LABEL machineconfigpool=infra',
        `LABEL baseOSContainerImage=${OS}`,
        '',
        'FROM configs AS final',
        'RUN true',
        '',
      ].join('\n'),
    );
  });

  test('installs extensions and another kernel from the extensions image', () => {
    const text = textOf({
      spec: {
        extensions: ['usbguard'],
        kernelType: 'realtime',
        baseOSExtensionsContainerImage: EXTENSIONS,
      },
    });
    expect(text).toContain(
      `--mount=type=bind,from=${EXTENSIONS},target=/tmp/mco-extensions/os-extensions-content`,
    );
    expect(text).toContain('rpm-ostree install usbguard');
    expect(text).toContain("Unable to perform the kernel swap to 'realtime'");
    expect(text).toContain('install kernel-rt-core kernel-rt-modules kernel-rt-modules-extra kernel-rt-kvm');
    expect(containerfileProblems(text, { needsFrom: true })).toEqual([]);
  });

  test('does not open the extensions image where nothing is installed from it', () => {
    expect(textOf({ spec: { baseOSExtensionsContainerImage: EXTENSIONS } })).toBe(textOf());
  });

  test('adds the CA bundle of the cluster', () => {
    expect(textOf({ hasTrustBundle: true })).toContain('RUN update-ca-trust');
  });

  test('prefers the entry for the architecture of the nodes over the one for all', () => {
    const containerFile = [
      { containerfileArch: 'NoArch', content: 'RUN all' },
      { containerfileArch: 'ARM64', content: 'RUN arm' },
    ];
    expect(textOf({ containerFile, architectures: ['arm64'] })).toContain('RUN arm');
    expect(textOf({ containerFile, architectures: ['amd64'] })).toContain('RUN all');
    // Neither of them has an entry of its own.
    expect(textOf({ containerFile, architectures: ['amd64', 's390x'] })).toContain('RUN all');
  });

  test('refuses entries that differ between the architectures of the nodes', () => {
    const containerFile = [
      { containerfileArch: 'NoArch', content: 'RUN all' },
      { containerfileArch: 'ARM64', content: 'RUN arm' },
    ];
    expect(problemsOf({ containerFile, architectures: ['amd64', 'arm64'] })).toEqual([
      'the nodes of the pool have several architectures (amd64, arm64), and one image is built for all: give one entry with containerfileArch NoArch, or split the pool',
    ]);
    expect(problemsOf({ containerFile, architectures: [] })).toEqual([
      'the architecture of the pool is not known before a node has joined it, and one image is built for all: give one entry with containerfileArch NoArch, or add a node',
    ]);
  });

  test('builds one image for several architectures where their entries are the same', () => {
    const same = ['AMD64', 'ARM64'].map((containerfileArch) => ({ containerfileArch, content: 'RUN all' }));
    expect(textOf({ containerFile: same, architectures: ['amd64', 'arm64'] })).toContain('RUN all');
    expect(textOf({ containerFile: [{ content: 'RUN all' }, ...same], architectures: [] })).toContain(
      'RUN all',
    );
  });

  test.each([
    [
      { containerFile: [{ content: 'FROM configs AS final\nRUM x' }] },
      'line 2: unknown Dockerfile instruction: rum',
    ],
    [{ spec: { extensions: ['nope'] } }, 'invalid extensions found: [nope]'],
    [{ spec: { kernelType: '64k-pages' } }, '64k-pages is only supported for aarch64 architecture'],
    [
      { spec: { osImageURL: '' } },
      'osImageURL of MachineConfig rendered-infra-1: "": invalid reference format: it is empty',
    ],
    [{ spec: { osImageURL: 'a\nRUN evil' } }, 'osImageURL of MachineConfig rendered-infra-1'],
  ])('refuses %j', (change, expected) => {
    expect(problemsOf(change)[0]).toContain(expected);
  });
});
