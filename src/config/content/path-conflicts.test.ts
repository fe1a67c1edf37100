import { describe, expect, it } from 'vitest';
import { aConfig } from '../../../test/support/build.ts';
import { pathConflictProblems } from './path-conflicts.ts';

const problems = (paths: readonly string[], units: readonly object[] = []) =>
  pathConflictProblems(
    aConfig({ storage: { files: paths.map((path) => ({ path })) }, systemd: { units } } as never),
  );

describe('files of a config', () => {
  it.each<[readonly string[], number, string]>([
    [['/etc/a', '/etc/a/b'], 0, '/etc/a/b'],
    [['/etc/x', '/etc/a/b/c', '/etc/a/b/d', '/etc/a'], 3, '/etc/a/b/c'],
  ])('are refused where one is a folder of another: %j', (paths, index, below) => {
    expect(problems(paths)).toEqual([
      {
        path: `storage.files[${index}].path`,
        message: `file "${paths[index]}" is a folder of "${below}", which the config has too: no machine can have both. Remove one of them`,
        reason: 'FieldValueInvalid',
      },
    ]);
  });

  it('are refused where one is the folder of drop-ins', () => {
    const unit = { name: 'a.service', dropins: [{ name: 'b.conf', contents: '[Service]\n' }] };
    expect(problems(['/etc/systemd/system/a.service.d'], [unit])).toHaveLength(1);
    expect(problems(['/etc/systemd/system/a.service.d/c.conf'], [unit])).toEqual([]);
  });

  it.each([[['/etc/a', '/etc/ab', '/etc/a.d/b']], [['/etc/a', '/etc/b']], [[]]])(
    'are accepted where none is: %j',
    (paths) => {
      expect(problems(paths)).toEqual([]);
    },
  );
});
