/** skopeo as the judge of where an image is pulled from. Nobody answers at these addresses, so that all are tried. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import {
  createMirroredPuller,
  mergeRegistriesConf,
  pullSources,
  referenceText,
} from '../../src/images/index.ts';
import { client } from './registries.ts';
import { lacks, run } from './tools.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const A = '127.0.0.1:9';
const B = '127.0.0.2:9';
const C = '127.0.0.3:9';
const mirror = (location: string, ...fields: readonly string[]) =>
  ['[[registry.mirror]]', `location = "${location}"`, ...fields, ''].join('\n');
const registry = (...fields: readonly string[]) => ['[[registry]]', ...fields, ''].join('\n');

const FILES: { readonly [name: string]: readonly string[] } = {
  nothing: [''],
  plain: [registry(`location = "${A}"`) + mirror(`${B}/m`) + mirror(C)],
  'by kind': [
    registry('prefix = ""', `location = "${A}/team"`) +
      mirror(`${B}/digests`, 'pull-from-mirror = "digest-only"') +
      mirror(`${B}/tags`, 'pull-from-mirror = "tag-only"') +
      mirror(`${C}/all`, 'pull-from-mirror = "all"'),
  ],
  'by digest': [registry(`location = "${A}"`, 'mirror-by-digest-only = true') + mirror(`${B}/m`) + mirror(C)],
  renamed: [registry(`prefix = "${A}/old"`, `location = "${B}/new"`)],
  nested: [
    registry(`location = "${A}"`) +
      mirror(B) +
      registry(`location = "${A}/team"`) +
      mirror(C) +
      registry(`location = "${A}/team/app"`),
  ],
  blocked: [registry(`location = "${A}"`, 'blocked = true') + mirror(B)],
  'blocked mirror': [
    registry(`location = "${A}"`) + mirror(`${B}/m`) + registry(`location = "${B}"`, 'blocked = true'),
  ],
  wildcard: [registry('prefix = "*.localhost"') + mirror(B) + mirror(`${C}/m`)],
  'wildcard elsewhere': [registry('prefix = "*.localhost"', `location = "${B}/there"`)],
  'not canonical': [registry(`prefix = "${A}"`, 'location = "there"')],
  'dropped in': [
    registry(`location = "${A}"`) + mirror(B),
    registry(`location = "${A}/team"`) + mirror(`${B}/first`),
    registry(`location = "${A}/team"`) + mirror(`${C}/second`),
  ],
  broken: [registry(`prefix = "${A}"`)],
  'broken drop-in': ['', mirror(B)],
};

const NAMES = [
  ...[
    `${A}/x:1`,
    `${A}/team/app:1`,
    `${A}/team/app/more`,
    `${A}/teams/x:1`,
    `${A}/old/x:1`,
    `${A}/older/x:1`,
  ],
  ...[
    `${A}/team/app@${DIGEST}`,
    `${B}/m/x:1`,
    'a.b.localhost/x:1',
    'localhost:9/x:1',
    `${A}/a.localhost/x:1`,
  ],
];

describe.skipIf(lacks('skopeo'))('skopeo agrees on the sources and their order', () => {
  let home: string;
  const conf = (number: number) =>
    number === 0
      ? join(home, '.config/containers/registries.conf')
      : join(home, `.config/containers/registries.conf.d/${number}0.conf`);

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'millwright-mirrors-'));
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  it.each(Object.keys(FILES))('for the files: %s', async (what) => {
    const texts = FILES[what] ?? [];
    await rm(home, { recursive: true, force: true });
    await mkdir(join(home, '.config/containers/registries.conf.d'), { recursive: true });
    for (const [number, text] of texts.entries()) await writeFile(conf(number), text);
    const merged = mergeRegistriesConf(texts.map((text, number) => ({ path: conf(number), text })));
    const known = await Promise.all(NAMES.map((name) => theirs(name, home)));
    const ours = NAMES.map((name) => {
      const outcome = merged.kind === 'ok' ? pullSources(merged.value, name) : merged;
      if (outcome.kind === 'invalid') return { name, sources: undefined };
      const sources = outcome.value.flatMap((candidate) => candidate.sources);
      return { name, sources: sources.map(({ reference }) => referenceText(reference)) };
    });
    expect(ours).toEqual(known);
  });

  it('with the same message if no source has the image', async () => {
    await rm(home, { recursive: true, force: true });
    await mkdir(join(home, '.config/containers'), { recursive: true });
    const text = registry(`location = "${A}"`, 'blocked = true') + mirror(`${B}/m`) + mirror(C);
    await writeFile(conf(0), text);
    const merged = mergeRegistriesConf([{ path: conf(0), text }]);
    const registries = client({ limits: { attempts: 1 } });
    const pull = createMirroredPuller({
      async sourcesOf(name) {
        const outcome = merged.kind === 'ok' ? pullSources(merged.value, name) : merged;
        if (outcome.kind === 'invalid') throw new Error(JSON.stringify(outcome.problems));
        return outcome.value;
      },
      pull: ({ reference }) => registries.fetchManifest(reference),
    });
    const error = await pull(`${A}/x:1`).catch((reason: unknown) => reason);
    if (!(error instanceof Failure)) throw new Error('it fails');
    const { stderr } = await inspect(`${A}/x:1`, home);
    const message = JSON.parse(/level=fatal msg=("(?:[^"\\]|\\.)*")/.exec(stderr)?.[1] ?? '""');
    expect(error.message.replaceAll('/etc/containers/', `${home}/.config/containers/`)).toBe(
      String(message).replace(/^Error parsing image name "[^"]*": /, ''),
    );
  });
});

async function inspect(name: string, home: string) {
  const args = ['--debug', 'inspect', '--tls-verify=false', `docker://${name}`];
  return await run('skopeo', args, { HOME: home });
}

/** What skopeo tries; undefined where it refuses before it tries anything. */
async function theirs(name: string, home: string) {
  const { stderr } = await inspect(name, home);
  const tried = [...stderr.matchAll(/msg="Trying to access \\"([^"\\]*)\\""/g)].map(([, text = '']) => text);
  expect(stderr).toContain('level=fatal');
  return { name, sources: tried.length === 0 ? undefined : tried };
}
