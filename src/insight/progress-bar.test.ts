import { expect, it } from 'vitest';
import { paintWith } from './paint.ts';
import { progressBar } from './progress-bar.ts';

/** Updated, moving, degraded, waiting. */
function countsOf(numbers: readonly number[]) {
  const [updated = 0, moving = 0, degraded = 0, waiting = 0] = numbers;
  const machines = updated + moving + degraded + waiting;
  return {
    machines,
    updated,
    ready: 0,
    unavailable: 0,
    degraded,
    moving,
    waiting,
    withoutDaemon: 0,
    overdue: 0,
  };
}

it.each([
  [[0, 0, 0, 0], '[          ]'],
  [[3, 0, 0, 0], '[##########]'],
  [[1, 1, 0, 1], '[####>>>...]'],
  [[0, 0, 1, 0], '[!!!!!!!!!!]'],
  // One of thousands is seen, and nothing looks done before it is.
  [[4998, 1, 1, 0], '[########>!]'],
  [[1, 0, 0, 4999], '[#.........]'],
  [[9999, 0, 0, 1], '[#########.]'],
  [[1, 1, 1, 1], '[###>>>!!..]'],
])('progressBar of %j', (counts, bar) => {
  const plain = { size: 10, hasColors: false, paint: paintWith(false) };
  expect(progressBar(countsOf(counts), plain)).toBe(bar);
});

it('progressBar uses block characters with colours', () => {
  const bar = progressBar(countsOf([1, 1, 1, 1]), { size: 4, hasColors: true, paint: paintWith(true) });
  expect(bar).toBe('\x1b[32m█\x1b[0m\x1b[33m▓\x1b[0m\x1b[31m▒\x1b[0m\x1b[2m░\x1b[0m');
});
