import { describe, expect, test } from 'vitest';
import { resolvePlain, resolveTagged } from './resolve-scalar.ts';

const plain = (text: string) => {
  const resolved = resolvePlain(text);
  return resolved.kind === 'value' ? resolved.value : `refused: ${resolved.message}`;
};
const tagged = (tag: string, text: string) => {
  const resolved = resolveTagged(`tag:yaml.org,2002:${tag}`, text);
  return resolved.kind === 'value' ? resolved.value : `refused: ${resolved.message}`;
};

const tooLarge = 'refused: the integer is too large to be kept exactly: put it in quotes if a text is meant';

describe('a plain scalar', () => {
  test.each([
    ['.inf', 'refused: JSON has no number for infinity or not-a-number'],
    ['-.INF', 'refused: JSON has no number for infinity or not-a-number'],
    ['.nan', 'refused: JSON has no number for infinity or not-a-number'],
    ['9007199254740992', tooLarge],
    ['-9007199254740993', tooLarge],
    ['9223372036854775807', tooLarge],
    ['0xffffffffffffffff', tooLarge],
    ['123456789012345678901234567890', tooLarge],
    ['09999999999999999999', tooLarge],
  ])('%s is rejected', (text, expected) => {
    expect(plain(text)).toBe(expected);
  });

  test.each([
    ['0644', 420],
    ['0o644', 420],
    ['0O644', 420],
    ['-0644', -420],
    ['0_644', 420],
    ['0888', 888],
    ['00', 0],
    ['1_000', 1000],
    ['1_', 1],
    ['0b11', 3],
    ['+0b1_1', 3],
    ['0x1f', 31],
    ['-0X1F', -31],
    ['9007199254740991', 9007199254740991],
    ['1e3', 1000],
    ['.5', 0.5],
    ['.5_5', 0.55],
    ['1.', 1],
    ['1_000.5', 1000.5],
    ['01.5', 1.5],
    ['1e20', 1e20],
    ['-0', 0],
    ['-1e-400', 0],
  ])('%s is the number %d', (text, expected) => {
    expect(plain(text)).toBe(expected);
    expect(Object.is(plain(text), -0)).toBe(false);
  });

  test.each(['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'])(
    '%s is true',
    (text) => {
      expect(plain(text)).toBe(true);
    },
  );

  test.each(['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'])(
    '%s is false',
    (text) => {
      expect(plain(text)).toBe(false);
    },
  );

  test.each(['', '~', 'null', 'Null', 'NULL'])('"%s" is null', (text) => {
    expect(plain(text)).toBe(null);
  });

  test.each([
    ['1:30'],
    ['2001-01-01'],
    ['2001-12-14t21:59:43.10-05:00'],
    ['yEs'],
    ['tRue'],
    ['0b12'],
    ['0o8'],
    ['0x'],
    ['_1'],
    ['1e400'],
    ['1e'],
    ['.'],
    ['+.nan'],
    ['0x10000000000000000'],
    ['0x1.8p3'],
    ['3.4.0'],
    ['<<'],
    ['='],
    ['1'.repeat(1001)],
  ])('%s stays a string', (text) => {
    expect(plain(text)).toBe(text);
  });
});

describe('a tagged scalar', () => {
  test.each([
    ['int', '1.5', 'refused: the value is no !!int'],
    ['int', 'yes', 'refused: the value is no !!int'],
    ['bool', '1', 'refused: the value is no !!bool'],
    ['float', 'abc', 'refused: the value is no !!float'],
    ['null', 'x', 'refused: the value is no !!null'],
    ['timestamp', 'abc', 'refused: the value is no !!timestamp'],
    ['binary', 'aGVs bG8=', 'refused: the !!binary value is not base64'],
    ['binary', 'aGVsbG8', 'refused: the !!binary value is not base64'],
    ['binary', 'gIGC', 'refused: the !!binary value is not UTF-8 text, and JSON holds nothing else'],
    ['str', '0644', '0644'],
    ['int', '0o17', 15],
    ['float', '0x1f', 31],
    ['bool', 'Yes', true],
    ['null', '~', null],
    ['timestamp', '2001-01-01', '2001-01-01'],
    ['binary', 'aGVs\nbG8=', 'hello'],
    ['foo', '12', '12'],
  ])('!!%s %s is %s', (tag, text, expected) => {
    expect(tagged(tag, text)).toBe(expected);
  });
});
