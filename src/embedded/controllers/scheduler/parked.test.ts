import { describe, expect, it } from 'vitest';
import { aPod } from '../../../../test/a-pod.ts';
import type { Node } from '../../../kubernetes/types/index.ts';
import { podDemand } from './demand.ts';
import { Ledger } from './ledger.ts';
import { ParkedPods } from './parked.ts';

const node: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' }, spec: {}, status: {} };
const demand = podDemand(aPod('p', {}, { uid: 'p' }));
const seeking = podDemand(
  aPod(
    'q',
    {
      affinity: {
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] },
      },
    },
    { uid: 'q' },
  ),
);

function scene() {
  let nowMs = 0;
  const ledger = new Ledger();
  const settings = { scheduleRetryMs: 1000, scheduleRetryLimitMs: 3000 };
  const parked = new ParkedPods({ clock: { monotonic: () => nowMs }, settings, ledger });
  const woken: (readonly [string, number | undefined])[] = [];
  return {
    ledger,
    parked,
    pass: (ms: number) => {
      nowMs += ms;
    },
    wake: () => {
      woken.length = 0;
      parked.wake((key, delayMs) => woken.push([key, delayMs]));
      return [...woken];
    },
    help: () =>
      ledger.observeNode({ before: undefined, after: { ...node, metadata: { name: `n${nowMs}` } } }),
    fill: () =>
      ledger.observePod({
        before: undefined,
        after: aPod(`x${ledger.changes}`, { nodeName: 'a' }, { uid: `x${ledger.changes}` }),
      }),
  };
}

describe('a pod that fitted nowhere', () => {
  it('is not looked at until something has changed for the better', () => {
    const { parked, wake, fill, help, pass } = scene();
    expect(parked.attempt(demand).park()).toEqual({ kind: 'done' });
    expect(wake()).toEqual([]);
    fill();
    expect(wake()).toEqual([]);
    pass(400);
    help();
    expect(wake()).toEqual([['default/p', 600]]);
    help();
    expect(wake()).toEqual([]);
  });

  it('waits longer from time to time, up to the limit, counted from the last attempt', () => {
    const { parked, wake, help, pass } = scene();
    const delays: (number | undefined)[] = [];
    for (let attempt = 1; attempt <= 4; attempt++) {
      parked.attempt(demand).park();
      pass(1);
      help();
      delays.push(wake()[0]?.[1]);
    }
    expect(delays).toEqual([999, 1999, 2999, 2999]);
  });

  it('is looked at at once where it has waited long enough already', () => {
    const { parked, wake, help, pass } = scene();
    parked.attempt(demand).park();
    pass(60_000);
    help();
    expect(wake()).toEqual([['default/p', 0]]);
  });

  it('does not sleep through what changed while it was told', () => {
    const { parked, help, wake } = scene();
    const attempt = parked.attempt(demand);
    help();
    expect(attempt.park()).toMatchObject({ kind: 'after', delayMs: 1000 });
    expect(wake()).toEqual([]);
  });

  it('is helped by any pod that is placed, where it wants others near it', () => {
    const { parked, wake, fill } = scene();
    parked.attempt(seeking).park();
    fill();
    expect(wake()).toEqual([['default/q', 1000]]);
  });

  it('begins anew under the same name, and is forgotten when it goes', () => {
    const { parked, wake, help, pass } = scene();
    parked.attempt(demand).park();
    parked.attempt(demand).park();
    parked.attempt({ ...demand, uid: 'another' }).park();
    help();
    expect(wake()).toEqual([['default/p', 1000]]);
    parked.attempt(demand).park();
    parked.forget('default/p');
    pass(1);
    help();
    expect(wake()).toEqual([]);
  });
});
