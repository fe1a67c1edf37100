/** skopeo as the judge of what is a reference, whose credentials count, and which image is for which machine. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  buildImage,
  buildIndex,
  choosePlatform,
  credentialsFor,
  digestOf,
  parseAuthFile,
  parseImageReference,
  parseManifest,
  pushImage,
} from '../../src/images/index.ts';
import { client, startOurs } from './registries.ts';
import { lacks, run } from './tools.ts';

const HEX = 'a'.repeat(64);

describe.skipIf(lacks('skopeo'))('skopeo agrees', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millwright-oracle-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  // Valid references use an unreachable registry, so that no request succeeds.
  it.each([
    ...[
      'a b',
      'quay.io/Team/os',
      'Team',
      'quay.io/',
      'quay.io/a//b',
      'quay.io/a/../b',
      'quay.io/-a',
      'quay.io/a_',
    ],
    ...[
      'quay.io/a___b',
      'quay.io/a:',
      'quay.io/a:.x',
      `quay.io/a:${'x'.repeat(129)}`,
      'quay.io/a@',
      'quay.io/a@sha256:abc',
    ],
    ...[
      'a.b:port/c',
      '[::1/c',
      '-a.b/c',
      'user@quay.io/a',
      'quay.io/__proto__',
      HEX,
      `quay.io/a@md5:${'a'.repeat(32)}`,
    ],
    ...[
      `quay.io/a@sha256:${HEX.toUpperCase()}`,
      `quay.io/${'a/'.repeat(130)}a`,
      'quay.io/a..b',
      'quay.io/.a',
      'quay.io/a-',
    ],
    '127.0.0.1:9/a',
    '127.0.0.1:9/a/b/c:v1',
    '127.0.0.1:9/a.b_c__d--e/f',
    `127.0.0.1:9/a@sha256:${HEX}`,
    'localhost:9/a:_x',
    `127.0.0.1:9/a:${'x'.repeat(128)}`,
    `127.0.0.1:9/${HEX}`,
    '127.0.0.1:9/a---b',
  ])('on the meaning of the reference %j', async (text) => {
    const { stderr } = await run('skopeo', ['inspect', '--tls-verify=false', `docker://${text}`]);
    expect(stderr).not.toBe('');
    const isReference = stderr.includes('connection refused');
    expect(parseImageReference(text).kind, stderr).toBe(isReference ? 'ok' : 'invalid');
  });

  it('on the credentials that apply', async () => {
    const auth = (user: string) => ({ auth: btoa(`${user}:x`) });
    const auths = {
      'quay.io': auth('host'),
      'quay.io/team': auth('team'),
      'quay.io/team/os': auth('os'),
      'https://index.docker.io/v1/': auth('docker'),
      'https://old.io/v2/': auth('old'),
      'http://new.io': auth('legacy'),
      'new.io': auth('exact'),
      'localhost:5000': auth('local'),
    };
    const path = join(folder, 'auth.json');
    await writeFile(path, JSON.stringify({ auths }));
    const outcome = parseAuthFile(JSON.stringify({ auths }));
    if (outcome.kind === 'invalid') throw new Error(JSON.stringify(outcome.problems));
    const names = [
      'quay.io/a',
      'quay.io/team/app',
      'quay.io/team/os',
      'quay.io/team/os/deeper',
      'quay.io/teamwork',
      'docker.io/library/ubi9',
      'old.io/a',
      'new.io/a',
      'localhost:5000/a',
      'localhost/a',
      'io/quay.io',
    ];
    for (const name of names) {
      const { code, stdout } = await run('skopeo', ['login', '--authfile', path, '--get-login', name]);
      expect([name, credentialsFor(outcome.value, name)?.username]).toEqual([
        name,
        code === 0 ? stdout.trim() : undefined,
      ]);
    }
  });

  it('on the image of each platform', async () => {
    const registry = await startOurs();
    const machine = (architecture: string, variant?: string) => ({
      os: 'linux',
      architecture,
      ...(variant === undefined ? {} : { variant }),
    });
    const built = buildIndex(
      [
        machine('amd64'),
        machine('arm', 'v6'),
        machine('arm', 'v7'),
        machine('arm64', 'v8'),
        machine('s390x'),
      ].map((platform) => buildImage({ platform, layers: [], labels: {}, created: '2026-01-01T00:00:00Z' })),
    );
    try {
      await pushImage(client(), { host: registry.host, repository: 'a', tag: 'v1' }, built);
      const parsed = parseManifest(built.top.bytes, built.top.descriptor.mediaType);
      if (parsed.kind === 'invalid' || parsed.value.kind !== 'index') throw new Error('it is an index');
      const platforms = [
        ...[
          machine('amd64'),
          machine('amd64', 'v2'),
          machine('arm', 'v8'),
          machine('arm', 'v7'),
          machine('arm', 'v6'),
        ],
        ...[
          machine('arm', 'v5'),
          machine('arm64', 'v8'),
          machine('arm64', 'v9'),
          machine('s390x'),
          machine('ppc64le'),
        ],
      ];
      for (const [number, platform] of platforms.entries()) {
        const target = join(folder, `chosen-${number}`);
        const variant = 'variant' in platform ? [`--override-variant=${platform.variant}`] : [];
        const args = [`--override-arch=${platform.architecture}`, '--override-os=linux', ...variant];
        const source = `docker://${registry.host}/a:v1`;
        const { code } = await run('skopeo', [
          'copy',
          ...args,
          '--src-tls-verify=false',
          source,
          `dir:${target}`,
        ]);
        const theirs =
          code === 0 ? digestOf(new Uint8Array(await readFile(join(target, 'manifest.json')))) : undefined;
        expect([platform, choosePlatform(parsed.value, platform)?.digest]).toEqual([platform, theirs]);
      }
    } finally {
      await registry.stop();
    }
  });
});
