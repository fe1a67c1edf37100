import { describe, expect, it } from 'vitest';
import { Trace } from './trace.ts';

function aTrace(lines: readonly (readonly [text: string, content?: string])[]): Trace {
  const trace = new Trace({ nowMs: () => 1_234 });
  for (const [text, content] of lines)
    trace.add(text, content === undefined ? undefined : new TextEncoder().encode(content));
  return trace;
}

describe('a trace', () => {
  it('has lines with the seconds of virtual time', () => {
    const heard: string[] = [];
    const trace = new Trace({ nowMs: () => 12_345, onLine: (line) => heard.push(line) });
    trace.add('worker-0 is up');
    expect([trace.last(1), heard, trace.count]).toEqual([
      ['12.345 worker-0 is up'],
      ['12.345 worker-0 is up'],
      1,
    ]);
  });

  it('has the same hash for the same lines', () => {
    expect(aTrace([['a'], ['b', 'x']]).hash).toBe(aTrace([['a'], ['b', 'x']]).hash);
    expect(aTrace([['a']]).hash).toMatch(/^[0-9a-f]{16}$/);
  });

  it.each([
    ['another line', [['a'], ['c', 'x']]],
    ['another order', [['b', 'x'], ['a']]],
    ['another content', [['a'], ['b', 'y']]],
    ['one line less', [['a']]],
  ] as const)('has another hash for %s', (_, lines) => {
    expect(aTrace(lines).hash).not.toBe(aTrace([['a'], ['b', 'x']]).hash);
  });

  it('has another hash where the same lines come at another time', () => {
    const later = new Trace({ nowMs: () => 1_235 });
    later.add('a');
    expect(later.hash).not.toBe(aTrace([['a']]).hash);
  });

  it('keeps the last lines of a long run, and counts all of them', () => {
    const trace = aTrace(Array.from({ length: 5_000 }, (_, index) => [`line ${index}`] as const));
    expect([trace.count, trace.last(2)]).toEqual([5_000, ['1.234 line 4998', '1.234 line 4999']]);
    expect(trace.last(5_000).length).toBeLessThan(1_000);
  });
});
