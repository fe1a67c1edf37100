/** Which nodes are asked to download the OS image of their pool's target, and which are no longer. */
import { describe, expect, it } from 'vitest';
import { aMachineConfig } from '../../test/support/build.ts';
import { annotations } from '../api/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { fetchChanges } from './fetch-ahead.ts';
import { tallyOf } from './pool-tally.ts';
import type { PoolTarget } from './pool-target.ts';

const OLD = 'registry.example/os@sha256:old';
const NEW = 'registry.example/os@sha256:new';
const OTHER = 'registry.example/os@sha256:other';
const BUILT = 'registry.example/built@sha256:1';

const IMAGES: Readonly<Record<string, string>> = { v0: OLD, v1: NEW, files: OLD, none: '' };
const machineConfig = (name: string) => {
  const osImageURL = IMAGES[name];
  return osImageURL === undefined ? undefined : aMachineConfig(name, { osImageURL });
};

type Given = {
  readonly config?: string;
  readonly desired?: string;
  readonly state?: string;
  readonly image?: string;
  readonly fetch?: string;
  readonly isCordoned?: boolean;
  readonly isJoining?: boolean;
};

function aNode(name: string, given: Given = {}): Node {
  const { config = 'v0', desired = config, state = 'Done', image, fetch, isCordoned = false } = given;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: {
        ...(given.isJoining === true ? {} : { [annotations.currentConfig]: config }),
        [annotations.desiredConfig]: desired,
        [annotations.state]: state,
        ...(image === undefined
          ? {}
          : { [annotations.currentImage]: image, [annotations.desiredImage]: image }),
        ...(fetch === undefined ? {} : { [annotations.fetchImage]: fetch }),
      },
    },
    spec: { unschedulable: isCordoned },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

type Pool = Readonly<Record<string, Given>>;

function changes(
  pool: Pool,
  { target = { config: 'v1' }, isPaused = false }: Options = {},
): readonly string[] {
  const tally = tallyOf(
    target,
    Object.entries(pool).map(([name, given]) => aNode(name, given)),
  );
  const { candidates } = tally.availability;
  return fetchChanges({ target, isPaused, candidates, fetching: tally.fetching, machineConfig }).map(
    ({ name, image }) => `${name} ${image === null ? '-' : image}`,
  );
}

type Options = { readonly target?: PoolTarget; readonly isPaused?: boolean };

const LAYERED: PoolTarget = { config: 'v1', layered: { config: 'v1', image: BUILT } };
const SENT = { desired: 'v1', state: 'Working' };

describe('fetchChanges', () => {
  // biome-ignore format: a table.
  it.each<[string, Pool, Options, readonly string[]]>([
    ['asks the next three candidates, in order', { e: {}, b: {}, d: {}, a: {}, c: {} }, {}, [`a ${NEW}`, `b ${NEW}`, `c ${NEW}`]],
    ['asks the one candidate that there is', { a: {} }, {}, [`a ${NEW}`]],
    ['asks nobody where no node is left', { a: SENT, b: { config: 'v1' } }, {}, []],
    ['asks those after the nodes that were sent', { a: SENT, b: {}, c: {} }, {}, [`b ${NEW}`, `c ${NEW}`]],
    ['asks nobody again', { a: { fetch: NEW }, b: { fetch: NEW }, c: { fetch: NEW }, d: {} }, {}, []],
    ['asks one more for each that was sent', { a: SENT, b: { fetch: NEW }, c: { fetch: NEW }, d: {}, e: {} }, {}, [`d ${NEW}`]],
    ['asks for the newer image instead', { a: { fetch: OTHER }, b: { fetch: OTHER }, c: { fetch: OTHER }, d: {} }, {}, [`a ${NEW}`, `b ${NEW}`, `c ${NEW}`]],
    ['takes back what another node was asked for', { a: {}, b: {}, c: {}, d: { fetch: OTHER } }, {}, ['d -', `a ${NEW}`, `b ${NEW}`, `c ${NEW}`]],
    ['takes back all in a paused pool', { a: { fetch: NEW }, b: { fetch: OTHER }, c: {} }, { isPaused: true }, ['a -', 'b -']],
    ['asks nobody in a paused pool', { a: {}, b: {} }, { isPaused: true }, []],
    ['asks nobody for an update that only changes files', { a: {}, b: {} }, { target: { config: 'files' } }, []],
    ['takes back what is booted by now', { a: { fetch: OLD } }, { target: { config: 'files' } }, ['a -']],
    ['asks nobody where the target has no image', { a: {} }, { target: { config: 'none' } }, []],
    ['asks nobody where the target is not known', { a: { fetch: NEW } }, { target: { config: 'gone' } }, ['a -']],
    ['asks a node whose own config is not known', { a: { config: 'gone' } }, {}, [`a ${NEW}`]],
    ['asks for the image that was built', { a: {}, b: { image: BUILT, config: 'v1' } }, { target: LAYERED }, [`a ${BUILT}`]],
    ['asks for the plain image where image mode ends', { a: { image: BUILT, config: 'v1' } }, {}, [`a ${NEW}`]],
    ['asks nobody while there is no built image', { a: {} }, { target: { config: 'v1', layered: { config: '', image: '' } } }, []],
    ['takes back what a node that was sent still has', { a: { ...SENT, fetch: NEW } }, {}, ['a -']],
    ['leaves it to a node that is cordoned meanwhile, and counts it', { a: { fetch: NEW, isCordoned: true }, b: {}, c: {}, d: {} }, {}, [`b ${NEW}`, `c ${NEW}`]],
    ['asks no node that is cordoned', { a: { isCordoned: true }, b: {} }, {}, [`b ${NEW}`]],
    ['asks no degraded node, which has another update to try', { a: { desired: 'bad', state: 'Degraded' }, b: {} }, {}, [`b ${NEW}`]],
    ['asks no node without a daemon', { a: { isJoining: true }, b: {} }, {}, [`b ${NEW}`]],
  ])('%s', (_, pool, options, expected) => {
    expect(changes(pool, options)).toEqual(expected);
  });

  it('looks at a few candidates of a large pool, not at all of them', () => {
    let looked = 0;
    const tally = tallyOf(
      { config: 'files' },
      Array.from({ length: 500 }, (_, at) => aNode(`n${at}`)),
    );
    function* counted() {
      for (const one of tally.availability.candidates) {
        looked += 1;
        yield one;
      }
    }
    const { target, fetching } = tally;
    fetchChanges({ target, isPaused: false, candidates: counted(), fetching, machineConfig });
    expect(looked).toBeLessThan(30);
  });

  it('gives the same result whatever the order of events', () => {
    const pool = { a: { fetch: NEW }, b: {}, c: { fetch: OTHER }, d: {}, e: SENT };
    const reversed = Object.fromEntries(Object.entries(pool).reverse());
    expect(changes(reversed)).toEqual(changes(pool));
  });
});

describe('a node that fetches ahead', () => {
  it('counts in its pool as before', () => {
    const target = { config: 'v1' };
    const counts = (fetch: Given) => tallyOf(target, [aNode('a', fetch), aNode('b', SENT)]).counts;
    expect(counts({ fetch: NEW })).toEqual(counts({}));
  });
});
