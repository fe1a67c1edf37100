import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  NEXT_OS_IMAGE,
  OS_IMAGE,
  type SandboxNodeScene,
  sandboxNode,
} from '../../../test/support/sandbox-node.ts';

const REGISTRIES_CONF = '/etc/containers/registries.conf';
const MIRRORED = `
unqualified-search-registries = ["quay.io", "docker.io"]
[[registry]]
prefix = "docker.io"
location = "docker.io"
[[registry.mirror]]
location = "mirror.example/docker-hub"
`;

let scene: SandboxNodeScene;
beforeEach(async () => {
  scene = await sandboxNode('worker-0');
});
afterEach(() => scene.env.stop());

type Answer = { readonly status: number; readonly type: string | undefined; readonly text: string };

async function ask(method: string, path: string, query: object = {}, node = 'worker-0'): Promise<Answer> {
  const { status, headers, body } = await scene.routes({
    node,
    method,
    path,
    query: new URLSearchParams({ ...query }).toString(),
  });
  let text = '';
  for await (const piece of body) text += new TextDecoder().decode(piece);
  return { status, type: headers.find(([name]) => name === 'content-type')?.[1], text };
}

async function refusal(method: string, path: string, query: object = {}): Promise<unknown> {
  const { status, text } = await ask(method, path, query);
  const { code, reason, message, ...rest } = JSON.parse(text);
  expect(rest).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    details: { name: 'worker-0', kind: 'sandboxes' },
  });
  return [status, code, reason, message];
}

describe('errors of node routes are Status objects', () => {
  // biome-ignore format: a table.
  test.each<[string, string, object, number, string, string]>([
    ['DELETE', '/files/content', { path: '/etc' }, 405, 'MethodNotAllowed', '/files/content supports GET, not DELETE'],
    ['GET', '/reboot', {}, 405, 'MethodNotAllowed', '/reboot supports POST, not GET'],
    ['GET', '/files/list', {}, 400, 'BadRequest', 'missing absolute path: ?path=/etc/hostname'],
    ['GET', '/files/list', { path: 'etc' }, 400, 'BadRequest', 'missing absolute path: ?path=/etc/hostname'],
    ['GET', '/files/list', { path: '/etc\0' }, 400, 'BadRequest', 'missing absolute path: ?path=/etc/hostname'],
    ['GET', '/files/list', { path: '/none' }, 404, 'NotFound', 'stat /none: no such file or directory'],
    ['GET', '/files/list', { path: '/etc/hosts/' }, 404, 'NotFound', 'stat /etc/hosts/: no such file or directory'],
    ['GET', '/files/content', { path: '/none' }, 404, 'NotFound', 'open /none: no such file or directory'],
    ['GET', '/files/content', { path: '/etc/hosts/x' }, 404, 'NotFound', 'open /etc/hosts/x: no such file or directory'],
    ['GET', '/files/content', { path: '/etc' }, 400, 'BadRequest', 'read /etc: is a directory'],
    ['POST', '/files/touch', { path: '/none/x' }, 404, 'NotFound', 'touch /none/x: no such file or directory'],
    ['POST', '/files/touch', { path: '/etc/new/' }, 404, 'NotFound', 'touch /etc/new/: no such file or directory'],
    ['POST', '/files/touch', { path: '/etc/hosts/x' }, 404, 'NotFound', 'touch /etc/hosts/x: no such file or directory'],
    ['POST', '/os/pivot', {}, 400, 'BadRequest', 'missing image: ?image=NAME'],
    ['GET', '/os/pivot', {}, 405, 'MethodNotAllowed', '/os/pivot supports POST, not GET'],
    ['POST', '/images/pull', {}, 400, 'BadRequest', 'missing image: ?image=NAME'],
  ])('%s %s %j', async (method, path, query, code, reason, message) => {
    expect(await refusal(method, path, query)).toEqual([code, code, reason, message]);
  });

  test('touch rejects a dangling symlink', async () => {
    await scene.host.files.link('/etc/loose', '/nowhere');
    expect(await refusal('POST', '/files/touch', { path: '/etc/loose' })).toMatchObject([
      400,
      400,
      'BadRequest',
      'touch /etc/loose: dangling symlink',
    ]);
    expect(await scene.host.files.stat('/nowhere')).toBeUndefined();
  });

  test('a failed reboot is reported', async () => {
    scene.machine.faults.isRebootRefused = true;
    expect(await refusal('POST', '/reboot')).toMatchObject([
      503,
      503,
      'ServiceUnavailable',
      'reboot command failed, something is seriously wrong',
    ]);
  });

  test('a node that is down is reported as such', async () => {
    await scene.machine.shutDown();
    for (const path of ['/healthz', '/os/status', '/files/list']) {
      expect(await refusal('GET', path, { path: '/etc' })).toEqual([
        503,
        503,
        'ServiceUnavailable',
        'node worker-0 is down: it is rebooting or switched off; try again once it is up',
      ]);
    }
    expect((await ask('GET', '/healthz', {}, 'worker-9')).status).toBe(503);
  });

  test('unknown kubelet paths are not found', async () => {
    expect(await ask('GET', '/metrics')).toEqual({
      status: 404,
      type: 'text/plain; charset=utf-8',
      text: '404 page not found\n',
    });
  });
});

test('/healthz returns ok', async () => {
  expect(await ask('GET', '/healthz')).toMatchObject({ status: 200, text: 'ok' });
  expect(await ask('HEAD', '/healthz')).toMatchObject({ status: 200 });
});

test('/os/status prints rpm-ostree status', async () => {
  expect((await ask('GET', '/os/status')).text).toBe(`State: idle
Deployments:
* ostree-unverified-registry:${OS_IMAGE}
                   Digest: sha256:${'a'.repeat(64)}
                  Version: 9.6.1 (2026-01-02T03:04:05Z)
`);
});

describe('files', () => {
  beforeEach(async () => {
    const { files } = scene.host;
    await files.makeFolder('/var/srv/data', { mode: 0o1777, owner: { uid: 1000, gid: 4711 } });
    await scene.write('/var/srv/file', 'content\n');
    await files.link('/var/srv/link', 'data');
  });

  test('of a directory are listed with kind, mode, owner, size and target, not recursively', async () => {
    await scene.write('/var/srv/data/below', '');
    const { type, text } = await ask('GET', '/files/list', { path: '/var/srv' });
    expect(type).toBe('application/json');
    const root = { uid: 0, gid: 0, user: 'root', group: 'root' };
    expect(JSON.parse(text)).toMatchObject({
      path: '/var/srv',
      isFolder: true,
      entries: [
        { name: 'data', kind: 'folder', mode: '1777', owner: { uid: 1000, gid: 4711, user: 'core' } },
        { name: 'file', kind: 'file', mode: '0644', sizeBytes: 8, owner: root },
        { name: 'link', kind: 'link', target: 'data' },
      ],
    });
  });

  test.each([
    ['/var/srv/file', { isFolder: false, entries: [{ name: '/var/srv/file', kind: 'file' }] }],
    [
      '/var/srv/link',
      { isFolder: false, entries: [{ name: '/var/srv/link', kind: 'link', target: 'data' }] },
    ],
    ['/var/srv/link/', { isFolder: true, entries: [] }],
    ['/var/srv/data', { isFolder: true, entries: [] }],
  ])('are listed like by ls -l: %s', async (path, expected) => {
    expect(JSON.parse((await ask('GET', '/files/list', { path })).text)).toMatchObject(expected);
  });

  test('are returned as bytes, and paths cannot escape the root', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    await scene.host.files.write('/var/srv/bytes', { bytes, mode: 0o600 });
    const { body } = await scene.routes({
      node: 'worker-0',
      method: 'GET',
      path: '/files/content',
      query: 'path=%2Fvar%2Fsrv%2Fbytes',
    });
    const pieces: number[] = [];
    for await (const piece of body) pieces.push(...piece);
    expect(pieces).toEqual([...bytes]);
    await scene.host.files.link('/var/srv/out', '../../../../var/srv/file');
    expect((await ask('GET', '/files/content', { path: '/var/srv/out' })).text).toBe('content\n');
    expect((await ask('GET', '/files/content', { path: '/../machine/state.json' })).status).toBe(404);
  });

  test('are created by touch once, owned by root', async () => {
    const path = '/run/machine-config-daemon-force';
    expect(JSON.parse((await ask('POST', '/files/touch', { path })).text)).toEqual({ path, isNew: true });
    expect(await scene.host.files.stat(path)).toEqual({
      kind: 'file',
      mode: 0o644,
      sizeBytes: 0,
      owner: { uid: 0, gid: 0 },
    });
    expect(JSON.parse((await ask('POST', '/files/touch', { path })).text)).toEqual({ path, isNew: false });
  });

  test.each(['/var/srv/file', '/var/srv/data', '/var/srv/link'])('%s is unchanged by touch', async (path) => {
    const before = await scene.host.files.stat(path);
    expect(JSON.parse((await ask('POST', '/files/touch', { path })).text)).toEqual({ path, isNew: false });
    expect(await scene.host.files.stat(path)).toEqual(before);
  });
});

test('a reboot is queued, and results in a new boot ID', async () => {
  const before = await scene.host.bootId();
  const { status, text } = await ask('POST', '/reboot');
  expect([status, JSON.parse(text)]).toEqual([202, { node: 'worker-0', bootId: before }]);
  await scene.env.clock.advance(1_500);
  expect((await ask('GET', '/healthz')).status).toBe(503);
  await scene.env.clock.advance(1_500);
  expect((await ask('GET', '/healthz')).status).toBe(200);
  expect(await scene.host.bootId()).not.toBe(before);
});

describe('a pivot', () => {
  const pivot = async (image: string) => {
    const { status, type, text } = await ask('POST', '/os/pivot', { image });
    expect([status, type]).toEqual([200, 'application/x-ndjson']);
    return JSON.parse(text.trimEnd().split('\n').at(-1) ?? '');
  };

  test('ends with the staged image', async () => {
    expect(await pivot(NEXT_OS_IMAGE)).toEqual({ image: NEXT_OS_IMAGE });
    expect((await scene.host.os.deployments())[0]).toMatchObject({ image: NEXT_OS_IMAGE, isStaged: true });
  });
});

describe('a pull', () => {
  const pull = async (image: string) => {
    const { status, type, text } = await ask('POST', '/images/pull', { image });
    expect([status, type]).toEqual([200, 'application/x-ndjson']);
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };

  test('ends with the error of each source if none has the image', async () => {
    await scene.write(REGISTRIES_CONF, MIRRORED);
    const lines = await pull('docker.io/library/nginx:1.25');
    const missing = (place: string) => `reading manifest 1.25 in ${place}/library/nginx: manifest unknown`;
    expect(lines).toEqual([
      { progress: 'Trying to pull mirror.example/docker-hub/library/nginx:1.25...' },
      { progress: `  ${missing('mirror.example/docker-hub')}` },
      { progress: 'Trying to pull docker.io/library/nginx:1.25...' },
      { progress: `  ${missing('docker.io')}` },
      {
        error: `(Mirrors also failed: [mirror.example/docker-hub/library/nginx:1.25: ${missing('mirror.example/docker-hub')}]): docker.io/library/nginx:1.25: ${missing('docker.io')}`,
      },
    ]);
  });

  test.each([
    [
      '= x',
      'a.io/x',
      'loading registries configuration "/etc/containers/registries.conf": not TOML (line 1, column 1)',
    ],
    [
      '',
      'nginx',
      'short-name "nginx" did not resolve to an alias and no unqualified-search registries are defined in "/etc/containers/registries.conf"',
    ],
  ])('is rejected by registries.conf %j', async (text, image, error) => {
    await scene.write(REGISTRIES_CONF, text);
    expect((await pull(image)).at(-1)).toEqual({ error });
  });

  test('uses the mirror and reports the requested name', async () => {
    await scene.write(REGISTRIES_CONF, MIRRORED);
    const digest = await scene.push('mirror.example/docker-hub/library/nginx:1.25');
    const lines = await pull('nginx:1.25');
    expect(lines.slice(0, 4)).toEqual([
      { progress: 'Resolving "nginx" using unqualified-search registries (/etc/containers/registries.conf)' },
      { progress: 'Trying to pull quay.io/nginx:1.25...' },
      { progress: '  reading manifest 1.25 in quay.io/nginx: manifest unknown' },
      { progress: 'Trying to pull mirror.example/docker-hub/library/nginx:1.25...' },
    ]);
    expect(lines.at(-1)).toEqual({ image: `docker.io/library/nginx@${digest}` });
  });

  test('uses the current registries.conf and drop-ins', async () => {
    await scene.push('docker.io/library/nginx:1.25');
    const first = async () => (await pull('docker.io/library/nginx:1.25'))[0];
    expect(await first()).toEqual({ progress: 'Trying to pull docker.io/library/nginx:1.25...' });
    const dropIn = '/etc/containers/registries.conf.d/99-imagetagmirrorset.conf';
    await scene.write(dropIn, MIRRORED);
    expect(await first()).toEqual({
      progress: 'Trying to pull mirror.example/docker-hub/library/nginx:1.25...',
    });
    await scene.host.files.remove(dropIn);
    expect(await first()).toEqual({ progress: 'Trying to pull docker.io/library/nginx:1.25...' });
  });
});
