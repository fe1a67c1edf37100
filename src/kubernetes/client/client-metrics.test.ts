import { expect, it } from 'vitest';
import { cachedWorld } from '../../../test/kube/cached-world.ts';
import { virtualEnv } from '../../../test/support/virtual-env.ts';
import { Failure } from '../../base/errors.ts';
import { sleep } from '../../base/waiting.ts';
import { formatMetrics, Metrics } from '../metrics/index.ts';
import { CONTROLLER_METRICS } from './client-metrics.ts';
import { runControllers } from './controller-loop.ts';
import { done, type Enqueue } from './kube.ts';

const linesOf = (metrics: Metrics) => formatMetrics([metrics]).split('\n');

it('a queue reports what waits, how long it waited, how long it took, and what failed', async () => {
  const env = virtualEnv();
  const metrics = new Metrics(CONTROLLER_METRICS);
  let runs = 0;
  const controller = {
    name: 'node',
    workers: 1,
    caches: [],
    watch: (enqueue: Enqueue) => {
      for (const key of ['a', 'b', 'c']) enqueue(key);
    },
    reconcile: async () => {
      runs += 1;
      await sleep(env.clock, { delayMs: 4_000, signal: env.signal });
      if (runs === 1) throw new Failure('transient', 'Unreachable', 'no server');
      return done;
    },
  };
  void runControllers([controller], { env, metrics });
  await env.clock.advance(1_000);
  expect(linesOf(metrics)).toEqual(
    expect.arrayContaining([
      'workqueue_depth{name="node"} 2',
      'workqueue_adds_total{name="node"} 3',
      'workqueue_longest_running_processor_seconds{name="node"} 1',
      'millwright_reconcile_errors_total{controller="node"} 0',
    ]),
  );
  await env.clock.advance(60_000);
  expect(runs).toBe(4);
  expect(linesOf(metrics)).toEqual(
    expect.arrayContaining([
      'workqueue_depth{name="node"} 0',
      'workqueue_longest_running_processor_seconds{name="node"} 0',
      'workqueue_adds_total{name="node"} 4',
      'workqueue_retries_total{name="node"} 1',
      'millwright_reconcile_errors_total{controller="node"} 1',
      'workqueue_work_duration_seconds_sum{name="node"} 16',
      'workqueue_work_duration_seconds_bucket{name="node",le="1"} 0',
      'workqueue_work_duration_seconds_bucket{name="node",le="5"} 4',
      'workqueue_queue_duration_seconds_count{name="node"} 4',
      // The second one waited for 4 s, the third for 8.
      'workqueue_queue_duration_seconds_bucket{name="node",le="5"} 2',
    ]),
  );
  env.stop();
});

it('caches report their size and why watches ended', async () => {
  const metrics = new Metrics(CONTROLLER_METRICS);
  const world = cachedWorld({ metrics });
  await world.env.clock.settle();
  expect(linesOf(metrics)).toContain('millwright_cache_objects{resource="configmaps"} 4');
  for (const watch of world.server.watches) watch.stream.end();
  await world.env.clock.advance(5_000);
  expect(linesOf(metrics)).toContain(
    'millwright_watch_restarts_total{resource="configmaps",reason="ended"} 1',
  );
  world.env.stop();
  await world.env.clock.settle();
  expect(linesOf(metrics).join()).not.toContain('millwright_cache_objects{');
});
