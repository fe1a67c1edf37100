/**
 * containerd as the judge of `hosts.toml`: which registries it asks, for what, and in which order. The CRI plugin resolves images
 * with the same code and the same files as `ctr`.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getuid } from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog, systemClock } from '../../src/base/env.ts';
import { hostsToml, parseRegistriesConf } from '../../src/config/registries/index.ts';
import {
  type RegistryServer,
  type RegistryServerOptions,
  startRegistryServer,
} from '../../src/embedded/registry/registry-server-node.ts';
import { type ImageReference, parseImageReference, pushImage } from '../../src/images/index.ts';
import { osImage } from './base-os.ts';
import { type Containerd, startContainerd } from './containerd.ts';
import { client, startOurs } from './registries.ts';
import { lacks, ok } from './tools.ts';

const isRoot = getuid?.() === 0;
const FOLDER = '/etc/containerd/certs.d';

describe.skipIf(lacks('containerd', 'ctr', 'openssl') || !isRoot)('containerd with translated files', () => {
  let containerd: Containerd;
  let store: Awaited<ReturnType<typeof startOurs>>;
  let folder: string;
  let digest: string;
  /** What was asked, without repetitions: `mirror tag proxy/team/app`. */
  let asked: string[] = [];
  /** Credentials, with who got them. */
  const given = new Set<string>();
  let isLocked = false;
  const servers: { [name: string]: RegistryServer } = {};
  const at = (name: string) => `127.0.0.1:${servers[name]?.port}`;

  /** A registry of that name, with the images of the store. */
  const serve = async (name: string, certificate?: RegistryServerOptions['certificate']) => {
    servers[name] = await startRegistryServer({
      handle: async (request) => {
        const line = `${name} ${what(request.path)}`;
        if (!asked.includes(line)) asked.push(line);
        const { authorization } = request.headers;
        if (authorization !== undefined) given.add(`${name} ${authorization}`);
        else if (isLocked) return UNAUTHORIZED;
        return await store.registry.handle(request);
      },
      env: { clock: systemClock, log: silentLog },
      port: 0,
      ...(certificate === undefined ? {} : { certificate }),
    });
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millwright-hosts-'));
    containerd = await startContainerd();
    store = await startOurs();
    const image = await osImage();
    digest = image.top.descriptor.digest;
    for (const name of ['team/app:1', 'proxy/team/app:1', 'proxy/team/app:only', 'deep/team/app:1']) {
      await pushImage(client(), reference(`${store.host}/${name}`), image);
    }
    await serve('source');
    await serve('mirror');
    await serve('other');
    await serve('tls', await selfSigned(folder));
  });
  afterAll(async () => {
    for (const server of Object.values(servers)) await server.stop();
    await store.stop();
    await containerd.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** With names of servers for their addresses. */
  const pull = async (conf: string, image: string) => {
    const parsed = parseRegistriesConf(conf.replace(/<(\w+)>/g, (_, name: string) => at(name)));
    if (parsed.kind !== 'ok') throw new Error(JSON.stringify(parsed.problems));
    const { files } = hostsToml(parsed.value);
    const hosts = await containerd.writeHosts(files);
    asked = [];
    const { code, stderr } = await containerd.fetch(
      `${at('source')}/${image.replace('<digest>', digest)}`,
      `${hosts}${FOLDER}`,
    );
    return { isPulled: code === 0, asked: asked.map((line) => line.replaceAll(digest, '<digest>')), stderr };
  };

  const entry = (...lines: readonly string[]) => ['[[registry]]', ...lines, ''].join('\n');
  const mirror = (location: string, use: string) =>
    `[[registry.mirror]]\nlocation = "${location}"\ninsecure = true\npull-from-mirror = "${use}"\n`;
  const source = 'location = "<source>"';

  it('asks the registry itself where nothing is configured', async () => {
    expect(await pull('', 'team/app:1')).toMatchObject({
      isPulled: true,
      asked: ['source tag team/app', 'source digest team/app', 'source blob team/app'],
    });
  });

  it('pulls a tag through the mirror of an ImageTagMirrorSet, and digests as well', async () => {
    const conf = entry(source) + mirror('<mirror>/proxy', 'tag-only');
    const all = ['mirror digest proxy/team/app', 'mirror blob proxy/team/app'];
    expect(await pull(conf, 'team/app:1')).toMatchObject({
      isPulled: true,
      asked: ['mirror tag proxy/team/app', ...all],
    });
    // The reason for the finding: the mirror is for tags only.
    expect(await pull(conf, 'team/app@<digest>')).toMatchObject({ isPulled: true, asked: all });
  });

  it('resolves tags at the registry itself with the mirror of an ImageDigestMirrorSet', async () => {
    const conf = entry(source) + mirror('<mirror>/proxy', 'digest-only');
    const all = ['mirror digest proxy/team/app', 'mirror blob proxy/team/app'];
    expect(await pull(conf, 'team/app@<digest>')).toMatchObject({ isPulled: true, asked: all });
    expect(await pull(conf, 'team/app:1')).toMatchObject({
      isPulled: true,
      asked: ['source tag team/app', ...all],
    });
    // Only the mirror has this tag, and it is not asked for tags.
    expect(await pull(conf, 'team/app:only')).toMatchObject({
      isPulled: false,
      asked: ['source tag team/app'],
    });
  });

  it('asks mirrors in their order, and the registry itself last', async () => {
    const conf =
      entry(source) + mirror('<other>/missing', 'tag-only') + mirror('<mirror>/absent', 'tag-only');
    const { isPulled, asked: order } = await pull(conf, 'team/app:1');
    expect(isPulled).toBe(true);
    expect(order.slice(0, 3)).toEqual([
      'other tag missing/team/app',
      'mirror tag absent/team/app',
      'source tag team/app',
    ]);
  });

  it('serves digests and tags from a mirror that is listed for both', async () => {
    const conf = entry(source) + mirror('<mirror>', 'digest-only') + mirror('<mirror>', 'tag-only');
    expect(await pull(conf, 'team/app:1')).toMatchObject({
      isPulled: true,
      asked: ['mirror tag team/app', 'mirror digest team/app', 'mirror blob team/app'],
    });
  });

  it('never contacts a blocked registry', async () => {
    for (const image of ['team/app:1', 'team/app@<digest>']) {
      expect(await pull(entry(source, 'blocked = true'), image)).toMatchObject({
        isPulled: false,
        asked: [],
      });
    }
  });

  it('never contacts the source of mirrors with NeverContactSource, also where they fail', async () => {
    const blocked = entry(source, 'blocked = true');
    expect(await pull(blocked + mirror('<mirror>/proxy', 'tag-only'), 'team/app:1')).toMatchObject({
      isPulled: true,
      asked: ['mirror tag proxy/team/app', 'mirror digest proxy/team/app', 'mirror blob proxy/team/app'],
    });
    expect(await pull(blocked + mirror('<mirror>/absent', 'tag-only'), 'team/app:1')).toMatchObject({
      isPulled: false,
      asked: ['mirror tag absent/team/app'],
    });
    expect(await pull(blocked + mirror('<mirror>/proxy', 'digest-only'), 'team/app:1')).toMatchObject({
      isPulled: false,
      asked: [],
    });
  });

  it('accepts any certificate of an insecure mirror, and none that is unknown otherwise', async () => {
    const insecure = entry(source) + mirror('<tls>/proxy', 'tag-only');
    expect((await pull(insecure, 'team/app:1')).asked[0]).toBe('tls tag proxy/team/app');
    const secure = insecure.replace('insecure = true\n', '');
    expect((await pull(secure, 'team/app:1')).asked[0]).toBe('source tag team/app');
  });

  it('reaches an insecure registry by either protocol', async () => {
    const conf = entry(source, 'insecure = true');
    expect(await pull(conf, 'team/app:1')).toMatchObject({ isPulled: true });
    const tls = entry('prefix = "<source>"', 'location = "<tls>"', 'insecure = true');
    expect((await pull(tls, 'team/app:1')).asked[0]).toBe('tls tag team/app');
  });

  it('asks another location for the images of a prefix', async () => {
    const conf = entry('prefix = "<source>"', 'location = "<mirror>/deep"', 'insecure = true');
    const { isPulled, asked: order } = await pull(conf, 'team/app:1');
    expect([isPulled, order[0]]).toEqual([true, 'mirror tag deep/team/app']);
  });

  it('pulls through the mirror for a kubelet as well, once config_path names the folder', async () => {
    const conf = `[[registry]]\nlocation = "${at('source')}"\n${mirror(`${at('mirror')}/proxy`, 'tag-only')}`;
    const parsed = parseRegistriesConf(conf);
    if (parsed.kind !== 'ok') throw new Error(JSON.stringify(parsed.problems));
    const hosts = await containerd.writeHosts(hostsToml(parsed.value).files);
    const withPath = await startContainerd({ configPath: `${hosts}${FOLDER}` });
    const withoutPath = await startContainerd({ configPath: '' });
    try {
      asked = [];
      expect(await withPath.pullByCri(`${at('source')}/team/app:1`)).toBeUndefined();
      expect(asked).toEqual([
        'mirror tag proxy/team/app',
        'mirror digest proxy/team/app',
        'mirror blob proxy/team/app',
      ]);
      asked = [];
      expect(await withoutPath.pullByCri(`${at('source')}/team/app:1`)).toBeUndefined();
      expect(asked[0]).toBe('source tag team/app');
    } finally {
      await withPath.stop();
      await withoutPath.stop();
    }
  });

  it('gives the credentials of the registry to its mirror where that asks for them', async () => {
    const conf = `[[registry]]\nlocation = "${at('source')}"\n${mirror(`${at('mirror')}/proxy`, 'tag-only')}`;
    const parsed = parseRegistriesConf(conf);
    if (parsed.kind !== 'ok') throw new Error(JSON.stringify(parsed.problems));
    const hosts = await containerd.writeHosts(hostsToml(parsed.value).files);
    const cri = await startContainerd({ configPath: `${hosts}${FOLDER}` });
    isLocked = true;
    try {
      const credentials = { user: 'someone', password: 'of-the-source' };
      expect(await cri.pullByCri(`${at('source')}/team/app:1`, credentials)).toBeUndefined();
      // docs/nodes.md says so: CRI-O does not.
      expect([...given]).toEqual([`mirror Basic ${btoa('someone:of-the-source')}`]);
    } finally {
      isLocked = false;
      await cri.stop();
    }
  });

  it('would apply the mirror of a repository to all of its registry, so that none is written', async () => {
    const conf = entry('location = "<source>/team"') + mirror('<mirror>/proxy/team', 'tag-only');
    expect((await pull(conf, 'team/app:1')).asked[0]).toBe('source tag team/app');
    // By hand: what looks like a scope is a folder that containerd never looks into.
    const text = `[host."http://${at('mirror')}/v2/proxy"]\n  override_path = true\n`;
    const scoped = await containerd.writeHosts([{ path: `${FOLDER}/${at('source')}/team/hosts.toml`, text }]);
    asked = [];
    await containerd.fetch(`${at('source')}/team/app:1`, `${scoped}${FOLDER}`);
    expect(asked[0]).toBe('source tag team/app');
  });

  it('has no wildcards', async () => {
    const text = `[host."http://${at('mirror')}"]\n`;
    const hosts = await containerd.writeHosts([
      { path: `${FOLDER}/*.0.0.1:${at('source').slice('127.0.0.1:'.length)}/hosts.toml`, text },
    ]);
    asked = [];
    await containerd.fetch(`${at('source')}/team/app:1`, `${hosts}${FOLDER}`);
    expect(asked[0]).toBe('source tag team/app');
  });
});

const UNAUTHORIZED = {
  status: 401,
  headers: { 'www-authenticate': 'Basic realm="test"' },
  body: new Uint8Array(),
};

function reference(text: string): ImageReference {
  const outcome = parseImageReference(text);
  if (outcome.kind === 'invalid') throw new Error(JSON.stringify(outcome.problems));
  return outcome.value;
}

/** `tag team/app`, `digest team/app` or `blob team/app`. */
function what(path: string): string {
  const [, repository = path, kind, name = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/(.+)$/.exec(path) ?? [];
  if (kind === undefined) return path;
  return `${kind === 'blobs' ? 'blob' : name.startsWith('sha256:') ? 'digest' : 'tag'} ${repository}`;
}

async function selfSigned(folder: string): Promise<{ readonly certPem: string; readonly keyPem: string }> {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  await ok('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...subject,
    ...['-keyout', key, '-out', cert],
  ]);
  return { certPem: await readFile(cert, 'utf8'), keyPem: await readFile(key, 'utf8') };
}
