import { describe, expect, it } from 'vitest';
import { CriLineSplitter, formatLine, lineTime, MAX_LINE_CHARS, parseLine } from './cri-log-line.ts';

const TIME = '2026-11-15T17:00:00.123000000Z';
const bytes = (text: string) => new TextEncoder().encode(text);

describe('a CRI log line', () => {
  it.each([
    ['nothing', ''],
    ['a time alone', TIME],
    ['no text', `${TIME} stderr`],
    ['no space behind the tag', `${TIME} stderr F`],
    ['another stream', `${TIME} stdin F a`],
    ['a torn time', '2026-11-15T17:00:0 stderr F a'],
    ['something else', 'panic: runtime error at all'],
    ['one endless word', 'x'.repeat(100_000)],
  ])('is rejected if it has %s', (_, text) => {
    expect(parseLine(bytes(text))).toBeUndefined();
  });

  it.each([
    [`${TIME} stderr F a b`, true, 'a b'],
    [`${TIME} stdout F `, true, ''],
    [`${TIME} stdout P part`, false, 'part'],
    [`${TIME} stdout P:new text`, false, 'text'],
    [`${TIME} stderr F grüße 🎉`, true, 'grüße 🎉'],
  ])('is parsed from %j', (line, isWhole, text) => {
    expect(parseLine(bytes(line))).toEqual({
      time: TIME,
      nanos: 1_794_762_000_123_000_000n,
      isWhole,
      text: bytes(text),
    });
  });

  it.each([
    [0, '1970-01-01T00:00:00.000000000Z'],
    [1_794_762_000_123, TIME],
    [1_794_762_000_120.7, '2026-11-15T17:00:00.120000000Z'],
  ])('formats the time %d as %s', (ms, expected) => {
    expect(lineTime(ms)).toBe(expected);
  });
});

describe('the output of a container', () => {
  const cut = (...texts: readonly string[]) => {
    const cutter = new CriLineSplitter();
    return [...texts.map((text) => cutter.cut(text, 'T')), cutter.end('T')];
  };
  const long = 'x'.repeat(MAX_LINE_CHARS);

  it.each<readonly [string, readonly string[], readonly string[]]>([
    ['nothing', [''], ['', '']],
    ['a line', ['a\n'], ['T stderr F a\n', '']],
    ['empty lines', ['\n\n'], ['T stderr F \nT stderr F \n', '']],
    ['lines in parts', ['a', 'b\nc', '\n'], ['', 'T stderr F ab\n', 'T stderr F c\n', '']],
    ['a last line without an end', ['a\nb'], ['T stderr F a\n', 'T stderr F b\n']],
    ['the longest line', [`${long}\n`], [`T stderr F ${long}\n`, '']],
    ['a longer line', [`${long}yz\n`], [`T stderr P ${long}\nT stderr F yz\n`, '']],
    ['a longer line in parts', [`${long}y`, 'z\n'], [`T stderr P ${long}\n`, 'T stderr F yz\n', '']],
  ])('is split into lines: %s', (_, texts, expected) => {
    expect(cut(...texts)).toEqual(expected);
  });

  it('is not split within a character', () => {
    const [first = ''] = cut(`${'x'.repeat(MAX_LINE_CHARS - 1)}🎉y\n`);
    expect(first).toBe(`T stderr P ${'x'.repeat(MAX_LINE_CHARS - 1)}\nT stderr F 🎉y\n`);
  });

  it('is parsed as it was written', () => {
    const line = formatLine(TIME, 'F P stdout', { isWhole: true });
    expect(parseLine(bytes(line.slice(0, -1)))?.text).toEqual(bytes('F P stdout'));
  });
});
