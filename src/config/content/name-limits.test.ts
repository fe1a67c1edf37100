import { describe, expect, it } from 'vitest';
import type { IgnitionConfig } from '../ignition/index.ts';
import { nameLimitProblems } from './name-limits.ts';

const problemsOf = (sections: object) =>
  nameLimitProblems({ ignition: { version: '3.5.0' }, ...sections } as IgnitionConfig);
const file = (path: string) => ({ storage: { files: [{ path }] } });
const unit = (name: string, ...dropins: readonly string[]) => ({
  systemd: { units: [{ name, dropins: dropins.map((dropin) => ({ name: dropin })) }] },
});
const named = (length: number, suffix = '') => `${'x'.repeat(length - suffix.length)}${suffix}`;
const deep = (bytes: number) => `/${'a'.repeat(199)}`.repeat(100).slice(0, bytes);

describe('names that a machine cannot write', () => {
  it.each<[string, object, string, string]>([
    ['a file', file(`/etc/${named(256)}`), 'storage.files[0].path', 'file name'],
    ['a folder of a file', file(`/etc/${named(300)}/x`), 'storage.files[0].path', 'file name'],
    ['a file by its bytes', file(`/etc/${'ü'.repeat(128)}`), 'storage.files[0].path', 'file name'],
    ['a path', file(deep(4065)), 'storage.files[0].path', 'path'],
    [
      'a directory',
      { storage: { directories: [{ path: `/${named(256)}` }] } },
      'storage.directories[0].path',
      'file name',
    ],
    [
      'a link',
      { storage: { links: [{ path: `/${named(256)}`, target: '/x' }] } },
      'storage.links[0].path',
      'file name',
    ],
    ['a unit', unit(named(256, '.service')), 'systemd.units[0].name', 'unit name'],
    ['a unit with drop-ins', unit(named(254, '.service'), 'a.conf'), 'systemd.units[0].name', 'unit name'],
    ['a drop-in', unit('a.service', named(256, '.conf')), 'systemd.units[0].dropins[0].name', 'drop-in name'],
  ])('of %s are problems', (_, sections, path, what) => {
    const problems = problemsOf(sections);
    expect(problems.map((problem) => problem.path)).toEqual([path]);
    expect(problems[0]?.message).toMatch(
      new RegExp(`^${what} ".{40}…" is too long: it has [0-9]+ bytes, and a machine takes [0-9]+ at most$`),
    );
  });

  it.each<[string, object]>([
    ['a file of 255 bytes', file(`/etc/${named(255)}`)],
    ['a file of 255 bytes that are not ASCII', file(`/etc/${'ü'.repeat(127)}x`)],
    ['a path of 4064 bytes', file(deep(4064))],
    ['a unit of 255 bytes', unit(named(255, '.service'))],
    ['a unit of 253 bytes with a drop-in of 255', unit(named(253, '.service'), named(255, '.conf'))],
    ['nothing', {}],
  ])('do not include %s', (_, sections) => {
    expect(problemsOf(sections)).toEqual([]);
  });
});
