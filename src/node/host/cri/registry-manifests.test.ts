import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type VirtualEnv, virtualEnv } from '../../../../test/support/virtual-env.ts';
import { Failure } from '../../../base/errors.ts';
import {
  createInProcessRegistryTransport,
  createMemoryRegistryStore,
  createRegistry,
} from '../../../embedded/registry/index.ts';
import {
  buildImage,
  createRegistryClient,
  parseImageReference,
  pushImage,
  type RegistryAccess,
  type RegistryTransport,
} from '../../../images/index.ts';
import { createManifestReader } from './registry-manifests.ts';

const NEVER = new AbortController().signal;
const PLATFORM = { os: 'linux', architecture: 'amd64' };
const MINUTE = 60_000;
const GONE = `quay.io/team/gone@sha256:${'0'.repeat(64)}`;
const MIRRORED =
  '[[registry]]\nlocation = "quay.io"\n[[registry.mirror]]\nlocation = "mirror.example/quay"\n';
const CONF = '/etc/containers/registries.conf';

describe('the sizes of an image in its registry', () => {
  let env: VirtualEnv;
  let transport: RegistryTransport;
  let files: Map<string, string>;
  let down: Set<string>;
  let asked: string[];
  let accesses: RegistryAccess[];
  beforeEach(() => {
    env = virtualEnv();
    const hosts = ['mirror.example', 'quay.io'].map((host) => {
      return [host, createRegistry({ store: createMemoryRegistryStore(), env }).handle] as const;
    });
    transport = createInProcessRegistryTransport(new Map(hosts));
    [files, down, asked, accesses] = [new Map(), new Set(), [], []];
  });
  afterEach(() => env.stop());

  const reader = () =>
    createManifestReader({
      ...{ clock: env.clock, architecture: 'amd64', authFile: '/auth.json' },
      files: {
        read: async (path) => (files.has(path) ? new TextEncoder().encode(files.get(path)) : undefined),
        list: async (path) => {
          const names = [...files.keys()].filter((file) => file.startsWith(`${path}/`));
          return names.length === 0 ? undefined : names.map((file) => file.slice(path.length + 1));
        },
      },
      clientFor: (access) => {
        accesses.push(access);
        return createRegistryClient({
          ...{ env, credentialsFor: access.credentialsFor, limits: { attempts: 1 } },
          transport: {
            async send(request) {
              const { host } = new URL(request.url);
              asked.push(host);
              if (down.has(host)) throw new Failure('transient', 'Unreachable', 'connection refused');
              return await transport.send(request);
            },
          },
        });
      },
    });

  async function push(name: string, ...layers: readonly string[]): Promise<string> {
    const reference = parseImageReference(`${name}:latest`);
    if (reference.kind === 'invalid') throw new Error('it is a reference');
    const built = buildImage({
      ...{ platform: PLATFORM, labels: {}, created: '2026-01-01T00:00:00Z' },
      layers: layers.map((text) => ({
        items: [
          {
            ...{ kind: 'file' as const, path: 'content', mode: 0o644, mtime: 0 },
            content: new TextEncoder().encode(text),
          },
        ],
      })),
    });
    await pushImage(createRegistryClient({ transport, env }), reference.value, built);
    return built.top.descriptor.digest;
  }

  it('are those of its layers', async () => {
    const digest = await push('quay.io/team/app', 'one', 'another');
    const found = await reader()(`quay.io/team/app@${digest}`, NEVER);
    expect(found?.map((layer) => layer.sizeBytes > 0 && layer.digest.startsWith('sha256:'))).toEqual([
      true,
      true,
    ]);
  });

  it('come from a mirror where it has one, with the CAs and credentials of the machine', async () => {
    const digest = await push('mirror.example/quay/team/app', 'one');
    files.set(CONF, MIRRORED);
    files.set('/etc/docker/certs.d/mirror.example/ca.crt', 'CA of the mirror');
    files.set('/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt', 'CA of users');
    files.set('/auth.json', JSON.stringify({ auths: { 'mirror.example': { auth: btoa('me:secret') } } }));
    expect(await reader()(`quay.io/team/app@${digest}`, NEVER)).toHaveLength(1);
    expect(new Set(asked)).toEqual(new Set(['mirror.example']));
    expect(accesses[0]?.authorityPem).toBe('CA of the mirror\nCA of users');
    expect(accesses[0]?.credentialsFor('mirror.example/quay/team/app')).toMatchObject({ username: 'me' });
  });

  it('fail with the answer of the registry where there is no such image', async () => {
    await expect(reader()(GONE, NEVER)).rejects.toThrow(/manifest unknown|name unknown/);
  });

  it('are unknown where a mirror that may have the image does not answer', async () => {
    files.set(CONF, MIRRORED);
    down.add('mirror.example');
    expect(await reader()(GONE, NEVER)).toBeUndefined();
  });

  it('are unknown where the registry does not answer, which is then not asked for a while', async () => {
    const read = reader();
    const digest = await push('quay.io/team/app', 'one');
    down.add('quay.io');
    expect(await read(GONE, NEVER)).toBeUndefined();
    expect(await read(`quay.io/team/app@${digest}`, NEVER)).toBeUndefined();
    expect(asked).toEqual(['quay.io']);
    down.clear();
    await env.clock.advance(6 * MINUTE);
    expect(await read(`quay.io/team/app@${digest}`, NEVER)).toHaveLength(1);
  });

  it('are unknown where the registry refuses to answer', async () => {
    const refusing = { status: 401, headers: {}, body: (async function* () {})() };
    transport = { send: async () => refusing };
    expect(await reader()(GONE, NEVER)).toBeUndefined();
  });

  it('are not read any more once nobody waits for them', async () => {
    await expect(reader()(GONE, AbortSignal.abort())).rejects.toMatchObject({ kind: 'cancelled' });
  });
});
