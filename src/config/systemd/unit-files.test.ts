import { describe, expect, it } from 'vitest';
import { installOf, isUnitName, parseUnitFile, settings, templateOf } from './unit-files.ts';

describe('the name of a unit', () => {
  it.each(['a.service', 'a@b.service', 'dev-sda\\x2d1.device', 'a.b.timer', 'a:b_c-d.socket'])(
    'may be %s',
    (name) => {
      expect(isUnitName(name)).toBe(true);
    },
  );

  it.each([
    '',
    'a',
    '.service',
    '-a.service',
    'a/b.service',
    'a.conf',
    'a\n.service',
    `${'x'.repeat(250)}.service`,
  ])('cannot be %j', (name) => {
    expect(isUnitName(name)).toBe(false);
  });

  it('of an instance contains that of its template', () => {
    expect(templateOf('getty@tty1.service')).toBe('getty@.service');
    expect(templateOf('getty@.service')).toBeUndefined();
    expect(templateOf('a.service')).toBeUndefined();
  });
});

describe('a unit file', () => {
  it('has settings by section, which can be repeated and reset', () => {
    const unit = parseUnitFile(
      '# c\n; c\n[Service]\nExecStart=a \\\n  b\nEnvironment=X\nEnvironment=\nEnvironment = Y=1\nbroken\n=x\n[Install]\n\n[Service]\nType=oneshot\r\n',
    );
    expect(settings(unit, 'Service', 'ExecStart')).toEqual(['a  b']);
    expect(settings(unit, 'Service', 'Environment')).toEqual(['Y=1']);
    expect(settings(unit, 'Service', 'Type')).toEqual(['oneshot']);
    expect(settings(unit, 'Install', 'WantedBy')).toEqual([]);
  });

  it('expands specifiers in its [Install] section', () => {
    const unit = parseUnitFile(
      '[Install]\nWantedBy=a.target %i.target\nAlias=%p-%n\nAlso=100%%.service %z\n',
    );
    expect(installOf(unit, 'x@y.service')).toEqual({
      wantedBy: ['a.target', 'y.target'],
      requiredBy: [],
      alias: ['x-x@y.service'],
      also: ['100%.service', '%z'],
      defaultInstance: undefined,
    });
  });
});
