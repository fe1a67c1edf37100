import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import {
  buildRegistriesConf,
  parseRegistryAlias,
  type RegistryAccess,
  reachableReference,
} from './build-registries-conf.ts';

const ALIAS = { name: 'image-registry.openshift-image-registry.svc:5000', address: '127.0.0.1:5003' };

function confOf(rendered: string | undefined, access: RegistryAccess): unknown {
  return parse(buildRegistriesConf(rendered, access) ?? '');
}

describe('buildRegistriesConf', () => {
  it('leaves the registries.conf of the machine in force where the build needs nothing else', () => {
    expect(buildRegistriesConf(undefined, { plainHttp: [] })).toBeUndefined();
  });

  it('keeps the settings and mirrors of the pool', () => {
    const rendered = `unqualified-search-registries = ["a.example"]

[[registry]]
prefix = ""
location = "quay.io/team"

[[registry.mirror]]
location = "mirror.example/team"
`;
    expect(confOf(rendered, { plainHttp: [] })).toEqual({
      'unqualified-search-registries': ['a.example'],
      registry: [
        {
          prefix: 'quay.io/team',
          location: 'quay.io/team',
          mirror: [{ location: 'mirror.example/team' }],
        },
      ],
    });
  });

  it('reaches the registry of the embedded cluster by its address, without TLS', () => {
    expect(confOf(undefined, { plainHttp: [], alias: ALIAS })).toEqual({
      registry: [
        { prefix: ALIAS.name, location: '127.0.0.1:5003', insecure: true },
        { location: '127.0.0.1:5003', insecure: true },
      ],
    });
  });

  it('reaches mirrors in the registry of the embedded cluster, and mirrors of it, by its address', () => {
    const rendered = `[[registry]]
location = "quay.io/team"
[[registry.mirror]]
location = "image-registry.openshift-image-registry.svc:5000/mirror/team"

[[registry]]
location = "image-registry.openshift-image-registry.svc:5000"
`;
    expect(confOf(rendered, { plainHttp: ['127.0.0.1:5003'], alias: ALIAS })).toEqual({
      registry: [
        {
          prefix: 'quay.io/team',
          location: 'quay.io/team',
          mirror: [{ location: '127.0.0.1:5003/mirror/team', insecure: true }],
        },
        { prefix: ALIAS.name, location: '127.0.0.1:5003', insecure: true },
        { location: '127.0.0.1:5003', insecure: true },
      ],
    });
  });

  it('does not change hosts whose names only begin alike', () => {
    const location = 'image-registry.openshift-image-registry.svc:50001/x';
    expect(confOf(`[[registry]]\nlocation = "${location}"`, { plainHttp: [], alias: ALIAS })).toMatchObject({
      registry: [{ location }, {}, {}],
    });
  });
});

describe('reachableReference', () => {
  it.each([
    [`${ALIAS.name}/os/infra:1`, '127.0.0.1:5003/os/infra:1'],
    ['quay.io/os/infra:1', 'quay.io/os/infra:1'],
  ])('%s is reached as %s', (reference, expected) => {
    expect(reachableReference(reference, ALIAS)).toBe(expected);
  });
});

describe('parseRegistryAlias', () => {
  it('reads name and address', () => {
    expect(parseRegistryAlias(`${ALIAS.name}=${ALIAS.address}`)).toEqual(ALIAS);
    expect(parseRegistryAlias('')).toBeUndefined();
  });
});
