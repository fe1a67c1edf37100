import { describe, expect, it } from 'vitest';
import type { ControllerConfigSpec } from '../../api/index.ts';
import { formatProblem } from '../../base/errors.ts';
import type { BaseConfigInput } from './base-config-input.ts';
import { templateChoice } from './template-values.ts';

type Given = Omit<BaseConfigInput, 'controllerVersion' | 'roles'>;
const choose = (given: Given) => templateChoice({ controllerVersion: 'v1', roles: [], ...given });
const valuesOf = (given: Given) => {
  const choice = choose(given);
  if (choice.kind === 'invalid') throw new Error(choice.problems.map(formatProblem).join('\n'));
  return choice.value.values;
};
const infra = (status: { readonly [key: string]: unknown }): Given => ({
  controllerConfig: { infra: { status } },
});

describe('templateValues rejects', () => {
  const secret = 'pullSecret: must be a JSON object';
  const url = 'must be an https URL of a host and a port, not';
  const cases: readonly [string, Given, string][] = [
    ['a pull secret that is not JSON, without quoting it', { pullSecret: '{"auths": hunter2}' }, secret],
    ['a pull secret that is only a text', { pullSecret: '"hunter2"' }, secret],
    ['a pull secret that is a list', { pullSecret: '[]' }, secret],
    [
      'a trust bundle that is not base64',
      { controllerConfig: { additionalTrustBundle: '-----BEGIN' } },
      'controllerConfig.additionalTrustBundle: must be valid base64',
    ],
    [
      'a proxy that would add a variable, without repeating its password',
      { controllerConfig: { proxy: { httpProxy: 'http://u:hunter2@p\nLD_PRELOAD=x' } } },
      'controllerConfig.proxy.httpProxy: must be ASCII without spaces, quotes and backslashes',
    ],
    [
      'a proxy with a quote',
      { controllerConfig: { proxy: { noProxy: "a,'b" } } },
      'controllerConfig.proxy.noProxy: must be ASCII without spaces, quotes and backslashes',
    ],
    [
      'a DNS address that would add a setting',
      { controllerConfig: { clusterDNSIP: '10.0.0.10\nmaxPods: 1' } },
      'controllerConfig.clusterDNSIP: must be an IP address, not "10.0.0.10\\nmaxPods: 1"',
    ],
    [
      'a domain that would add a setting',
      { controllerConfig: { dns: { status: { clusterDomain: 'a\nmaxPods: 1' } } } },
      'controllerConfig.dns.status.clusterDomain: must be a domain, not "a\\nmaxPods: 1"',
    ],
    ['an API URL with a path', { apiServerUrl: 'https://a/k8s' }, `apiServerUrl: ${url} "https://a/k8s"`],
    ['an API URL without TLS', { apiServerUrl: 'http://a:1' }, `apiServerUrl: ${url} "http://a:1"`],
    [
      'an API URL that would leave its quotes',
      infra({ apiServerInternalURI: "https://a'b" }),
      `controllerConfig.infra.status.apiServerInternalURI: ${url} "https://a'b"`,
    ],
    [
      'a field of the wrong type',
      infra({ platformStatus: { type: 7 } }),
      'controllerConfig.infra.status.platformStatus.type: must be a string',
    ],
    [
      'a TLS profile that the kubelet cannot have',
      { tlsProfile: { type: 'Custom', custom: { ciphers: ['NULL'] } } },
      'tlsProfile.custom.ciphers: holds no cipher that the kubelet knows',
    ],
  ];
  it.each(cases)('%s', (_, given, expected) => {
    const choice = choose(given);
    expect(choice.kind === 'invalid' && choice.problems.map(formatProblem)).toEqual([expected]);
  });
});

describe('templateValues warns about', () => {
  it.each([
    [
      infra({ platformStatus: { type: 'Moon' } }),
      'controllerConfig.infra.status.platformStatus.type: unknown platform "Moon" counts as None',
    ],
    [
      { controllerConfig: { ipFamilies: 'IPv5' } },
      'controllerConfig.ipFamilies: unknown families "IPv5" count as IPv4',
    ],
    [
      { controllerConfig: { additionalTrustBundle: btoa('# caf\xe9') } },
      'controllerConfig.additionalTrustBundle: is not UTF-8 throughout; the other bytes are replaced',
    ],
  ] as const)('%j', (given, expected) => {
    const choice = choose(given);
    expect(choice.kind === 'ok' && choice.warnings.map(formatProblem)).toEqual([expected]);
  });
});

describe('values', () => {
  it('are empty without input, except for the kubelet TLS settings and the usual domain', () => {
    const { kubeletTls, kubeletClusterDns, ...rest } = valuesOf({});
    expect(kubeletClusterDns).toBe('clusterDomain: cluster.local');
    expect(kubeletTls).toMatch(/^tlsMinVersion: VersionTLS12\ntlsCipherSuites:\n( {2}- TLS_\w+\n?){6}$/);
    expect(new Set(Object.values(rest))).toEqual(new Set(['']));
    expect(valuesOf({ pullSecret: ' \n', controllerConfig: { proxy: null, infra: null } })).toEqual(
      valuesOf({}),
    );
  });

  it('come from the spec of a stored ControllerConfig', () => {
    const spec: ControllerConfigSpec = {
      clusterDNSIP: '10.0.0.10',
      cloudProviderConfig: '',
      ipFamilies: 'IPv4',
      kubeAPIServerServingCAData: '',
      rootCAData: '',
      cloudProviderCAData: null,
      additionalTrustBundle: null,
      images: {},
      baseOSContainerImage: '',
      releaseImage: '',
      proxy: null,
      network: null,
      dns: null,
      infra: { spec: {}, status: { platformStatus: { type: 'None' } } },
    };
    expect(valuesOf({ controllerConfig: spec })).toEqual({
      ...valuesOf({}),
      kubeletClusterDns: 'clusterDNS:\n  - "10.0.0.10"\nclusterDomain: cluster.local',
    });
  });

  it('contain the pull secret on one line, with its order of keys and strings unchanged', () => {
    const given = '{ "b" : {"auth": "x  \\" y\\\\"},\n\t"1": 1.0, "b": [ 1 , 2 ] }\r\n';
    expect(valuesOf({ pullSecret: given }).pullSecret).toBe(
      '{"b":{"auth":"x  \\" y\\\\"},"1":1.0,"b":[1,2]}',
    );
  });

  it('contain the proxy as environment variables', () => {
    const proxy = { httpsProxy: 'http://u:p%40@h:1/?a=b&c=$d;', noProxy: ' .a.example , 10.0.0.0/8,\n::1 ' };
    expect(valuesOf({ controllerConfig: { proxy } }).proxyEnvironment).toBe(
      'HTTPS_PROXY=http://u:p%40@h:1/?a=b&c=$d;\nNO_PROXY=.a.example,10.0.0.0/8,::1',
    );
  });

  it.each([
    ['https://[fd00::1]:6443/', 'fd00::1', '6443'],
    ['https://api.example.com', 'api.example.com', '443'],
    ['https://192.0.2.7:6443', '192.0.2.7', '6443'],
  ])('contain host and port of %s', (apiServerUrl, apiServerHost, apiServerPort) => {
    const other = infra({ apiServerInternalURI: 'https://other:1' });
    expect(valuesOf({ ...other, apiServerUrl })).toMatchObject({ apiServerHost, apiServerPort });
    expect(valuesOf(infra({ apiServerInternalURI: apiServerUrl }))).toMatchObject({
      apiServerHost,
      apiServerPort,
    });
  });

  it('quote strings for TOML', () => {
    const images = { infraImageKey: 'a"\nb = 1' };
    expect(valuesOf({ controllerConfig: { images } }).crioPauseImage).toBe(
      'pause_image = "a\\"\\nb = 1"\npause_command = ""',
    );
  });

  const external = (state: string) => ({ type: 'External', external: { cloudControllerManager: { state } } });
  it.each([
    ['', { type: 'None' }, 'IPv4'],
    ['', { type: 'BareMetal' }, 'DualStack'],
    ['', external('None'), ''],
    [' --cloud-provider=external', external('External'), ''],
    [' --cloud-provider=external', { type: 'VSphere' }, 'IPv4'],
    [' --node-ip=::', { type: '' }, 'DualStackIPv6Primary'],
  ])('contain the flags %j for %j and %j', (flags, platformStatus, ipFamilies) => {
    const given = { controllerConfig: { ipFamilies, infra: { status: { platformStatus } } } };
    expect(valuesOf(given).kubeletFlags).toBe(flags);
  });
});

describe('variants', () => {
  it.each([
    [{}, ['_base', 'none']],
    [{ controllerConfig: { platform: 'oVirt' } }, ['_base', 'ovirt']],
    [infra({ platformStatus: { type: 'AWS' }, controlPlaneTopology: 'HighlyAvailable' }), ['_base', 'aws']],
    [infra({ controlPlaneTopology: 'SingleReplica' }), ['_base', 'none', 'sno']],
    // No folder can be reached through the name of a platform.
    [infra({ platformStatus: { type: 'SNO' } }), ['_base', 'none']],
  ] as const)('for %j', (given, variants) => {
    expect(choose(given)).toMatchObject({ value: { variants } });
  });
});
