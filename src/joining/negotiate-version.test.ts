import { describe, expect, it } from 'vitest';
import { negotiateVersion } from './negotiate-version.ts';

const ignition = (version: string, rest = '') =>
  `application/vnd.coreos.ignition+json;version=${version}${rest}`;

describe('negotiateVersion', () => {
  it.each([
    ['no header, as from Ignition of spec 2', undefined, '2.2.0'],
    ['an empty header', '', '2.2.0'],
    ['curl', '*/*', '2.2.0'],
    ['a browser', 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8', '2.2.0'],
    ['2.2', ignition('2.2.0'), '2.2.0'],
    ['2.3', ignition('2.3.0'), '2.2.0'],
    ['2.4, as Ignition 0.35 sends it', `${ignition('2.4.0')}, */*;q=0.1`, '2.2.0'],
    ['3.0', ignition('3.0.0'), '3.0.0'],
    ['3.1', ignition('3.1.0'), '3.1.0'],
    ['3.2', `${ignition('3.2.0')}, */*;q=0.1`, '3.2.0'],
    ['3.3', ignition('3.3.0'), '3.3.0'],
    ['3.4', ignition('3.4.0'), '3.4.0'],
    ['3.5', ignition('3.5.0'), '3.5.0'],
    ['a later version of spec 3', ignition('3.6.0'), '3.5.0'],
    ['a much later version of spec 3', ignition('3.12.3'), '3.5.0'],
    ['a patch release', ignition('3.3.7'), '3.3.0'],
    ['an experimental version', ignition('3.4.0-experimental'), '3.4.0'],
    ['a version in quotes', 'application/vnd.coreos.ignition+json;version="3.4.0"', '3.4.0'],
    ['spaces and upper case', ' Application/Vnd.CoreOS.Ignition+JSON ; Version=3.3.0 ; Q=1 ', '3.3.0'],
    ['another main type', 'text/vnd.coreos.ignition+json;version=3.3.0', '3.3.0'],
    ['the best of two', `${ignition('3.1.0', ';q=0.5')},${ignition('3.4.0', ';q=0.9')}`, '3.4.0'],
    ['the first of two with the same weight', `${ignition('3.1.0')},${ignition('3.4.0')}`, '3.1.0'],
    ['a weight before the version', 'application/vnd.coreos.ignition+json;q=0.5;version=3.3.0', '3.3.0'],
    ['a version that is refused with q=0', `${ignition('3.4.0', ';q=0')},${ignition('3.1.0')}`, '3.1.0'],
    ['nothing but refused versions', ignition('3.4.0', ';q=0'), '2.2.0'],
    [
      'a weight that cannot be read',
      `${ignition('3.1.0', ';q=0.5')},${ignition('3.3.0', ';q=often')}`,
      '3.3.0',
    ],
    ['a weight beyond 1', `${ignition('3.1.0', ';q=7')},${ignition('3.3.0', ';q=1')}`, '3.1.0'],
    ['no version', 'application/vnd.coreos.ignition+json', '2.2.0'],
    ['an empty version', ignition(''), '2.2.0'],
    ['a version of two numbers', ignition('3.4'), '2.2.0'],
    ['a version of words', ignition('latest'), '2.2.0'],
    ['an item without a slash', `ignition;version=3.4.0,${ignition('3.2.0')}`, '3.2.0'],
    ['an item without a main type', '/vnd.coreos.ignition+json;version=3.4.0', '2.2.0'],
    [
      'an unsupported version with a supported one',
      `${ignition('4.0.0')},${ignition('3.1.0', ';q=0.1')}`,
      '3.1.0',
    ],
    ['semicolons without parameters', `${ignition('3.3.0', ';;;')};`, '3.3.0'],
    ['a parameter without a value', 'application/vnd.coreos.ignition+json;version', '2.2.0'],
  ])('answers %s', (_, header, version) => {
    expect(negotiateVersion(header)).toEqual({ kind: 'version', version });
  });

  it.each([ignition('1.0.0'), ignition('2.0.0'), ignition('2.1.0'), ignition('4.0.0'), ignition('0.0.0')])(
    'refuses %s',
    (header) => {
      expect(negotiateVersion(header)).toEqual({
        kind: 'unsupported',
        message: `unsupported Ignition version in Accept header: ${header}`,
      });
    },
  );

  it('reads a header of many items in one pass', () => {
    const header = `${';,'.repeat(50_000)}${ignition('3.4.0')}`;
    expect(negotiateVersion(header)).toEqual({ kind: 'version', version: '3.4.0' });
  });
});
