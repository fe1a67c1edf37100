/** A KubeletConfig as the files of a node. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { KubeletConfigSpec } from '../../api/index.ts';
import { parseYaml } from '../../base/yaml/index.ts';
import { fileContents } from '../ignition/index.ts';
import { KUBELET_CONF, KUBELET_LOGGING_FILE, kubeletFiles, NODE_SIZING_FILE } from './kubelet-files.ts';

const BASE = `
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication:
  anonymous: {enabled: false}
  x509: {clientCAFile: /etc/kubernetes/kubelet-ca.crt}
cgroupDriver: systemd
enableSystemLogQuery: true
enforceNodeAllocatable: [pods, system-reserved-compressible]
featureGates: {NodeLogQuery: true}
kubeAPIQPS: 50
maxPods: 250
protectKernelDefaults: true
systemCgroups: /system.slice
systemReservedCgroup: /system.slice
tlsCipherSuites: [A]
tlsMinVersion: VersionTLS12
`;
const config = (kubeletConfig: object, more: Partial<KubeletConfigSpec> = {}): KubeletConfigSpec => ({
  // The tests hand in what the server would keep as it is.
  kubeletConfig: kubeletConfig as NonNullable<KubeletConfigSpec['kubeletConfig']>,
  ...more,
});

/** By path, in order. */
function filesOf(spec: KubeletConfigSpec, base = BASE): ReadonlyMap<string, string> {
  const files = kubeletFiles(spec, base);
  if (files.kind === 'invalid') throw new Error(JSON.stringify(files.problems));
  return new Map(
    files.value.map(({ path, contents }) => {
      const bytes = fileContents(contents);
      return [path, bytes.kind === 'ok' ? new TextDecoder().decode(bytes.value) : 'unreadable'];
    }),
  );
}

function kubeletOf(spec: KubeletConfigSpec, base = BASE): { readonly [name: string]: unknown } {
  const documents = parseYaml(filesOf(spec, base).get(KUBELET_CONF) ?? '');
  if (documents.kind === 'invalid') throw new Error(JSON.stringify(documents.problems));
  return documents.value[0]?.value as { readonly [name: string]: unknown };
}

describe('kubeletFiles rejects', () => {
  test('an invalid KubeletConfig', () => {
    expect(kubeletFiles(config({ cgroupDriver: 'x' }), BASE)).toMatchObject({ kind: 'invalid' });
  });

  test.each(['', '- a\n', '{'])('over the base %j', (base) => {
    const [problem] = invalidOf(kubeletFiles({}, base));
    expect(problem?.message).toMatch(/^could not get original kubelet config: /);
  });

  test('different cgroups of user and base', () => {
    const [problem] = invalidOf(kubeletFiles(config({ systemReservedCgroup: '/mine' }), BASE));
    expect(problem?.message).toBe(
      'KubeletConfiguration: systemReservedCgroup (/mine) must match systemCgroups (/system.slice)',
    );
  });

  test('a TLS profile that the kubelet would not start with', () => {
    const tlsSecurityProfile = {
      type: 'Custom',
      custom: { ciphers: ['X'], minTLSVersion: 'VersionTLS12' },
    } as const;
    const [problem] = invalidOf(kubeletFiles({ tlsSecurityProfile }, BASE));
    expect(problem?.message).toBe(
      'spec.tlsSecurityProfile.custom.ciphers: holds no cipher that the kubelet knows',
    );
  });
});

describe('kubelet.conf', () => {
  it('is the base with sorted keys if nothing is set', () => {
    expect(filesOf({}).get(KUBELET_CONF)).toMatch(
      /^apiVersion: kubelet\.config\.k8s\.io\/v1beta1\nauthentication:\n/,
    );
    expect(kubeletOf({})).toMatchObject({ maxPods: 250, featureGates: { NodeLogQuery: true } });
  });

  it('overrides the base with the settings of the user', () => {
    const merged = kubeletOf(
      config({ maxPods: 500, authentication: { webhook: { enabled: true } }, podsPerCore: 10 }),
    );
    expect(merged).toMatchObject({
      ...{ maxPods: 500, podsPerCore: 10, kubeAPIQPS: 50 },
      authentication: { anonymous: { enabled: false }, webhook: { enabled: true } },
    });
  });

  it.each<[string, unknown]>([
    ['enableSystemLogQuery', false],
    ['kubeAPIQPS', 0],
    ['protectKernelDefaults', false],
    ['staticPodPath', ''],
    ['enforceNodeAllocatable', []],
    ['podLogsDir', 'logs'],
  ])('has %s as set by the user, even if zero', (name, value) => {
    expect(kubeletOf(config({ [name]: value }))[name]).toEqual(value);
  });

  it('ignores null', () => {
    expect(kubeletOf(config({ maxPods: null, authentication: { anonymous: null } }))).toMatchObject({
      maxPods: 250,
      authentication: { anonymous: { enabled: false } },
    });
  });

  it('keeps an unknown field with a warning', () => {
    const files = kubeletFiles(config({ maxPod: 5, authentication: { oidc: {} } }), BASE);
    expect(files.kind === 'ok' && files.warnings.map(({ path }) => path)).toEqual([
      'spec.kubeletConfig.authentication.oidc',
      'spec.kubeletConfig.maxPod',
    ]);
    expect(kubeletOf(config({ maxPod: 5 }))).toMatchObject({ maxPod: 5 });
  });

  it('has the TLS profile of the user', () => {
    expect(kubeletOf({ tlsSecurityProfile: { type: 'Modern' } })).toMatchObject({
      tlsMinVersion: 'VersionTLS13',
    });
    expect(kubeletOf({ tlsSecurityProfile: { type: 'Modern' } })).not.toHaveProperty('tlsCipherSuites');
    const old = kubeletOf({ tlsSecurityProfile: { type: 'Old' } });
    expect(old).toMatchObject({ tlsMinVersion: 'VersionTLS10' });
    expect(old.tlsCipherSuites).toContain('TLS_RSA_WITH_3DES_EDE_CBC_SHA');
  });

  it('does not enforce the reservation in a cgroup if CPUs are reserved for the system', () => {
    const merged = kubeletOf(config({ reservedSystemCPUs: '0-1' }));
    expect(merged.enforceNodeAllocatable).toEqual(['pods']);
    expect(merged).not.toHaveProperty('systemReservedCgroup');
    const master = kubeletOf(config({ reservedSystemCPUs: '0' }), 'kind: KubeletConfiguration\n');
    expect(master.enforceNodeAllocatable).toEqual(['pods']);
  });

  it.each<[readonly string[], boolean]>([
    [['pods'], false],
    [['pods', 'system-reserved'], true],
    [['pods', 'system-reserved-compressible'], true],
  ])('with %j enforced names the cgroup of the system: %s', (enforceNodeAllocatable, isNamed) => {
    expect('systemReservedCgroup' in kubeletOf(config({ enforceNodeAllocatable }))).toBe(isNamed);
  });
});

describe('the other files', () => {
  it('precede kubelet.conf in a fixed order', () => {
    const spec = config({ systemReserved: { cpu: '1' } }, { logLevel: 5 });
    expect([...filesOf(spec).keys()]).toEqual([NODE_SIZING_FILE, KUBELET_LOGGING_FILE, KUBELET_CONF]);
    expect([...filesOf({}).keys()]).toEqual([KUBELET_CONF]);
  });

  it.each<[string, KubeletConfigSpec, string]>([
    ['computed', { autoSizingReserved: true }, 'true 1Gi 500m 1Gi'],
    ['not computed', { autoSizingReserved: false }, 'false 1Gi 500m 1Gi'],
    ['stated', config({ systemReserved: { memory: '3Gi' } }), 'false 3Gi 500m 1Gi'],
    [
      'all stated',
      config(
        { systemReserved: { cpu: '1', memory: '2Gi', 'ephemeral-storage': '5Gi' } },
        { autoSizingReserved: false },
      ),
      'false 2Gi 1 5Gi',
    ],
  ])('contain the reservations, %s', (_, spec, expected) => {
    const text = filesOf(spec).get(NODE_SIZING_FILE) ?? '';
    expect(text).toMatch(
      /^NODE_SIZING_ENABLED=\S+\nSYSTEM_RESERVED_MEMORY=\S+\nSYSTEM_RESERVED_CPU=\S+\nSYSTEM_RESERVED_ES=\S+\n$/,
    );
    expect(text.replace(/^.*=/gm, '').trim().split('\n').join(' ')).toBe(expected);
    expect(kubeletOf(spec)).not.toHaveProperty('systemReserved');
  });

  it('leave to the kubelet reservations that the node does not compute', () => {
    const spec = config({ systemReserved: { pid: '100', cpu: '1' } });
    expect(kubeletOf(spec).systemReserved).toEqual({ pid: '100' });
  });

  it('contain the log verbosity, even if zero', () => {
    const text = (logLevel: number) => filesOf({ logLevel }).get(KUBELET_LOGGING_FILE);
    expect(text(0)).toBe('[Service]\nEnvironment="KUBELET_LOG_LEVEL=0"\n');
    expect(text(8)).toContain('KUBELET_LOG_LEVEL=8');
  });
});

test('kubeletFiles never throws, and accepted settings parse again', () => {
  const keys = fc.constantFrom(
    'maxPods',
    'systemReserved',
    'authentication',
    '__proto__',
    'constructor',
    'x',
    'cpu',
  );
  const value = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 4 }, fc.jsonValue({ maxDepth: 1 }), fc.dictionary(keys, tie('tree'))),
  })).tree;
  fc.assert(
    fc.property(
      fc.dictionary(keys, value),
      fc.option(fc.integer(), { nil: undefined }),
      (given, logLevel) => {
        const spec = { ...config(given), ...(logLevel === undefined ? {} : { logLevel }) };
        const files = kubeletFiles(spec, BASE);
        if (files.kind === 'ok') expect(kubeletOf(spec)).toMatchObject({ kind: 'KubeletConfiguration' });
      },
    ),
  );
});

function invalidOf(outcome: ReturnType<typeof kubeletFiles>) {
  return outcome.kind === 'invalid' ? outcome.problems : [];
}
