import { describe, expect, it } from 'vitest';
import type { Json } from '../base/json.ts';
import { readValues } from './read-values.ts';
import { defaultValues } from './values.ts';

const defaults = defaultValues('1.2.3');
const read = (given: Json) => readValues(defaults, given);

describe('readValues', () => {
  it('accepts the defaults', () => {
    expect(read({})).toEqual({ kind: 'ok', value: defaults, warnings: [] });
  });

  it('merges mappings, replaces lists and scalars, and removes what is null, as Helm does', () => {
    const given = {
      replicas: 3,
      nodeSelector: { pool: 'infra', 'kubernetes.io/os': null },
      tolerations: [{ operator: 'Exists' }],
      resources: { controller: { limits: { memory: '2Gi' } } },
    };
    const { value } = read(given) as { readonly value: typeof defaults };
    expect(value).toEqual({
      ...defaults,
      replicas: 3,
      nodeSelector: { pool: 'infra' },
      tolerations: [{ operator: 'Exists' }],
      resources: {
        ...defaults.resources,
        controller: { requests: defaults.resources.controller.requests, limits: { memory: '2Gi' } },
      },
    });
  });

  it.each<[Json, string, string]>([
    [[], '', 'values are a mapping of names to values'],
    [
      { imge: 'x' },
      'imge',
      'there is no such value (did you mean image?): docs/install-values.md lists them',
    ],
    [{ daemon: { prt: 1 } }, 'daemon.prt', 'there is no such value (did you mean port?)'],
    [{ true: 1 }, 'true', 'y and n are true or false unless quoted'],
    [{ tolerations: [{ keey: 'a' }] }, 'tolerations[0].keey', 'there is no such value'],
    [{ image: 'millwright' }, 'image', 'must be an image with a registry and a tag or digest'],
    [{ image: 'registry.example/millwright' }, 'image', 'must be an image with a registry and a tag'],
    [{ builderImage: 'millwright:1' }, 'builderImage', 'must be an image with a registry and a tag'],
    [{ image: 'millwright' }, 'image', '(given: "millwright")'],
    [{ image: `a${'b'.repeat(600)}` }, 'image', `(given: "a${'b'.repeat(98)}…)`],
    [{ image: null }, 'image', 'must be an image with a registry'],
    [{ namespace: 'No_Name' }, 'namespace', 'must be the name of a namespace'],
    [{ namespace: 'a'.repeat(64) }, 'namespace', 'must be the name of a namespace'],
    [
      { namespace: 'kube-system' },
      'namespace',
      'a namespace of its own, not one of the cluster (given: "kube-system")',
    ],
    [{ base: 'debian' }, 'base', 'Unsupported value: "debian": supported values: "none", "coreos"'],
    [{ replicas: 0 }, 'replicas', 'should be greater than or equal to 1 (given: 0)'],
    [{ replicas: 'two' }, 'replicas', 'must be an integer (given: "two")'],
    [{ pauseMaster: 'yes' }, 'pauseMaster', 'must be true or false (given: "yes")'],
    [
      { clientCertificates: { approve: 'no' } },
      'clientCertificates.approve',
      'must be true or false (given: "no")',
    ],
    [
      { servingCertificates: { approve: 'no' } },
      'servingCertificates.approve',
      'must be true or false (given: "no")',
    ],
    [{ nodeSelector: { 'a.b/c': 1 } }, 'nodeSelector.a.b/c', 'must be a string (given: 1)'],
    [{ daemon: { port: 65_536 } }, 'daemon.port', 'should be less than or equal to 65535'],
    [{ imagePullSecrets: ['a'] }, 'imagePullSecrets[0]', 'must be a mapping (given: "a")'],
    [
      { clusterDns: { address: '10.0.0' } },
      'clusterDns.address',
      'must be an IP address, such as 10.96.0.10, or empty (given: "10.0.0")',
    ],
    [{ clusterDns: { address: '10.0.0.256' } }, 'clusterDns.address', 'must be an IP address'],
    [{ clusterDns: { address: 'fd00:::1' } }, 'clusterDns.address', 'must be an IP address'],
    [{ server: { allowSources: '10.0.0.0' } }, 'server.allowSources', 'must be CIDRs separated by commas'],
    [{ imagePullSecrets: [{}] }, 'imagePullSecrets[0].name', 'Required value'],
    [{ resources: { daemon: null } }, 'resources.daemon', 'Required value'],
  ])('refuses %j', (given, path, message) => {
    expect(read(given)).toEqual({
      kind: 'invalid',
      problems: [expect.objectContaining({ path, message: expect.stringContaining(message) })],
    });
  });

  it.each<[string, Json, string]>([
    ['cpu', 'lots', 'must be a number of cores, such as 1 or "0.5", or thousandths of one, such as 100m'],
    ['cpu', '1Gi', '(given: "1Gi")'],
    ['cpu', 0.5, '(given: 0.5)'],
    ['cpu', -1, '(given: -1)'],
    ['memory', '512MB', 'must be a number of bytes with a unit such as 512Mi, 2Gi or 500M'],
    ['memory', '512m', '(given: "512m")'],
    ['memory', '512mi', '(given: "512mi")'],
    ['memory', '-1Gi', '(given: "-1Gi")'],
    ['memory', '1 Gi', '(given: "1 Gi")'],
    ['memory', '', '(given: "")'],
    ['memory', true, '(given: true)'],
    ['ephemeral-storage', 'none', '(given: "none")'],
    ['memry', '1Gi', 'there is no such value'],
  ])('refuses the limit %s of %j', (name, amount, message) => {
    const path = `resources.daemon.limits.${name}`;
    expect(read({ resources: { daemon: { limits: { [name]: amount } } } })).toEqual({
      kind: 'invalid',
      problems: [expect.objectContaining({ path, message: expect.stringContaining(message) })],
    });
  });

  it.each<[string, Json]>([
    ['cpu', 2],
    ['cpu', '1.5'],
    ['cpu', '250m'],
    ['memory', 1_073_741_824],
    ['memory', '1.5Gi'],
    ['memory', '900M'],
    ['ephemeral-storage', '10Gi'],
  ])('accepts the limit %s of %j', (name, amount) => {
    expect(read({ resources: { daemon: { limits: { [name]: amount } } } })).toMatchObject({
      kind: 'ok',
      value: { resources: { daemon: { limits: { [name]: amount } } } },
    });
  });

  it('refuses a request above the limit, which no pod can have', () => {
    const given = { resources: { operator: { requests: { memory: '1Gi' }, limits: { memory: '800Mi' } } } };
    const message = 'must not be more than the limit 800Mi (given: 1Gi)';
    expect(read(given)).toEqual({
      kind: 'invalid',
      problems: [{ path: 'resources.operator.requests.memory', message }],
    });
  });

  it.each([
    'registry.example/millwright:1.0',
    'registry.example:5000/a/b/millwright:1.0-rc.1',
    `registry.example/millwright@sha256:${'a'.repeat(64)}`,
  ])('accepts the image %s', (image) => {
    expect(read({ image })).toMatchObject({ kind: 'ok', value: { image } });
  });
});
