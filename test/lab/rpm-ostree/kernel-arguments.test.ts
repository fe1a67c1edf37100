import { describe, expect, it } from 'vitest';
import { changedArguments } from './kernel-arguments.ts';

describe('rpm-ostree kargs', () => {
  it.each([
    ['refuses to delete a missing argument', ['rw'], ['--delete=quiet'], "No karg 'quiet' found"],
    ['refuses flags that it does not know', ['rw'], ['--replace=rw=1'], 'Unknown option --replace'],
  ])('%s', (_, before, flags, message) => {
    expect(() => changedArguments(before, flags)).toThrow(message);
  });

  it.each([
    ['appends, also an existing argument', ['a=1'], ['--append=a=1'], ['a=1', 'a=1']],
    ['keeps all signs of equality of a value', [], ['--append=a=b=c'], ['a=b=c']],
    [
      'passes over what is to be deleted if present and is not',
      ['rw'],
      ['--delete-if-present=quiet'],
      ['rw'],
    ],
    ['deletes one of several that are equal', ['a', 'b', 'a'], ['--delete-if-present=a'], ['b', 'a']],
    ['takes flags in their order', ['a'], ['--delete-if-present=a', '--append=b', '--append=a'], ['b', 'a']],
    [
      'appends only once what may be missing',
      ['a'],
      ['--append-if-missing=a', '--append-if-missing=b'],
      ['a', 'b'],
    ],
  ])('%s', (_, before, flags, after) => {
    expect(changedArguments(before, flags)).toEqual(after);
  });
});
