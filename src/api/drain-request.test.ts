import { expect, test } from 'vitest';
import { formatDrainRequest, parseDrainRequest } from './drain-request.ts';

test.each([
  [''],
  ['drain'],
  ['drain-'],
  ['-rendered-worker-1'],
  ['Drain-rendered-worker-1'],
  ['draining-rendered-worker-1'],
  ['cordon-rendered-worker-1'],
  [' drain-rendered-worker-1'],
  ['rendered-worker-1'],
])('%j is not a drain request', (text) => {
  expect(parseDrainRequest(text)).toBeUndefined();
});

test.each([
  ['drain-rendered-worker-1f2e', 'drain', 'rendered-worker-1f2e'],
  ['uncordon-rendered-gpu-pool-00', 'uncordon', 'rendered-gpu-pool-00'],
  ['drain-x', 'drain', 'x'],
  ['drain--x-', 'drain', '-x-'],
  ['uncordon-drain-x', 'uncordon', 'drain-x'],
] as const)('%j is parsed and formatted back', (text, verb, config) => {
  expect(parseDrainRequest(text)).toEqual({ verb, config });
  expect(formatDrainRequest({ verb, config })).toBe(text);
});
