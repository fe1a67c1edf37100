/**
 * Our generated files with a real consumer: skopeo reads our registries.conf and policy.json, and pulls from the mirrors of
 * the mirror sets.
 */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImagePolicySpec } from '../../src/api/index.ts';
import { fileContents } from '../../src/config/ignition/index.ts';
import { readRegistries, registriesConfig } from '../../src/config/registries/index.ts';
import { digestOf, pushImage } from '../../src/images/index.ts';
import { osImage } from '../registry/base-os.ts';
import { client, type RunningRegistry, startOurs } from '../registry/registries.ts';
import { lacks, run } from '../registry/tools.ts';
import {
  aClusterImagePolicy,
  anIcsp,
  anIdms,
  anImage,
  anItms,
  objectsOf,
  type SomeObject,
} from '../support/build-registries.ts';

const CONF = '/etc/containers/registries.conf';
const POLICY = '/etc/containers/policy.json';
const SEARCH = '/etc/containers/registries.conf.d/01-image-searchRegistries.conf';
/** A port without a listener: requests to the source fail at once. */
const SOURCE = '127.0.0.1:9';
const ASKED = 'pinging container registry 127.0.0.1:9';
/** No name server is asked for it where all is well. */
const BELOW = 'registry.invalid';

describe.skipIf(lacks('skopeo'))('skopeo with our generated files', () => {
  let registry: RunningRegistry;
  let folder: string;
  let digest: string;
  let mirror: string;

  beforeAll(async () => {
    registry = await startOurs();
    folder = await mkdtemp(join(tmpdir(), 'millwright-registries-'));
    const image = await osImage();
    digest = image.top.descriptor.digest;
    mirror = `${registry.host}/mirror`;
    await pushImage(client(), { host: registry.host, repository: 'mirror/team/app', tag: 'v1' }, image);
  });
  afterAll(async () => {
    await registry.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** The files as a node of a pool would have them. */
  const generated = (...objects: readonly SomeObject[]): ReadonlyMap<string, string> => {
    const base = { search: [], policy: '{"default":[{"type":"insecureAcceptAnything"}]}' };
    const config = registriesConfig(readRegistries(objectsOf(...objects)), { base });
    return new Map(
      (config.storage?.files ?? []).map(({ path, contents }) => {
        const bytes = fileContents(contents);
        return [path, bytes.kind === 'ok' ? new TextDecoder().decode(bytes.value) : ''];
      }),
    );
  };
  let count = 0;
  const written = async (text: string): Promise<string> => {
    const path = join(folder, `file-${count++}`);
    await writeFile(path, text);
    return path;
  };

  /** Our registry speaks plain HTTP, so it is insecure in all of them. */
  const inspected = async (image: string, ...objects: readonly SomeObject[]) => {
    const settings = objects.some(({ kind }) => kind === 'Image')
      ? []
      : [anImage({ insecureRegistries: [registry.host] })];
    const conf = generated(...objects, ...settings).get(CONF) ?? '';
    const place = ['--registries-conf', await written(conf)];
    return run('skopeo', [...place, 'inspect', '--raw', `docker://${image}`]);
  };
  const gives = async (image: string, ...objects: readonly SomeObject[]) => {
    const { code, stdout, stderr } = await inspected(image, ...objects);
    return code === 0 ? digestOf(new TextEncoder().encode(stdout)) : stderr;
  };
  const tags = (source: string, ...mirrors: readonly string[]) => anItms('tags', { source, mirrors });
  const digests = (source: string, ...mirrors: readonly string[]) => anIdms('digests', { source, mirrors });

  it('pulls by tag through the mirror of an ImageTagMirrorSet', async () => {
    expect(await gives(`${SOURCE}/team/app:v1`, tags(SOURCE, mirror))).toBe(digest);
    expect(await gives(`${SOURCE}/team/app:v1`, tags(`${SOURCE}/team`, `${mirror}/team`))).toBe(digest);
  });

  it('pulls by digest through the mirror of an ImageDigestMirrorSet, and of an ImageContentSourcePolicy', async () => {
    expect(await gives(`${SOURCE}/team/app@${digest}`, digests(SOURCE, mirror))).toBe(digest);
    expect(
      await gives(`${SOURCE}/team/app@${digest}`, anIcsp('old', { source: SOURCE, mirrors: [mirror] })),
    ).toBe(digest);
  });

  it('does not pull digests from tag mirrors, nor tags from digest mirrors', async () => {
    const asked = expect.stringContaining(ASKED);
    expect(await gives(`${SOURCE}/team/app@${digest}`, tags(SOURCE, mirror))).toEqual(asked);
    expect(await gives(`${SOURCE}/team/app:v1`, digests(SOURCE, mirror))).toEqual(asked);
    expect(await gives(`${SOURCE}/team/app:v1`, digests(SOURCE, mirror), tags(SOURCE, mirror))).toBe(digest);
  });

  it('tries mirrors in order, and the source last', async () => {
    expect(await gives(`${SOURCE}/team/app:v1`, tags(SOURCE, `${registry.host}/empty`, mirror))).toBe(digest);
    const asked = expect.stringContaining(ASKED);
    expect(await gives(`${SOURCE}/team/app:v1`, tags(SOURCE, `${registry.host}/empty`))).toEqual(asked);
  });

  it('fails if the source must not be contacted and all mirrors fail', async () => {
    const never = (...mirrors: readonly string[]) =>
      anItms('tags', { source: SOURCE, mirrors, mirrorSourcePolicy: 'NeverContactSource' });
    const refusal = await gives(`${SOURCE}/team/app:v1`, never(`${registry.host}/empty`));
    expect(refusal).toContain(`registry ${SOURCE} is blocked in`);
    expect(refusal).not.toContain(ASKED);
    // The mirrors are there all the same.
    expect(await gives(`${SOURCE}/team/app:v1`, never(mirror))).toBe(digest);
  });

  it('cannot pull from a blocked registry, nor from a blocked domain', async () => {
    for (const scope of [BELOW, `${BELOW}/team`, '*.invalid']) {
      const refusal = await gives(`${BELOW}/team/app:v1`, anImage({ blockedRegistries: [scope] }));
      expect(refusal).toContain('is blocked in');
    }
  });

  it('uses the mirrors of a registry for a repository with its own entry', async () => {
    const settings = anImage({ insecureRegistries: [registry.host, `${SOURCE}/team`] });
    expect(await gives(`${SOURCE}/team/app:v1`, tags(SOURCE, mirror), settings)).toBe(digest);
  });

  it('uses mirrors for all hosts below a domain', async () => {
    expect(await gives(`${BELOW}/team/app:v1`, tags('*.invalid', mirror))).toBe(digest);
    const settings = anImage({ insecureRegistries: [registry.host, `${BELOW}/team`] });
    expect(await gives(`${BELOW}/team/app:v1`, tags('*.invalid', mirror), settings)).toBe(digest);
  });

  it('reads the drop-in of search registries', async () => {
    const text =
      generated(anImage({ containerRuntimeSearchRegistries: ['quay.io', 'docker.io'] })).get(SEARCH) ?? '';
    const place = ['--registries-conf', await written(text)];
    const { stderr } = await run('skopeo', [...place, 'inspect', `docker://${SOURCE}/a:v1`]);
    expect(stderr).toContain(ASKED);
  });

  /** Where from: by its own name, without a mirror. */
  const copied = async (...objects: readonly SomeObject[]) => {
    const policy = await written(generated(...objects).get(POLICY) ?? '');
    const target = `dir:${join(folder, `copy-${count++}`)}`;
    const source = `docker://${registry.host}/mirror/team/app:v1`;
    const args = ['copy', '--policy', policy, '--src-tls-verify=false', '--override-arch=amd64'];
    const { code, stderr } = await run('skopeo', [...args, '--override-os=linux', source, target]);
    return code === 0 ? 'copied' : stderr;
  };

  it('enforces the policy: allowed, rejected, and signed images', async () => {
    const { host } = registry;
    expect(await copied(anImage({ allowedRegistries: [host] }))).toBe('copied');
    expect(await copied(anImage({ allowedRegistries: ['quay.io'] }))).toContain('is rejected by policy');
    expect(await copied(anImage({ blockedRegistries: ['quay.io'] }))).toBe('copied');
    expect(await copied(anImage({ blockedRegistries: [`${host}/mirror`] }))).toContain(
      'is rejected by policy',
    );
    expect(await copied(aClusterImagePolicy('all', [`${host}/other`]))).toBe('copied');
    expect(await copied(aClusterImagePolicy('all', [`${host}/mirror/team`], signedByKey()))).toContain(
      'A signature was required, but no signature exists',
    );
  });
});

function signedByKey(): ImagePolicySpec['policy'] {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keyData = btoa(publicKey.export({ type: 'spki', format: 'pem' }).toString());
  return { rootOfTrust: { policyType: 'PublicKey', publicKey: { keyData } } };
}
