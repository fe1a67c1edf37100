import { describe, expect, it } from 'vitest';
import { isPathWithinLimits } from '../../base/text/index.ts';
import { absencePath, backupPath, noOriginalPath, originalPath } from './state-paths.ts';

const STATE = '/etc/machine-config-daemon';
const all = [originalPath, noOriginalPath, backupPath, absencePath];

describe('the state of a path', () => {
  it.each([
    [originalPath('/etc/chrony.conf'), `${STATE}/orig/etc/chrony.conf.mcdorig`],
    [noOriginalPath('/etc/new'), `${STATE}/noorig/etc/new.mcdnoorig`],
    [backupPath('/etc/new'), `${STATE}/journal-in-the-way/etc/new`],
    [absencePath('/etc/new'), `${STATE}/journal-in-the-way/etc/new.nothing`],
    [originalPath(`/${'x'.repeat(247)}`), `${STATE}/orig/${'x'.repeat(247)}.mcdorig`],
    [noOriginalPath(`/${'x'.repeat(245)}`), `${STATE}/noorig/${'x'.repeat(245)}.mcdnoorig`],
  ])('has the usual name where that can be written: %s', (path, expected) => {
    expect(path).toBe(expected);
  });

  it.each([
    ['a long name', `/etc/${'x'.repeat(255)}`],
    ['a name that is only too long with its suffix', `/etc/${'x'.repeat(248)}`],
    ['a long name that is not ASCII', `/etc/${'ü'.repeat(127)}`],
    ['a long path', '/abcdefg'.repeat(507)],
    ['a path that no machine has', `/${'x'.repeat(3000)}/${'y'.repeat(3000)}`],
  ])('is within the limits for %s', (_, path) => {
    for (const name of all) expect(isPathWithinLimits(`/rootfs${name(path)}`, 11)).toBe(true);
    expect(new Set(all.map((name) => name(path))).size).toBe(all.length);
  });

  it('is another one for each long path, and always the same', () => {
    const [one, other] = [`/${'x'.repeat(255)}`, `/${'x'.repeat(254)}y`];
    for (const name of all) {
      expect(name(one)).toBe(name(one));
      expect(name(one)).not.toBe(name(other));
    }
  });

  it('is never in the folder of another path', () => {
    expect(noOriginalPath(`/${'x'.repeat(255)}`)).toMatch(
      /^\/etc\/machine-config-daemon\/noorig-of-long-paths\/[0-9a-f]{64}\.mcdnoorig$/,
    );
  });
});
