import { describe, expect, it } from 'vitest';
import { isPresetEnabled } from './unit-presets.ts';

describe('a preset', () => {
  it.each<[Record<string, string>, string, boolean]>([
    [{}, 'a.service', true],
    [{ '10.preset': 'disable *' }, 'a.service', false],
    [{ '90.preset': 'disable *', '10.preset': 'enable a.*' }, 'a.service', true],
    [{ '10.preset': 'disable a?.service' }, 'ab.service', false],
    [{ '10.preset': 'disable a?.service' }, 'a.service', true],
    [{ '10.preset': 'disable [!a]*' }, 'a.service', true],
    [{ '10.preset': 'disable [b-d]*' }, 'c.service', false],
    [{ '10.preset': 'disable [b' }, '[b', false],
    [{ '10.preset': 'enable g@.service a\ndisable g@*' }, 'g@a.service', true],
    [{ '10.preset': 'enable g@.service a\ndisable g@*' }, 'g@b.service', false],
    [{ '10.preset': '# disable *\nnonsense\ndisable' }, 'a.service', true],
    [{ '10.preset': `disable ${'*a'.repeat(40)}` }, 'b'.repeat(200), true],
  ])('%j has %s enabled: %s', (files, unit, isEnabled) => {
    expect(isPresetEnabled(new Map(Object.entries(files)), unit)).toBe(isEnabled);
  });
});
