/**
 * No secret is in a dump. Secrets are planted wherever a cluster may have one, and every byte of the dump is searched for them, also
 * where they are packed.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NAMESPACE } from '../../src/api/index.ts';
import { systemClock } from '../../src/base/env.ts';
import type { Json } from '../../src/base/json.ts';
import { ClusterSession } from '../../src/cli/objects/cluster-session.ts';
import { untar } from '../../src/images/index.ts';
import { readKubeconfig } from '../../src/kubernetes/client/kubeconfig-node.ts';
import { createNodeTransport, type NodeTransport } from '../../src/kubernetes/client/transport-node.ts';
import { findInBytes } from '../support/find-in-bytes.ts';
import { base64, OBJECTS, planted } from './planted-secrets.ts';
import { runCli } from './run-cli.ts';
import { type RunningApiserver, startApiserver } from './start-apiserver.ts';

describe('a dump', () => {
  let cwd = '';
  let server: RunningApiserver;
  let transport: NodeTransport;
  const files: { readonly path: string; readonly bytes: Uint8Array }[] = [];

  beforeAll(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'millwright-secrets-'));
    server = await startApiserver(['--port', '0'], cwd);
    const access = await readKubeconfig(join(cwd, server.kubeconfig));
    transport = createNodeTransport({ access, clock: systemClock });
    const session = new ClusterSession({
      ...{ transport, clock: systemClock, namespace: 'default' },
      warn: () => undefined,
    });
    const post = (path: string, body: Json) => session.request({ method: 'POST', path, body });
    await post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    for (const namespace of ['shop', NAMESPACE]) {
      await post(`/api/v1/namespaces/${namespace}/serviceaccounts`, {
        ...{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
      }).catch(() => undefined);
    }
    for (const [path, make, status] of OBJECTS) {
      const object = make();
      await post(path, object);
      if (status === undefined) continue;
      const place = `${path}/${String(object.metadata.name)}/status`;
      const body = { status: status() } as unknown as Json;
      await session.request({
        ...{ method: 'PATCH', path: place, body, contentType: 'application/merge-patch+json' },
      });
    }
    expect(await runCli(['dump', '-o', 'folder'], { cwd })).toMatchObject({ exitCode: 0 });
    expect(await runCli(['dump', '-o', 'dump.tar.gz'], { cwd })).toMatchObject({ exitCode: 0 });
    for (const path of readdirSync(join(cwd, 'folder'), { recursive: true, encoding: 'utf8' })) {
      const absolute = join(cwd, 'folder', path);
      if (statSync(absolute).isFile()) files.push({ path, bytes: readFileSync(absolute) });
    }
    const entries = untar(gunzipSync(readFileSync(join(cwd, 'dump.tar.gz'))));
    if (entries.kind !== 'ok') throw new Error('the archive cannot be read');
    for (const entry of entries.value) {
      if (entry.kind === 'file') files.push({ path: `dump.tar.gz/${entry.path}`, bytes: entry.content });
    }
  });
  afterAll(async () => {
    transport.close();
    await server.stop();
    rmSync(cwd, { recursive: true });
  });

  it('holds an object of every kind that a secret was planted in', () => {
    const folders = files.map(({ path }) => path);
    for (const [path] of OBJECTS) {
      const plural = path.split('/').at(-1) ?? '';
      expect(folders.filter((one) => one.includes(`/${plural}/`)).length).toBeGreaterThanOrEqual(2);
    }
  });

  it('holds no secret in any file, nor in its name, whatever it is packed in', () => {
    const secrets = [...planted.values()];
    expect(secrets.length).toBeGreaterThanOrEqual(100);
    const where = new Map([...planted].map(([place, secret]) => [secret, place]));
    const found = files.flatMap(({ path, bytes }) =>
      findInBytes(Buffer.concat([Buffer.from(`${path}\n`), bytes]), secrets).map(
        ({ needle, form }) => `${where.get(needle)} (${form || 'as it is'}) in ${path}`,
      ),
    );
    expect(found).toEqual([]);
  });

  it('keeps what is no secret: names, paths, settings, public keys and what the doctor reads', () => {
    const text = files
      .filter(({ path }) => !path.startsWith('dump.tar.gz'))
      .map(({ bytes }) => Buffer.from(bytes).toString('utf8'))
      .join('\n');
    for (const kept of [
      'ssh-ed25519 AAAAC3Nz public',
      '/etc/app.conf',
      'agent.service',
      'r.example/ns/os:latest',
      'quiet',
      'FROM configs AS final',
      'RenderDegraded',
    ]) {
      expect(text).toContain(kept);
    }
  });

  it('is searched by a search that finds what is planted in it', () => {
    const secret = [...planted.values()][0] ?? '';
    for (const [form, bytes] of [
      ['', secret],
      ['base64', base64(`a ${secret}`)],
      ['percent', encodeURIComponent(`{"${[...secret].join('')}"}`)],
      ['base64 gzip', base64(gzipSync(secret))],
      ['base64 base64', base64(base64(`xx${secret}`))],
      ['hex', Buffer.from(secret).toString('hex')],
    ] as const) {
      expect([form, findInBytes(Buffer.from(bytes), [secret]).map(({ needle }) => needle)]).toEqual([
        form,
        [secret],
      ]);
    }
  });
});
