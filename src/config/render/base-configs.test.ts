import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { MachineConfig } from '../../api/index.ts';
import { formatProblem } from '../../base/errors.ts';
import { parseYaml } from '../../base/yaml/index.ts';
import { fileContents, formatMode, type IgnitionConfig, parseIgnition } from '../ignition/index.ts';
import type { BaseConfigInput } from './base-config-input.ts';
import { baseConfigs } from './base-configs.ts';
import type { TemplateTree } from './template-tree.ts';

const folder = fileURLToPath(new URL('../../../templates', import.meta.url));
const shipped: TemplateTree = new Map(
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile())
    .map((item) => join(item.parentPath, item.name))
    .map((path) => [relative(folder, path), readFileSync(path, 'utf8')]),
);

const minimal: BaseConfigInput = { controllerVersion: 'v1', roles: ['master', 'worker', 'arbiter'] };
const full: BaseConfigInput = {
  ...minimal,
  controllerConfig: {
    clusterDNSIP: '10.96.0.10',
    ipFamilies: 'IPv6',
    proxy: { httpProxy: 'http://p:3128', httpsProxy: 'http://p:3129', noProxy: '.example.com, 10.0.0.0/8' },
    additionalTrustBundle: btoa('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'),
    cloudProviderConfig: '[Global]\nzone = a\n',
    images: { infraImageKey: 'registry.example.com/pause:3.10' },
    infra: {
      status: { platformStatus: { type: 'AWS' }, apiServerInternalURI: 'https://api-int.example.com:6443' },
    },
  },
  pullSecret: '{\n  "auths": { "z.example.com": {"auth": "a b="}, "1": {} }\n}\n',
  tlsProfile: { type: 'Modern' },
  sshAuthorizedKeys: ['ssh-ed25519 AAAA a@b', ' ssh-ed25519 AAAA a@b\n', '', 'ssh-ed25519 BBBB'],
};

const worker = (input: Partial<BaseConfigInput>): BaseConfigInput => ({
  ...minimal,
  roles: ['worker'],
  ...input,
});

describe('baseConfigs rejects', () => {
  it('a role without templates', () => {
    expect(problemsOf(shipped, worker({ roles: ['infra'] }))).toEqual([
      'roles: there are no templates for the role "infra"',
    ]);
  });

  it('an SSH key with two lines', () => {
    const problems = problemsOf(shipped, worker({ sshAuthorizedKeys: ['a', 'a\nb'] }));
    expect(problems).toEqual(['sshAuthorizedKeys[1]: must be one line']);
  });

  it('a broken common template, reported once', () => {
    const path = 'common/_base/units/a.yaml';
    const tree = new Map([...shipped, [path, "name: a.service\ncontents: '{{nothing}}'"] as const]);
    expect(problemsOf(tree, minimal)).toEqual([`${path}: there is no value named "nothing"`]);
  });

  it('all problems of templates, including unused ones, and of the input', () => {
    const tree = new Map([
      ['worker/00-worker/aws/units/a.yaml', 'name: 1'],
      ['worker/00-worker/_base/units/b.yaml', "name: b.service\ncontents: '{{nothing}}'"],
    ]);
    expect(problemsOf(tree, worker({}))).toEqual([
      'worker/00-worker/aws/units/a.yaml: name: must be a string',
      'worker/00-worker/_base/units/b.yaml: there is no value named "nothing"',
    ]);
    expect(problemsOf(tree, worker({ pullSecret: '1' }))).toEqual([
      'worker/00-worker/aws/units/a.yaml: name: must be a string',
      'pullSecret: must be a JSON object',
    ]);
    expect(problemsOf(new Map([['README.md', '']]), worker({}))).toHaveLength(1);
  });
});

describe('the shipped templates', () => {
  const few = configsOf(shipped, minimal);
  const many = configsOf(shipped, full);

  it('produce the golden files and units', async () => {
    const golden = [
      '# With every input. Files marked * need one, and are not there without it.\n',
      ...many.map((machineConfig) => summary(machineConfig, few)),
    ];
    await expect(golden.join('\n')).toMatchFileSnapshot('../../../test/golden/base-configs.txt');
  });

  it('produce MachineConfigs of every role, labelled and marked as generated, without an OS image', () => {
    for (const { apiVersion, kind, metadata, spec } of many) {
      expect({ apiVersion, kind }).toEqual({
        apiVersion: 'machineconfiguration.openshift.io/v1',
        kind: 'MachineConfig',
      });
      const role = /^\d\d-(master|worker|arbiter)(?:-|$)/.exec(metadata.name)?.[1];
      expect(metadata.labels).toEqual({ 'machineconfiguration.openshift.io/role': role });
      const generated = { 'machineconfiguration.openshift.io/generated-by-controller-version': 'v1' };
      expect(metadata.annotations).toEqual(metadata.name.endsWith('-ssh') ? undefined : generated);
      expect(Object.keys(spec ?? {})).toEqual(['config']);
    }
    const names = few.map(({ metadata }) => metadata.name);
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(many.map(({ metadata }) => metadata.name));
  });

  it.each([...few, ...many])('produce valid Ignition 3.5.0: $metadata.name', ({ spec }) => {
    const parsed = parseIgnition(spec?.config);
    expect(parsed).toMatchObject({ kind: 'ok', warnings: [], value: { ignition: { version: '3.5.0' } } });
    expect(JSON.stringify(spec?.config)).not.toContain('{{');
    const { storage, systemd } = (spec?.config ?? {}) as Partial<IgnitionConfig>;
    for (const file of storage?.files ?? []) {
      expect(file).toMatchObject({
        overwrite: true,
        contents: { source: expect.stringMatching(/^data:,[\w\-.!~*'()%]*$/) },
      });
    }
    for (const text of textsOf(spec?.config as IgnitionConfig).values()) expect(text).not.toContain('{{');
    for (const unit of systemd?.units ?? []) {
      if (unit.enabled) expect(unit.contents).toMatch(/^\[Install\]\n(Wanted|Required)By=/m);
    }
  });

  it('contain scripts with valid shell syntax', () => {
    const texts = [...textsOf(configIn(few, '00-worker')).values()].filter((text) => text.startsWith('#!'));
    const commands = (configIn(few, '00-worker').systemd?.units ?? [])
      .flatMap(({ contents = '' }) => [...contents.matchAll(/^ExecStart=\/bin\/sh -c '(.*)'$/gm)])
      .map(([, command = '']) => command.replaceAll('$$', '$'));
    expect([texts.length, commands.length]).toEqual([1, 1]);
    for (const input of [...texts, ...commands]) execFileSync('sh', ['-n'], { input });
  });

  it('reserve the given amounts, or amounts by the size of the node', () => {
    const script =
      textsOf(configIn(few, '00-worker')).get('/usr/local/sbin/dynamic-system-reserved-calc.sh') ?? '';
    const directory = mkdtempSync(join(tmpdir(), 'reserved-'));
    try {
      const output = join(directory, 'conf.d', 'out.conf');
      const reservedWith = (enabled: string) => {
        execFileSync('sh', ['-s', enabled, '1Gi', '500m', '2Gi', output], { input: script });
        expect(readdirSync(join(directory, 'conf.d'))).toEqual(['out.conf']);
        return yamlOf(readFileSync(output, 'utf8'));
      };
      const header = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
      const fixed = { cpu: '500m', memory: '1Gi', 'ephemeral-storage': '2Gi' };
      expect(reservedWith('false')).toEqual({ ...header, systemReserved: fixed });
      const sized = { cpu: expect.stringMatching(/^\d+m$/), memory: expect.stringMatching(/^[1-9]\d*Mi$/) };
      expect(reservedWith('true')).toMatchObject({ ...header, systemReserved: sized });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

describe('the kubelet', () => {
  const kubeletOf = (input: BaseConfigInput, role: string) =>
    yamlOf(textsOf(configOf(shipped, input, `01-${role}-kubelet`)).get('/etc/kubernetes/kubelet.conf') ?? '');
  const unitOf = (input: BaseConfigInput, role: string) =>
    configOf(shipped, input, `01-${role}-kubelet`).systemd?.units?.find(
      ({ name }) => name === 'kubelet.service',
    );
  const everywhere = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      x509: { clientCAFile: '/etc/kubernetes/kubelet-ca.crt' },
      anonymous: { enabled: false },
    },
    cgroupDriver: 'systemd',
    cgroupRoot: '/',
    clusterDomain: 'cluster.local',
    containerLogMaxSize: '50Mi',
    enableSystemLogQuery: true,
    featureGates: { NodeLogQuery: true },
    kubeAPIBurst: 100,
    kubeAPIQPS: 50,
    maxPods: 250,
    memorySwap: { swapBehavior: 'NoSwap' },
    nodeStatusReportFrequency: '5m',
    nodeStatusUpdateFrequency: '10s',
    podPidsLimit: 4096,
    protectKernelDefaults: true,
    rotateCertificates: true,
    serializeImagePulls: false,
    serverTLSBootstrap: true,
    staticPodPath: '/etc/kubernetes/manifests',
    systemCgroups: '/system.slice',
    tlsMinVersion: 'VersionTLS12',
    tlsCipherSuites: [
      'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
      'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
      'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
      'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
      'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
      'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256',
    ],
  };
  const byRole: readonly [string, object][] = [
    ['master', { failSwapOn: true }],
    ['arbiter', { failSwapOn: true }],
    [
      'worker',
      {
        failSwapOn: false,
        systemReservedCgroup: '/system.slice',
        enforceNodeAllocatable: ['pods', 'system-reserved-compressible'],
      },
    ],
  ];
  it.each(byRole)('has default settings in the role %s', (role, particular) => {
    expect(kubeletOf(minimal, role)).toEqual({ ...everywhere, ...particular });
  });

  it('gets the cluster DNS and the TLS profile if given', () => {
    const { tlsCipherSuites: _, ...rest } = everywhere;
    expect(kubeletOf(full, 'master')).toEqual({
      ...rest,
      failSwapOn: true,
      clusterDNS: ['10.96.0.10'],
      tlsMinVersion: 'VersionTLS13',
    });
  });

  it.each(['k8s.example', '10.1', 'true', 'cluster.local'])(
    'gets the domain %s of the cluster as a text',
    (domain) => {
      const dns = { spec: {}, status: { clusterDomain: domain } };
      const input = { ...minimal, controllerConfig: { ...minimal.controllerConfig, dns } };
      for (const [role, particular] of byRole) {
        expect(kubeletOf(input, role)).toEqual({ ...everywhere, ...particular, clusterDomain: domain });
      }
    },
  );

  it('gets flags only for platforms and IP families that need them', () => {
    const flagsWith = (input: BaseConfigInput) =>
      /--v=\S+(.*) \\$/m.exec(unitOf(input, 'worker')?.contents ?? '')?.[1];
    expect(flagsWith(minimal)).toBe('');
    expect(flagsWith(full)).toBe(' --cloud-provider=external --node-ip=::');
  });

  it('registers control plane nodes with a taint, except on single-node clusters', () => {
    const single = {
      ...minimal,
      controllerConfig: { infra: { status: { controlPlaneTopology: 'SingleReplica' } } },
    };
    const taint = '--register-with-taints=node-role.kubernetes.io/master=:NoSchedule';
    expect(unitOf(minimal, 'master')?.dropins?.[0]?.contents).toContain(taint);
    expect(unitOf(single, 'master')).toMatchObject({ enabled: true });
    expect(unitOf(single, 'master')?.dropins).toBeUndefined();
    expect(unitOf(minimal, 'worker')?.dropins).toBeUndefined();
  });
});

describe('inputs', () => {
  const filesOf = (input: BaseConfigInput, name: string) => textsOf(configOf(shipped, input, name));

  it('are rendered into the golden files', () => {
    const files = filesOf(full, '00-worker');
    expect(files.get('/var/lib/kubelet/config.json')).toBe(
      '{"auths":{"z.example.com":{"auth":"a b="},"1":{}}}\n',
    );
    expect(files.get('/etc/mco/proxy.env')).toBe(
      'HTTP_PROXY=http://p:3128\nHTTPS_PROXY=http://p:3129\nNO_PROXY=.example.com,10.0.0.0/8\n',
    );
    expect(files.get('/etc/kubernetes/apiserver-url.env')).toBe(
      "KUBERNETES_SERVICE_HOST='api-int.example.com'\nKUBERNETES_SERVICE_PORT='6443'\n",
    );
    expect(files.get('/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt')).toBe(
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
    );
    expect(filesOf(full, '01-worker-kubelet').get('/etc/kubernetes/cloud.conf')).toBe('[Global]\nzone = a\n');
    expect(filesOf(full, '01-worker-container-runtime').get('/etc/crio/crio.conf.d/00-default')).toContain(
      'global_auth_file = "/var/lib/kubelet/config.json"\npause_image = "registry.example.com/pause:3.10"\npause_command = ""\n',
    );
  });

  it('that are missing produce an empty file where the file must exist', () => {
    const files = filesOf(minimal, '00-worker');
    expect(files.get('/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt')).toBe('');
    expect(files.get('/etc/mco/proxy.env')).toBe('');
    expect(files.get('/etc/docker/certs.d/.create')).toBe('');
  });

  it('for node sizing apply to workers only', () => {
    const sizing = (role: string) => filesOf(minimal, `00-${role}`).get('/etc/node-sizing-enabled.env');
    const rest = 'SYSTEM_RESERVED_MEMORY=1Gi\nSYSTEM_RESERVED_CPU=500m\nSYSTEM_RESERVED_ES=1Gi\n';
    expect(sizing('worker')).toBe(`NODE_SIZING_ENABLED=true\n${rest}`);
    expect(sizing('master')).toBe(`NODE_SIZING_ENABLED=false\n${rest}`);
    expect(sizing('arbiter')).toBe(sizing('master'));
  });

  it('for SSH produce a user with each key once, or an empty config', () => {
    const users = [{ name: 'core', sshAuthorizedKeys: ['ssh-ed25519 AAAA a@b', 'ssh-ed25519 BBBB'] }];
    expect(configOf(shipped, full, '99-worker-ssh')).toEqual({
      ignition: { version: '3.5.0' },
      passwd: { users },
    });
    expect(configOf(shipped, minimal, '99-worker-ssh')).toEqual({ ignition: { version: '3.5.0' } });
  });
});

function configsOf(templates: TemplateTree, input: BaseConfigInput): readonly MachineConfig[] {
  const outcome = baseConfigs(templates, input);
  if (outcome.kind === 'invalid') throw new Error(outcome.problems.map(formatProblem).join('\n'));
  return outcome.value;
}

function problemsOf(templates: TemplateTree, input: BaseConfigInput): readonly string[] {
  const outcome = baseConfigs(templates, input);
  return outcome.kind === 'ok' ? [] : outcome.problems.map(formatProblem);
}

function configOf(templates: TemplateTree, input: BaseConfigInput, name: string): IgnitionConfig {
  return configIn(configsOf(templates, input), name);
}

function configIn(configs: readonly MachineConfig[], name: string): IgnitionConfig {
  const found = configs.find(({ metadata }) => metadata.name === name);
  // What baseConfigs made is Ignition; that it is valid has a test of its own.
  return found?.spec?.config as IgnitionConfig;
}

/** The contents of each file, as text. */
function textsOf(config: IgnitionConfig): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { path, contents } of config.storage?.files ?? []) {
    const bytes = fileContents(contents);
    if (bytes.kind === 'ok') texts.set(path, new TextDecoder().decode(bytes.value));
  }
  return texts;
}

function yamlOf(text: string): unknown {
  const documents = parseYaml(text);
  return documents.kind === 'ok' ? documents.value[0]?.value : documents.problems;
}

function summary({ metadata, spec }: MachineConfig, few: readonly MachineConfig[]): string {
  const config = spec?.config as IgnitionConfig;
  const always = new Set(configIn(few, metadata.name).storage?.files?.map(({ path }) => path));
  const lines = [metadata.name];
  for (const { path, mode } of config.storage?.files ?? []) {
    lines.push(`  file ${formatMode(mode ?? 0)} ${path}${always.has(path) ? '' : ' *'}`);
  }
  for (const { name, enabled, contents, dropins } of config.systemd?.units ?? []) {
    lines.push(
      `  unit ${name}${contents === undefined ? '' : ' whole'}${enabled === true ? ' enabled' : ''}`,
    );
    for (const dropin of dropins ?? []) lines.push(`    ${dropin.name}`);
  }
  for (const { name, sshAuthorizedKeys } of config.passwd?.users ?? []) {
    lines.push(`  user ${name} with ${sshAuthorizedKeys?.length ?? 0} keys`);
  }
  return `${lines.join('\n')}\n`;
}
