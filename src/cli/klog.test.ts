import { expect, it } from 'vitest';
import { createKlog } from './klog.ts';

it('createKlog writes lines with the klog header', () => {
  const lines: string[] = [];
  const clock = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 67) };
  const log = createKlog({ write: (text) => lines.push(text), clock, pid: 42, component: 'controller.go' });
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
