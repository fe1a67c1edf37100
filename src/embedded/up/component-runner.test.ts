import { afterEach, beforeEach, expect, it } from 'vitest';
import { type VirtualEnv, virtualEnv } from '../../../test/support/virtual-env.ts';
import type { Instance } from './component-instances.ts';
import { ComponentRunner } from './component-runner.ts';

function instance(key: string, slot = key): Instance {
  const container = { namespace: 'n', pod: key, podUid: key, container: 'c', restartCount: 0 };
  return { key, slot, component: 'daemon', node: 'worker-0', container };
}

let env: VirtualEnv;
let events: string[];
/** Ends a run, with the error if given. */
let ends: Map<string, (error?: Error) => void>;
let runner: ComponentRunner;
beforeEach(() => {
  env = virtualEnv();
  events = [];
  ends = new Map();
  runner = new ComponentRunner({
    env,
    run: ({ key }, signal) => {
      events.push(`start ${key}`);
      signal.addEventListener('abort', () => events.push(`stop ${key}`));
      return new Promise((resolve, reject) => {
        ends.set(key, (error) => (error === undefined ? resolve() : reject(error)));
      });
    },
    onFailure: ({ key }, error) =>
      events.push(`failed ${key}: ${error instanceof Error ? error.message : ''}`),
  });
});
afterEach(() => env.stop());

it('ComponentRunner reports a failed instance and restarts it with backoff', async () => {
  runner.reconcile([instance('a')]);
  await env.clock.advance(0);
  ends.get('a')?.(new Error('broken'));
  await env.clock.advance(0);
  expect(events).toEqual(['start a', 'failed a: broken']);
  expect(runner.keys).toEqual(new Set());
  await env.clock.advance(1_000);
  expect(events).toEqual(['start a', 'failed a: broken', 'start a']);
});

it('ComponentRunner does not restart an instance that is no longer desired', async () => {
  runner.reconcile([instance('a')]);
  await env.clock.advance(0);
  ends.get('a')?.(new Error('broken'));
  await env.clock.advance(0);
  runner.reconcile([]);
  await runner.stop();
  await env.clock.advance(60_000);
  expect(events.filter((line) => line.startsWith('start'))).toEqual(['start a']);
});

it('ComponentRunner starts an instance only after the previous one in its slot has ended', async () => {
  runner.reconcile([instance('old', 'slot')]);
  await env.clock.advance(0);
  runner.reconcile([instance('new', 'slot'), instance('other')]);
  await env.clock.advance(0);
  expect(events).toEqual(['start old', 'stop old', 'start other']);
  ends.get('old')?.();
  await env.clock.advance(0);
  expect(events).toEqual(['start old', 'stop old', 'start other', 'start new']);
  expect(runner.keys).toEqual(new Set(['other', 'new']));
});

it('ComponentRunner keeps running instances that are still desired', async () => {
  runner.reconcile([instance('a')]);
  runner.reconcile([instance('a')]);
  await env.clock.advance(0);
  expect(events).toEqual(['start a']);
});

it('ComponentRunner waits for all instances to end when stopped', async () => {
  runner.reconcile([instance('a'), instance('b')]);
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
  expect(events).toEqual(['start a', 'start b', 'stop a', 'stop b']);
});
