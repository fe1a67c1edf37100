import { expect, it } from 'vitest';
import { onAbort } from './waiting.ts';

it('abort listeners are called once, in order, unless they unsubscribed', () => {
  const stopping = new AbortController();
  const calls: string[] = [];
  const same = () => calls.push('same');
  onAbort(stopping.signal, same);
  onAbort(stopping.signal, same);
  const forget = onAbort(stopping.signal, () => calls.push('forgotten'));
  onAbort(stopping.signal, () => {
    calls.push('nested');
    onAbort(stopping.signal, () => calls.push('at once'));
  });
  forget();
  forget();
  stopping.abort();
  stopping.abort();
  expect(calls).toEqual(['same', 'same', 'nested', 'at once']);
  onAbort(stopping.signal, () => calls.push('late'))();
  expect(calls.at(-1)).toBe('late');
});
