import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatYaml } from '../../base/yaml/index.ts';
import { readInCluster } from './in-cluster-node.ts';
import { readKubeconfig, readKubeconfigs } from './kubeconfig-node.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millwright-kubeconfig-'));
  for (const name of ['ca.crt', 'client.crt', 'client.key'])
    await writeFile(join(folder, name), `PEM of ${name}`);
  await writeFile(join(folder, 'token'), 'token-1\n');
  await writeFile(join(folder, 'namespace'), 'openshift-machine-config-operator');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const base64 = (text: string) => Buffer.from(text).toString('base64');
const SERVER = 'https://api.example.com:6443';

type Fields = { readonly [key: string]: string | boolean | object };

async function kubeconfig(cluster: Fields, user: Fields, more: Fields = {}): Promise<string> {
  const path = join(folder, `kubeconfig-${Math.random()}`);
  const file = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'here' },
    clusters: [
      { name: 'other', cluster: { server: 'https://wrong' } },
      { name: 'c', cluster: { server: SERVER, ...cluster } },
    ],
    users: [{ name: 'u', user }],
    contexts: [
      { name: 'here', context: { cluster: 'c', user: 'u', namespace: 'space' } },
      { name: 'there', context: { cluster: 'other', user: 'nobody' } },
      { name: 'nowhere', context: { cluster: 'missing', user: 'u' } },
    ],
    ...more,
  };
  await writeFile(path, formatYaml(file as never));
  return path;
}

describe('a kubeconfig', () => {
  it('may embed certificates', async () => {
    const path = await kubeconfig(
      { 'certificate-authority-data': base64('CA') },
      { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') },
    );
    expect(await readKubeconfig(path)).toEqual({
      ...{ url: SERVER, authorityPem: 'CA', namespace: 'space' },
      certificate: { certPem: 'CERT', keyPem: 'KEY' },
      origin: { kubeconfig: path, context: 'here' },
    });
  });

  it('may name files relative to itself', async () => {
    const path = await kubeconfig(
      { 'certificate-authority': 'ca.crt', 'tls-server-name': 'kubernetes' },
      { 'client-certificate': 'client.crt', 'client-key': join(folder, 'client.key'), tokenFile: 'token' },
    );
    const access = await readKubeconfig(path);
    expect(access).toMatchObject({
      ...{ authorityPem: 'PEM of ca.crt', serverName: 'kubernetes' },
      certificate: { certPem: 'PEM of client.crt', keyPem: 'PEM of client.key' },
    });
    expect(await access.token?.()).toBe('token-1');
    await writeFile(join(folder, 'token'), 'token-2\n');
    expect(await access.token?.()).toBe('token-2');
  });

  it('may have a token, or no user', async () => {
    const access = await readKubeconfig(
      await kubeconfig({ 'insecure-skip-tls-verify': true }, { token: 'T' }),
    );
    expect([await access.token?.(), access.isUnverified]).toEqual(['T', true]);
    const path = await kubeconfig({}, {});
    expect(await readKubeconfig(path, 'there')).toEqual({
      url: 'https://wrong',
      origin: { kubeconfig: path, context: 'there' },
    });
  });

  it.each<[string, Fields, Fields, Fields, string | undefined, RegExp]>([
    [
      'exec',
      {},
      { exec: { command: 'aws' } },
      {},
      undefined,
      /exec: credentials by a command \(exec\) are not supp/,
    ],
    [
      'auth-provider',
      {},
      { 'auth-provider': { name: 'gcp' } },
      {},
      undefined,
      /auth providers are not supported/,
    ],
    ['a password', {}, { username: 'a', password: 'hunter2' }, {}, undefined, /passwords are not supported/],
    ['impersonation', {}, { as: 'root' }, {}, undefined, /impersonation is not supported/],
    ['a proxy', { 'proxy-url': 'http://p' }, {}, {}, undefined, /proxies are not supported/],
    ['half a pair', {}, { 'client-key-data': 'x' }, {}, undefined, /go together/],
    ['no server', { server: '' }, {}, {}, undefined, /has no server/],
    ['a strange server', { server: 'file:///etc' }, {}, {}, undefined, /has no server/],
    [
      'no context',
      {},
      {},
      { 'current-context': '' },
      undefined,
      /current-context: it names no context; contexts: here, nowhere, there$/,
    ],
    [
      'a context that is not there',
      {},
      {},
      {},
      'nowher',
      /contexts: there is no context "nowher" \(did you mean nowhere\?\); contexts: here, nowhere, there$/,
    ],
    ['a cluster that is not there', {}, {}, {}, 'nowhere', /the cluster of the context is not there/],
    ['lists that are none', {}, {}, { clusters: 'x' }, undefined, /the cluster of the context is not there/],
    [
      'a file that is not there',
      { 'certificate-authority': 'absent.crt' },
      {},
      {},
      undefined,
      /absent\.crt cannot be read \(ENOENT\)/,
    ],
  ])('with %s is rejected with the cause', async (_, cluster, user, more, context, why) => {
    const failure = readKubeconfig(await kubeconfig(cluster, user, more), context);
    await expect(failure).rejects.toThrow(why);
    await expect(failure).rejects.toMatchObject({ kind: 'stalled' });
    await expect(failure).rejects.not.toThrow(/hunter2/);
  });

  it('is rejected if it is missing or malformed', async () => {
    await expect(readKubeconfig(join(folder, 'absent'))).rejects.toThrow(/cannot be read \(ENOENT\)$/);
    await writeFile(join(folder, 'list'), '- a\n');
    await expect(readKubeconfig(join(folder, 'list'))).rejects.toThrow(/it is no kubeconfig$/);
    await writeFile(join(folder, 'bad'), 'token: "hunter2');
    await expect(readKubeconfig(join(folder, 'bad'))).rejects.toThrow(/it is no YAML$/);
  });
});

type Part = { readonly name: string } & Fields;

/** A kubeconfig with these entries; its path. */
async function partial(
  name: string,
  lists: { readonly [list in 'clusters' | 'users' | 'contexts']?: readonly Part[] },
  current?: string,
): Promise<string> {
  const path = join(folder, name);
  const more = current === undefined ? {} : { 'current-context': current };
  await writeFile(path, formatYaml({ apiVersion: 'v1', kind: 'Config', ...lists, ...more } as never));
  return path;
}

describe('several kubeconfigs', () => {
  const context = (name: string, cluster: string, user = 'u') => ({ name, context: { cluster, user } });
  const cluster = (name: string, server: string, more: Fields = {}) => ({
    name,
    cluster: { server, ...more },
  });

  it('are merged: of each name, and of current-context, the first counts', async () => {
    const paths = [
      await partial('m1', { clusters: [cluster('a', 'https://first')] }),
      await partial(
        'm2',
        {
          clusters: [cluster('a', 'https://second'), cluster('b', 'https://b')],
          contexts: [context('x', 'a')],
        },
        'x',
      ),
      await partial(
        'm3',
        { contexts: [context('x', 'b'), context('y', 'b')], users: [{ name: 'u', user: { token: 'T' } }] },
        'y',
      ),
    ];
    const merged = await readKubeconfigs(paths);
    expect(merged).toMatchObject({ url: 'https://first', origin: { kubeconfig: paths[1], context: 'x' } });
    expect(await merged?.token?.()).toBe('T');
    expect((await readKubeconfigs(paths, 'y'))?.url).toBe('https://b');
  });

  it('do not complete one another within an entry', async () => {
    const paths = [
      await partial('e1', { clusters: [cluster('a', '')], contexts: [context('x', 'a')] }, 'x'),
      await partial('e2', { clusters: [cluster('a', 'https://second')] }),
    ];
    await expect(readKubeconfigs(paths)).rejects.toThrow(
      `kubeconfig ${paths.join(':')}: clusters: the cluster has no server with an http or https URL`,
    );
  });

  it('name files relative to the one that has the entry', async () => {
    const other = join(folder, 'elsewhere');
    await mkdir(other, { recursive: true });
    await writeFile(join(other, 'ca.crt'), 'PEM from elsewhere');
    await writeFile(join(other, 'token'), 'token-2');
    const paths = [
      await partial('r1', { contexts: [context('x', 'a')] }, 'x'),
      await partial('elsewhere/r2', {
        clusters: [cluster('a', SERVER, { 'certificate-authority': 'ca.crt' })],
        users: [{ name: 'u', user: { tokenFile: 'token' } }],
      }),
    ];
    const access = await readKubeconfigs(paths);
    expect([access?.authorityPem, await access?.token?.()]).toEqual(['PEM from elsewhere', 'token-2']);
  });

  it('are left out where they do not exist or are empty, and rejected where they cannot be read', async () => {
    const good = await partial('g', { clusters: [cluster('a', SERVER)], contexts: [context('x', 'a')] }, 'x');
    const [absent, empty, bad, folded] = ['absent', 'empty', 'bad', 'folder'].map((name) =>
      join(folder, name),
    );
    await writeFile(empty ?? '', '');
    await writeFile(bad ?? '', 'token: "hunter2');
    await mkdir(folded ?? '', { recursive: true });
    expect((await readKubeconfigs([absent ?? '', empty ?? '', good]))?.url).toBe(SERVER);
    expect(await readKubeconfigs([absent ?? ''])).toBeUndefined();
    await expect(readKubeconfigs([good, bad ?? ''])).rejects.toThrow(`kubeconfig ${bad}: it is no YAML`);
    await expect(readKubeconfigs([good, folded ?? ''])).rejects.toThrow(/folder cannot be read \(EISDIR\)$/);
    await expect(readKubeconfigs([empty ?? ''])).rejects.toThrow(
      /current-context: it names no context; contexts: none$/,
    );
  });
});

describe('a pod', () => {
  it('connects to its cluster with its service account', async () => {
    const access = await readInCluster({ folder, host: '10.0.0.1', port: '443' });
    expect(access).toMatchObject({
      ...{ url: 'https://10.0.0.1:443', authorityPem: 'PEM of ca.crt' },
      namespace: 'openshift-machine-config-operator',
    });
    await writeFile(join(folder, 'token'), 'token-3');
    expect(await access.token?.()).toBe('token-3');
    expect((await readInCluster({ folder, host: 'fd00::1', port: '443' })).url).toBe('https://[fd00::1]:443');
  });

  it('gets an error outside of a cluster or without a service account', async () => {
    await expect(readInCluster({ folder, host: undefined, port: '443' })).rejects.toMatchObject({
      ...{ kind: 'stalled', reason: 'NotInCluster' },
    });
    const failure = readInCluster({ folder: join(folder, 'absent'), host: 'h', port: '1' });
    await expect(failure).rejects.toMatchObject({ reason: 'ServiceAccountUnreadable' });
  });
});
