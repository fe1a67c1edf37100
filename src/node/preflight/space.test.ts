import { describe, expect, it } from 'vitest';
import { aChange, filesOf, judged } from '../../../test/support/a-preflight.ts';
import type { PathSpace } from './check.ts';

const MIB = 1024 ** 2;
const on = (fileSystem: string, freeMib: number, sizeMib = 0): PathSpace => ({
  fileSystem,
  freeBytes: freeMib * MIB,
  sizeBytes: sizeMib * MIB,
});
const judge = (
  files: { readonly [path: string]: number },
  spaces: { readonly [path: string]: PathSpace },
) => {
  const texts = Object.entries(files).map(([path, mib]) => [path, 'x'.repeat(mib * MIB)]);
  return judged(aChange({}, filesOf(Object.fromEntries(texts))), { spaces });
};

describe('the space for an update', () => {
  it('is refused where a file does not fit, with what is free', () => {
    expect(judge({ '/etc/a': 2 }, { '/etc/a': on('root', 1) }).refusals).toEqual([
      '/etc/a: the file system has 1.0 MiB free, and the update writes 2.0 MiB there (free space on the node, or write less)',
    ]);
  });

  it('is that of all files of one file system', () => {
    const files = { '/etc/a': 1, '/etc/b': 1 };
    expect(judge(files, { '/etc/a': on('root', 1), '/etc/b': on('root', 1) }).refusals).toHaveLength(1);
    expect(judge(files, { '/etc/a': on('root', 1), '/etc/b': on('other', 1) }).refusals).toEqual([]);
  });

  it('counts what is replaced', () => {
    const files = { '/etc/a': 1, '/etc/b': 1 };
    expect(judge(files, { '/etc/a': on('root', 1, 1), '/etc/b': on('root', 1, 1) }).refusals).toEqual([]);
  });

  it('is a warning where it is tight, nothing where there is enough, and nothing where it is unknown', () => {
    expect(judge({ '/etc/a': 1 }, { '/etc/a': on('root', 10) }).warnings).toEqual([
      '/etc/a: the file system has 10.0 MiB free, little more than the 1.0 MiB that the update writes',
    ]);
    expect(judge({ '/etc/a': 1 }, { '/etc/a': on('root', 100) })).toEqual({ refusals: [], warnings: [] });
    expect(judge({ '/etc/a': 1 }, {})).toEqual({ refusals: [], warnings: [] });
  });
});
