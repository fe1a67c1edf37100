import { describe, expect, it } from 'vitest';
import {
  anIcsp,
  anIdms,
  anItms,
  objectsOf,
  type SomeObject,
} from '../../../test/support/build-registries.ts';
import { compareBytes } from '../../base/json.ts';
import { readMirrorSets } from './mirror-sets.ts';

const NEVER = 'NeverContactSource';
const ALLOW = 'AllowContactingSource';
const UNTIL = '; until this is fixed, nodes keep their present configuration for this source';

const read = (...objects: readonly SomeObject[]) => readMirrorSets(objectsOf(...objects));
const findingsOf = (...objects: readonly SomeObject[]) =>
  read(...objects).findings.map(({ about, reason, message }) => [about.kind, about.name, reason, message]);

describe('findings', () => {
  it('about a malformed source or mirror are on its object', () => {
    const bad = anIcsp(
      'bad',
      { source: 'https://quay.io', mirrors: ['m.example'] },
      { source: 'quay.io', mirrors: ['m.example', '*.example'] },
      { source: 'ghcr.io', mirrors: ['m.example/ghcr'] },
    );
    const { sources, held } = read(bad, anIdms('good', { source: 'docker.io', mirrors: ['m.example/hub'] }));
    expect(findingsOf(bad)).toEqual([
      [
        ...['ImageContentSourcePolicy', 'bad', 'InvalidMirrorSet'],
        'invalid format for source "https://quay.io"; the entry is ignored',
      ],
      [
        ...['ImageContentSourcePolicy', 'bad', 'InvalidMirrorSet'],
        `invalid format for mirror "*.example"${UNTIL}`,
      ],
    ]);
    expect(sources.map(({ source }) => source)).toEqual(['docker.io', 'ghcr.io']);
    expect([...held]).toEqual(['quay.io']);
  });

  const conflict =
    'conflicting mirrorSourcePolicy is set for the same source "quay.io" in imagedigestmirrorsets, imagetagmirrorsets, or imagecontentsourcepolicies';
  it.each<readonly [string, SomeObject, SomeObject]>([
    [
      'two sets for tags',
      anItms('a', { source: 'quay.io', mirrors: ['m.example'], mirrorSourcePolicy: NEVER }),
      anItms('b', { source: 'quay.io', mirrors: ['n.example'], mirrorSourcePolicy: ALLOW }),
    ],
    [
      'a tag set and a digest set, of which one has no policy',
      anItms('a', { source: 'quay.io', mirrors: ['m.example'], mirrorSourcePolicy: NEVER }),
      anIdms('b', { source: 'quay.io', mirrors: ['n.example'] }),
    ],
    [
      'an ImageContentSourcePolicy, which has no source policy',
      anIdms('a', { source: 'quay.io', mirrors: ['m.example'], mirrorSourcePolicy: NEVER }),
      anIcsp('b', { source: 'quay.io', mirrors: ['n.example'] }),
    ],
    [
      'a set without mirrors',
      anItms('a', { source: 'quay.io', mirrorSourcePolicy: NEVER, mirrors: ['m.example'] }),
      anItms('b', { source: 'quay.io' }),
    ],
  ])('about conflicts between sets are on both: %s', (_, a, b) => {
    const other = anItms('c', { source: 'ghcr.io', mirrors: ['m.example'] });
    expect(findingsOf(a, b, other).sort(([, x = ''], [, y = '']) => compareBytes(x, y))).toEqual([
      [a.kind, 'a', 'ConflictingMirrorSets', `${conflict}${UNTIL}`],
      [b.kind, 'b', 'ConflictingMirrorSets', `${conflict}${UNTIL}`],
    ]);
    const { sources, held } = read(a, b, other);
    expect(sources.map(({ source }) => source)).toEqual(['ghcr.io']);
    expect([...held]).toEqual(['quay.io']);
  });

  it('report a source that is its own mirror and must not be contacted', () => {
    const set = anItms('a', {
      source: 'quay.io',
      mirrors: ['quay.io', 'm.example'],
      mirrorSourcePolicy: NEVER,
    });
    expect(findingsOf(set)).toEqual([
      [
        ...['ImageTagMirrorSet', 'a', 'InvalidMirrorSet'],
        `cannot set mirrorSourcePolicy: NeverContactSource if the source "quay.io" is one of the mirrors${UNTIL}`,
      ],
    ]);
    expect([...read(set).held]).toEqual(['quay.io']);
  });

  it('report a source policy without mirrors, which has no other effect', () => {
    const set = anItms('a', { source: 'quay.io', mirrorSourcePolicy: NEVER });
    expect(findingsOf(set)).toEqual([
      [
        ...['ImageTagMirrorSet', 'a', 'UnusedMirrorSourcePolicy'],
        expect.stringContaining('NeverContactSource has no effect for the source "quay.io"'),
      ],
    ]);
    expect(read(set)).toMatchObject({ sources: [], held: new Set() });
  });
});

describe('mirror sets', () => {
  it('of one source are combined, digests and tags separately', () => {
    const { sources, findings } = read(
      anIdms('b', { source: 'quay.io', mirrors: ['b.example', 'c.example'] }),
      anIdms('a', { source: 'docker.io', mirrors: ['d.example'] }),
      anIcsp('c', { source: 'quay.io', mirrors: ['a.example', 'b.example'] }),
      anItms('t', { source: 'quay.io', mirrors: ['t.example'] }),
    );
    expect(findings).toEqual([]);
    expect(sources).toEqual([
      { source: 'docker.io', use: 'digest-only', mirrors: ['d.example'], isNeverContacted: false },
      {
        ...{ source: 'quay.io', use: 'digest-only', isNeverContacted: false },
        mirrors: ['a.example', 'b.example', 'c.example'],
      },
      { source: 'quay.io', use: 'tag-only', mirrors: ['t.example'], isNeverContacted: false },
    ]);
  });

  it('without mirrors of their own are ignored', () => {
    const { sources, isAnyUsable } = read(
      anItms('a', { source: 'quay.io' }, { source: 'ghcr.io', mirrors: ['ghcr.io'] }),
    );
    expect(sources).toEqual([]);
    expect(isAnyUsable).toBe(true);
  });

  it('that are empty count as valid, those with only invalid entries do not', () => {
    expect(read().isAnyUsable).toBe(false);
    expect(read(anItms('empty')).isAnyUsable).toBe(true);
    expect(read(anIcsp('bad', { source: '*' })).isAnyUsable).toBe(false);
  });
});
