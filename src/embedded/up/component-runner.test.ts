import { afterEach, beforeEach, expect, it } from 'vitest';
import { type VirtualEnv, virtualEnv } from '../../../test/virtual-env.ts';
import type { Instance } from './component-instances.ts';
import { ComponentRunner } from './component-runner.ts';

function instance(key: string, slot = key): Instance {
  const container = { namespace: 'n', pod: key, podUid: key, container: 'c', restartCount: 0 };
  return { key, slot, part: 'daemon', node: 'worker-0', container };
}

let env: VirtualEnv;
let said: string[];
/** Ends a run: as it should where nothing is given, else with the error. */
let ends: Map<string, (error?: Error) => void>;
let runner: ComponentRunner;
beforeEach(() => {
  env = virtualEnv();
  said = [];
  ends = new Map();
  runner = new ComponentRunner({
    env,
    run: ({ key }, signal) => {
      said.push(`start ${key}`);
      signal.addEventListener('abort', () => said.push(`stop ${key}`));
      return new Promise((resolve, reject) => {
        ends.set(key, (error) => (error === undefined ? resolve() : reject(error)));
      });
    },
    onFailure: ({ key }, error) => said.push(`failed ${key}: ${error instanceof Error ? error.message : ''}`),
  });
});
afterEach(() => env.stop());

it('what fails by itself is told, and started again after a while', async () => {
  runner.want([instance('a')]);
  await env.clock.advance(0);
  ends.get('a')?.(new Error('broken'));
  await env.clock.advance(0);
  expect(said).toEqual(['start a', 'failed a: broken']);
  expect(runner.keys).toEqual(new Set());
  await env.clock.advance(1_000);
  expect(said).toEqual(['start a', 'failed a: broken', 'start a']);
});

it('what is no longer wanted is not started again, also while it rests', async () => {
  runner.want([instance('a')]);
  await env.clock.advance(0);
  ends.get('a')?.(new Error('broken'));
  await env.clock.advance(0);
  runner.want([]);
  await runner.stop();
  await env.clock.advance(60_000);
  expect(said.filter((line) => line.startsWith('start'))).toEqual(['start a']);
});

it('of one slot the next starts only after the one before has ended', async () => {
  runner.want([instance('old', 'slot')]);
  await env.clock.advance(0);
  runner.want([instance('new', 'slot'), instance('other')]);
  await env.clock.advance(0);
  expect(said).toEqual(['start old', 'stop old', 'start other']);
  ends.get('old')?.();
  await env.clock.advance(0);
  expect(said).toEqual(['start old', 'stop old', 'start other', 'start new']);
  expect(runner.keys).toEqual(new Set(['other', 'new']));
});

it('to want the same again changes nothing', async () => {
  runner.want([instance('a')]);
  runner.want([instance('a')]);
  await env.clock.advance(0);
  expect(said).toEqual(['start a']);
});

it('stopping waits until all have ended', async () => {
  runner.want([instance('a'), instance('b')]);
  await env.clock.advance(0);
  let isOver = false;
  const stopped = runner.stop().then(() => {
    isOver = true;
  });
  ends.get('a')?.();
  await env.clock.advance(0);
  expect(isOver).toBe(false);
  ends.get('b')?.(new Error('on the way out'));
  await stopped;
  expect(said).toEqual(['start a', 'start b', 'stop a', 'stop b']);
});
