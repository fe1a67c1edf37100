import { describe, expect, it } from 'vitest';
import { virtualEnv } from '../../../test/support/virtual-env.ts';
import type { ControllerConfig } from '../../api/index.ts';
import { Failure } from '../../base/errors.ts';
import { after, type Controller, done, KubeError, type Next } from '../../kubernetes/client/index.ts';
import { syncFailure } from '../cluster-operator.ts';
import { FailingReconciles, isShown } from './failing-reconciles.ts';
import { reportedFailure, withFailure } from './failure-status.ts';

const refusal = (code: number, reason: string, message = 'no') =>
  new KubeError({ code, reason, message, details: {}, retryAfterMs: undefined });
const forbidden = refusal(403, 'Forbidden', 'machineconfigs "x" is forbidden');
const conflict = refusal(409, 'Conflict');
const unreachable = new Failure('transient', 'Unreachable', 'no server');

describe('a failure of a reconcile is shown', () => {
  it.each<[string, unknown, number, boolean]>([
    ['at once where it is forbidden', forbidden, 1, true],
    ['at once where the object is invalid', refusal(422, 'Invalid'), 1, true],
    ['not for a conflict', conflict, 4, false],
    ['not for a server that is restarted', unreachable, 4, false],
    ['after five in a row, whatever it is', conflict, 5, true],
  ])('%s', (_, error, failures, expected) => {
    expect(isShown(error, failures)).toBe(expected);
  });
});

function scene(name = 'render') {
  const env = virtualEnv();
  const events: string[] = [];
  const warning = (about: { kind: string; name: string; uid?: string }, reason: string, message: string) =>
    void events.push(`${about.kind} ${about.name} ${about.uid ?? '-'} ${reason}: ${message}`);
  const failing = new FailingReconciles(
    { env, eventsOf: () => ({ normal: () => undefined, warning }) },
    'machine-config-controller',
  );
  let outcome: Next | Error = done;
  const pool = { apiVersion: 'v1', kind: 'MachineConfigPool', metadata: { name: 'worker', uid: 'u' } };
  const cache = { get: (place: { name: string }) => (place.name === 'worker' ? pool : undefined) };
  const controller = failing.track({
    ...{ name, workers: 1, watch: () => undefined },
    caches: [cache] as unknown as Controller['caches'],
    reconcile: async () => {
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
  });
  const run = async (next: Next | Error, key = 'worker') => {
    outcome = next;
    await controller.reconcile(key).catch(() => undefined);
  };
  return { env, events, failing, run };
}

describe('a reconcile that keeps failing', () => {
  it('gets one event on its object, also when it fails again, and another half an hour later', async () => {
    const { env, events, run } = scene();
    for (let time = 0; time < 10; time += 1) await run(forbidden);
    const event =
      'MachineConfigPool worker u ReconcileFailed: Controller render failed: machineconfigs "x" is forbidden';
    expect(events).toEqual([event]);
    await env.clock.advance(30 * 60_000);
    await run(forbidden);
    expect(events).toEqual([event, event]);
  });

  it('is the first failure until it succeeds, and then counts from the beginning', async () => {
    const { failing, run } = scene();
    let changes = 0;
    failing.onChange(() => {
      changes += 1;
    });
    for (let time = 0; time < 4; time += 1) await run(conflict);
    expect(failing.first()).toBeUndefined();
    await run(conflict);
    expect(failing.first()).toEqual({
      ...{ controller: 'render', key: 'worker', object: 'MachineConfigPool worker', error: 'no' },
    });
    await run(forbidden, 'infra');
    expect(failing.first()?.key).toBe('infra');
    await run({ kind: 'after', delayMs: 1, why: '', isUnderWay: true }, 'infra');
    expect(failing.first()?.key).toBe('infra');
    await run(after(1, 'later'), 'infra');
    await run(done);
    expect([failing.first(), changes]).toEqual([undefined, 4]);
    await run(conflict);
    expect(failing.first()).toBeUndefined();
  });

  it('is named by its object where the key is not its name, and has a message of limited length', async () => {
    const { events, failing, run } = scene();
    await run(refusal(403, 'Forbidden', 'a\n'.repeat(5_000)), 'config/50-x');
    expect(events).toEqual([expect.stringMatching(/^MachineConfig 50-x - ReconcileFailed: /)]);
    expect(failing.first()?.error.length).toBeLessThan(1_100);
    const other = scene('template');
    await other.run(forbidden, 'base-configs');
    expect(other.events).toEqual([expect.stringMatching(/^ControllerConfig machine-config-controller - /)]);
    // What fails is the key, not the object that gets the event.
    expect(other.failing.first()).not.toHaveProperty('object');
  });
});

describe('the condition of the ControllerConfig', () => {
  const failure = { controller: 'render', key: 'worker', error: 'forbidden' };
  const config = (status?: ControllerConfig['status']) => ({ status }) as unknown as ControllerConfig;
  const completed = {
    ...{ type: 'TemplateControllerCompleted', status: 'True', reason: '', message: '' },
    lastTransitionTime: 'T0',
  } as const;

  it('is absent until a reconcile fails, then True, then False, beside those of others', () => {
    expect(withFailure(config(), undefined, 'T1')).toBeUndefined();
    const failing = withFailure(config({ conditions: [completed] }), failure, 'T1');
    expect(failing?.conditions).toEqual([
      completed,
      {
        ...{ type: 'ControllersFailing', status: 'True', reason: 'ReconcileFailed' },
        ...{ message: 'render worker: forbidden', lastTransitionTime: 'T1' },
      },
    ]);
    expect(withFailure(config(failing), failure, 'T2')).toEqual(failing);
    const named = { ...failure, object: 'MachineConfigPool worker' };
    expect(withFailure(config(), named, 'T1')?.conditions).toMatchObject([
      { message: 'render MachineConfigPool worker: forbidden' },
    ]);
    expect(reportedFailure(config(failing))).toBe('render worker: forbidden');
    const over = withFailure(config(failing), undefined, 'T3');
    expect(over?.conditions?.[1]).toMatchObject({ status: 'False', message: '', lastTransitionTime: 'T3' });
    expect(reportedFailure(config(over))).toBeUndefined();
  });

  it('degrades the ClusterOperator as upstream’s task of the controllers, behind failures of the operator', () => {
    const none = { release: undefined, own: undefined, controllers: undefined };
    const own = (key: string) => ({ controller: 'operator', key, error: 'no' });
    expect(syncFailure(none)).toBeUndefined();
    expect(syncFailure({ ...none, controllers: 'c' })).toEqual({
      task: 'MachineConfigController',
      error: 'c',
    });
    expect(syncFailure({ ...none, own: own('pools'), controllers: 'c' })).toEqual({
      ...{ task: 'MachineConfigPools', error: 'operator pools: no' },
    });
    expect(syncFailure({ ...none, own: own('node/a') })?.task).toBe('MachineConfigNode');
    expect(syncFailure({ ...none, own: own('machine-config') })).toBeUndefined();
    expect(syncFailure({ ...none, release: 'r', own: own('pools') })?.task).toBe('RenderConfig');
  });
});
