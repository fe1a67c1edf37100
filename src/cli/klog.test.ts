import { describe, expect, it } from 'vitest';
import { createKlog } from './klog.ts';

const AT = Date.UTC(2026, 0, 2, 3, 4, 5, 67);

function aLog() {
  const lines: string[] = [];
  // Milliseconds, as a system clock has them; and how far the true time is beyond the first of them.
  let passedMs = 0;
  const clock = { now: () => AT + Math.floor(passedMs), monotonic: () => 1_000 + passedMs };
  const log = createKlog({ write: (text) => lines.push(text), clock, pid: 42, component: 'controller.go' });
  const pass = (ms: number) => {
    passedMs += ms;
  };
  return { log, lines, pass };
}

describe('createKlog', () => {
  it('writes lines with the klog header', () => {
    const { log, lines } = aLog();
    log.info('node worker-0: cordoning');
    log.warn('we lead no more', { lease: 'a/b', error: 'no answer' });
    log.error('two\nlines');
    log.debug('not written');
    expect(lines).toEqual([
      'I0102 03:04:05.067000      42 controller.go:1] node worker-0: cordoning\n',
      'W0102 03:04:05.067000      42 controller.go:1] we lead no more lease=a/b error="no answer"\n',
      'E0102 03:04:05.067000      42 controller.go:1] two\\x0alines\n',
    ]);
  });

  it('writes microseconds that pass, and never run backwards nor ahead of the clock', () => {
    const { log, lines, pass } = aLog();
    for (const ms of [0, 0.123, 0.4, 0.6, 1.5]) {
      pass(ms);
      log.info('x');
    }
    expect(lines.map((line) => line.slice(12, 21))).toEqual([
      '05.067000',
      '05.067123',
      '05.067523',
      '05.068123',
      '05.069623',
    ]);
  });

  it('follows a clock that is set', () => {
    const lines: string[] = [];
    let now = AT;
    const clock = { now: () => now, monotonic: () => 5 };
    const log = createKlog({ write: (text) => lines.push(text), clock, pid: 1, component: 'a.go' });
    log.info('x');
    now -= 3_600_000;
    log.info('x');
    expect(lines.map((line) => line.slice(6, 21))).toEqual(['03:04:05.067000', '02:04:05.067000']);
  });

  it('writes fields as key=value, quoted unless they are single words', () => {
    const { log, lines } = aLog();
    log.error('a request failed', { method: 'GET', path: '/a b', error: 'Error: "x"\n  at y' });
    log.warn('odd', { count: 3, isNew: true, absent: undefined, empty: '' });
    log.info('x', { name: 'a\u001b[31m\u202e' });
    expect(lines.map((line) => line.slice(line.indexOf(']') + 2))).toEqual([
      'a request failed method=GET path="/a b" error="Error: \\"x\\"\\n  at y"\n',
      'odd count=3 isNew=true empty=""\n',
      'x name=a\\x1b[31m\\u202e\n',
    ]);
  });
});
