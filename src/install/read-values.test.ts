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
    [{ imge: 'x' }, 'imge', 'there is no such value: docs/install-values.md lists them'],
    [{ daemon: { prt: 1 } }, 'daemon.prt', 'there is no such value'],
    [{ tolerations: [{ keey: 'a' }] }, 'tolerations[0].keey', 'there is no such value'],
    [{ image: 'millwright' }, 'image', 'must be an image with a registry and a tag or digest'],
    [{ image: 'registry.example/millwright' }, 'image', 'must be an image with a registry and a tag'],
    [{ builderImage: 'millwright:1' }, 'builderImage', 'must be an image with a registry and a tag'],
    [{ image: null }, 'image', 'must be an image with a registry'],
    [{ base: 'debian' }, 'base', 'Unsupported value: "debian": supported values: "none", "coreos"'],
    [{ replicas: 0 }, 'replicas', 'should be greater than or equal to 1'],
    [{ replicas: '2' }, 'replicas', 'must be of type integer'],
    [{ pauseMaster: 'yes' }, 'pauseMaster', 'must be of type boolean'],
    [{ daemon: { port: 65_536 } }, 'daemon.port', 'should be less than or equal to 65535'],
    [{ imagePullSecrets: ['a'] }, 'imagePullSecrets[0]', 'must be of type object'],
    [{ imagePullSecrets: [{}] }, 'imagePullSecrets[0].name', 'Required value'],
    [{ resources: { daemon: null } }, 'resources.daemon', 'Required value'],
  ])('refuses %j', (given, path, message) => {
    expect(read(given)).toEqual({
      kind: 'invalid',
      problems: [expect.objectContaining({ path, message: expect.stringContaining(message) })],
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
