import { expect, it } from 'vitest';
import { createLineLog } from './line-log.ts';

it('createLineLog writes one line per message with its fields', () => {
  const lines: string[] = [];
  const log = createLineLog((text) => lines.push(text));
  log.error('a request failed', { method: 'GET', path: '/a b', error: 'Error: "x"\n  at y' });
  log.warn('odd', { count: 3, isNew: true, absent: undefined, empty: '' });
  log.info('done');
  log.debug('not written');
  expect(lines).toEqual([
    'error a request failed method=GET path="/a b" error="Error: \\"x\\"\\n  at y"\n',
    'warn odd count=3 isNew=true empty=""\n',
    'info done\n',
  ]);
});

it('createLineLog escapes control characters in values', () => {
  const lines: string[] = [];
  createLineLog((text) => lines.push(text)).info('x', { name: 'a\u001b[31m\u202e' });
  expect(lines).toEqual(['info x name=a\\x1b[31m\\u202e\n']);
});
