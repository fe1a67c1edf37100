import { describe, expect, it } from 'vitest';
import type { SourceMirrors } from './mirror-sets.ts';
import { registryEntries } from './registry-entries.ts';

const digests = (source: string, ...mirrors: readonly string[]): SourceMirrors => ({
  ...{ source, use: 'digest-only', mirrors, isNeverContacted: false },
});
const tags = (source: string, ...mirrors: readonly string[]): SourceMirrors => ({
  ...digests(source, ...mirrors),
  use: 'tag-only',
});
const never = (one: SourceMirrors): SourceMirrors => ({ ...one, isNeverContacted: true });

/** `scope !blocked ~insecure: mirror@ (for digests), mirror: (for tags), ~ where insecure` */
function shown(
  sources: readonly SourceMirrors[],
  { blocked = [], insecure = [] }: { blocked?: readonly string[]; insecure?: readonly string[] } = {},
): readonly string[] {
  return registryEntries({ sources, blocked, insecure }).map(({ scope, isBlocked, isInsecure, mirrors }) => {
    const marks = `${isBlocked ? ' blocked' : ''}${isInsecure ? ' insecure' : ''}`;
    const list = mirrors.map(
      ({ location, use, isInsecure: isMarked }) =>
        ` ${location}${use === 'digest-only' ? '@' : ':'}${isMarked ? '~' : ''}`,
    );
    return `${scope}${marks}${list.join('')}`;
  });
}

describe('registryEntries', () => {
  it.each<readonly [string, readonly string[], readonly string[]]>([
    [
      'one source has one entry: first mirrors for digests, then for tags',
      shown([digests('q.io', 'd.io'), tags('a.io', 'x.io'), tags('q.io', 't.io')]),
      ['q.io d.io@ t.io:', 'a.io x.io:'],
    ],
    [
      'a source that may not be asked is blocked',
      shown([never(tags('q.io', 't.io'))]),
      ['q.io blocked t.io:'],
    ],
    [
      'a blocked registry has an entry, and all within it are blocked',
      shown([tags('q.io/a', 't.io'), tags('z.io', 't.io')], { blocked: ['q.io', 'b.io'] }),
      ['q.io/a blocked t.io:', 'z.io t.io:', 'q.io blocked', 'b.io blocked'],
    ],
    [
      'an insecure registry has an entry; all within it and all mirrors there are insecure',
      shown([tags('q.io/a', 'm.io/x', 'n.io')], { insecure: ['q.io', 'm.io'] }),
      ['q.io/a insecure m.io/x:~ n.io:', 'q.io insecure', 'm.io insecure'],
    ],
    [
      'a mirror within a blocked registry is not marked',
      shown([tags('q.io', 'm.io/x')], { blocked: ['m.io'] }),
      ['q.io m.io/x:', 'm.io blocked'],
    ],
    [
      'wildcards reach every host below',
      shown([tags('a.example.com/x', 'm.io')], { blocked: ['*.example.com'], insecure: ['*.io'] }),
      ['a.example.com/x blocked m.io:~', '*.example.com blocked', '*.io insecure'],
    ],
    [
      'an entry that is there for another reason keeps the mirrors around it',
      shown([tags('q.io', 'm.io/q')], { insecure: ['q.io/a/b'] }),
      ['q.io m.io/q:', 'q.io/a/b insecure m.io/q/a/b:'],
    ],
    [
      'also both sorts of mirrors, and that the source may not be asked',
      shown([never(digests('q.io', 'd.io')), never(tags('q.io', 't.io'))], { insecure: ['q.io/a'] }),
      ['q.io blocked d.io@ t.io:', 'q.io/a blocked insecure d.io/a@ t.io/a:'],
    ],
    [
      'of several around it the nearest',
      shown([digests('q.io', 'far.io'), digests('q.io/a', 'near.io')], { blocked: ['q.io/a/b'] }),
      ['q.io far.io@', 'q.io/a near.io@', 'q.io/a/b blocked near.io/b@'],
    ],
    [
      'from a wildcard too',
      shown([digests('*.q.io', 'm.io/x')], { insecure: ['a.q.io/team'] }),
      ['*.q.io m.io/x@', 'a.q.io/team insecure m.io/x/team@'],
    ],
    [
      'an entry with mirrors of its own takes none from around it',
      shown([digests('q.io', 'far.io'), tags('q.io/a', 'own.io')]),
      ['q.io far.io@', 'q.io/a own.io:'],
    ],
    [
      'mirrors that came from around are insecure where they lie',
      shown([tags('q.io', 'm.io')], { insecure: ['q.io/a', 'm.io/a'] }),
      ['q.io m.io:', 'q.io/a insecure m.io/a:~', 'm.io/a insecure'],
    ],
    [
      'a registry that is blocked twice has one entry',
      shown([], { blocked: ['b.io', 'b.io'] }),
      ['b.io blocked'],
    ],
    ['nothing gives nothing', shown([]), []],
  ])('%s', (_, entries, expected) => {
    expect(entries).toEqual(expected);
  });
});
