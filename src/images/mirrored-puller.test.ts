import { describe, expect, test } from 'vitest';
import { Bug, Failure } from '../base/errors.ts';
import { referenceText } from './image-reference.ts';
import { createMirroredPuller, type PullTry } from './mirrored-puller.ts';
import { pullSources } from './pull-sources.ts';
import { mergeRegistriesConf } from './registries-conf.ts';

const CONF = `
unqualified-search-registries = ["blocked.io", "quay.io"]
[[registry]]
location = "quay.io"
[[registry.mirror]]
location = "m1.io"
[[registry.mirror]]
location = "m2.io"
[[registry]]
location = "blocked.io"
blocked = true
`;

const unknown = (text: string) =>
  new Failure('stalled', 'ManifestUnknown', `reading manifest of ${text}: manifest unknown`);

/** Pulls from registries with these responses. */
function puller(world: { readonly [reference: string]: string | Error }) {
  const tries: string[] = [];
  const pull = createMirroredPuller({
    async sourcesOf(name) {
      const conf = mergeRegistriesConf([{ path: '/etc/containers/registries.conf', text: CONF }]);
      const sources = conf.kind === 'ok' ? pullSources(conf.value, name) : conf;
      if (sources.kind === 'invalid') throw new Error('it is valid');
      return sources.value;
    },
    async pull({ reference }) {
      const answer = world[referenceText(reference)] ?? unknown(referenceText(reference));
      if (answer instanceof Error) throw answer;
      return answer;
    },
    onTry: (event: PullTry) => tries.push(`${event.kind} ${referenceText(event.source.reference)}`),
  });
  return { pull, tries };
}

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Failure)) throw new Error(`no failure: ${String(error)}`);
  return error;
}

describe('createMirroredPuller, where no source has the image,', () => {
  test('reports the error of a single source unchanged', async () => {
    const failure = await failureOf(puller({}).pull('a.io/x:1'));
    expect(failure).toMatchObject({
      kind: 'stalled',
      reason: 'ManifestUnknown',
      message: 'reading manifest of a.io/x:1: manifest unknown',
    });
  });

  test('reports the errors of all sources, that of the named location last', async () => {
    const busy = new Failure('transient', 'Unreachable', 'pinging container registry m1.io: busy');
    const failure = await failureOf(puller({ 'm1.io/x:1': busy }).pull('quay.io/x:1'));
    expect(failure).toMatchObject({
      kind: 'transient',
      reason: 'ManifestUnknown',
      message:
        '(Mirrors also failed: [m1.io/x:1: pinging container registry m1.io: busy]\n[m2.io/x:1: reading manifest of m2.io/x:1: manifest unknown]): quay.io/x:1: reading manifest of quay.io/x:1: manifest unknown',
    });
  });

  test('does not contact a blocked source', async () => {
    const { pull, tries } = puller({ 'blocked.io/x:1': 'would be there' });
    expect(await failureOf(pull('blocked.io/x:1'))).toMatchObject({
      kind: 'stalled',
      reason: 'RegistryBlocked',
      message:
        'registry blocked.io is blocked in /etc/containers/registries.conf or /etc/containers/registries.conf.d',
    });
    expect(tries).toEqual(['trying blocked.io/x:1', 'failed blocked.io/x:1']);
  });

  test('reports the errors of every candidate of a short name', async () => {
    const { message } = await failureOf(puller({}).pull('x:1'));
    expect(message.split('\n')).toEqual([
      '2 errors occurred while pulling:',
      ' * registry blocked.io is blocked in /etc/containers/registries.conf or /etc/containers/registries.conf.d',
      ' * (Mirrors also failed: [m1.io/x:1: reading manifest of m1.io/x:1: manifest unknown]',
      '[m2.io/x:1: reading manifest of m2.io/x:1: manifest unknown]): quay.io/x:1: reading manifest of quay.io/x:1: manifest unknown',
    ]);
  });

  test.each([
    ['the pull is cancelled', new Failure('cancelled', 'Cancelled', 'no longer wanted')],
    ['it is a mistake of ours', new Bug('x')],
  ])('contacts no other source once %s', async (_, error) => {
    const { pull, tries } = puller({ 'm1.io/x:1': error, 'm2.io/x:1': 'there' });
    await expect(pull('quay.io/x:1')).rejects.toBe(error);
    expect(tries).toEqual(['trying m1.io/x:1']);
  });
});

test('the first source that has the image is the last that is contacted', async () => {
  const { pull, tries } = puller({ 'm2.io/x:1': 'from the second', 'quay.io/x:1': 'from the source' });
  expect(await pull('x:1')).toMatchObject({
    value: 'from the second',
    image: { host: 'quay.io', repository: 'x', tag: '1' },
    source: { reference: { host: 'm2.io' } },
  });
  expect(tries).toEqual([
    'trying blocked.io/x:1',
    'failed blocked.io/x:1',
    'trying m1.io/x:1',
    'failed m1.io/x:1',
    'trying m2.io/x:1',
  ]);
});
