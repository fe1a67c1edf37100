import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../virtual-clock.ts';
import { ProcessGate } from './process-gate.ts';

function aGate() {
  const clock = new VirtualClock();
  const heard: string[] = [];
  const gate: ProcessGate = new ProcessGate({ clock, onKill: () => heard.push('killed') });
  /** A call that takes a second; what the process does after it is heard too. */
  const call = (name: string): void => {
    gate
      .pass(async () => {
        heard.push(`${name} begins`);
        await new Promise<void>((resolve) => {
          clock.after(1_000, resolve);
        });
        heard.push(`${name} happens`);
      })
      .then(
        () => heard.push(`${name} returns`),
        (error: Error) => heard.push(`${name} throws ${error.message}`),
      );
  };
  return { clock, gate, heard, call };
}

describe('a process that is killed', () => {
  it('before a call has not made it', async () => {
    const { clock, gate, heard, call } = aGate();
    gate.planKill({ call: 2, side: 'before' });
    call('one');
    await clock.advance(2_000);
    call('two');
    await clock.advance(2_000);
    expect(heard).toEqual(['one begins', 'one happens', 'one returns', 'killed']);
  });

  it('after a call has made it and never learns of it', async () => {
    const { clock, gate, heard, call } = aGate();
    gate.planKill({ call: 1, side: 'after' });
    call('one');
    await clock.advance(2_000);
    expect(heard).toEqual(['one begins', 'one happens', 'killed']);
  });

  it('hears no answers, timers or news any more, and what it began goes on', async () => {
    const { clock, gate, heard, call } = aGate();
    call('one');
    gate.clock().after(500, () => heard.push('timer'));
    await clock.advance(100);
    gate.kill();
    gate.kill();
    gate.hear(() => heard.push('news'));
    call('two');
    await clock.advance(5_000);
    expect(heard).toEqual(['one begins', 'killed', 'one happens']);
    expect([gate.isDead, gate.killed.aborted]).toEqual([true, true]);
  });

  it('hears no errors either', async () => {
    const { clock, gate, heard } = aGate();
    gate.planKill({ call: 1, side: 'after' });
    gate.pass(() => Promise.reject(new Error('refused'))).catch(() => heard.push('caught'));
    await clock.advance(1_000);
    expect(heard).toEqual(['killed']);
  });
});

describe('a process that is stopped', () => {
  it('goes on where it was, with its timers and news late', async () => {
    const { clock, gate, heard, call } = aGate();
    gate.clock().after(500, () => heard.push(`timer at ${clock.monotonic()}`));
    gate.stop(10_000);
    call('one');
    gate.hear(() => heard.push('news'));
    await clock.advance(9_999);
    expect(heard).toEqual([]);
    await clock.advance(2_000);
    expect(heard.toSorted()).toEqual(['news', 'one begins', 'one happens', 'one returns', 'timer at 10000']);
  });

  it('cancels a timer that was due meanwhile', async () => {
    const { clock, gate, heard } = aGate();
    const timer = gate.clock().after(500, () => heard.push('timer'));
    gate.stop(1_000);
    await clock.advance(800);
    timer.cancel();
    await clock.advance(1_000);
    expect(heard).toEqual([]);
  });
});

describe('a process that is stopped at a call', () => {
  it('makes the call once it goes on', async () => {
    const { clock, gate, heard, call } = aGate();
    gate.planStop({ call: 2, ms: 5_000 });
    call('one');
    await clock.advance(2_000);
    call('two');
    await clock.advance(4_999);
    expect(heard).toEqual(['one begins', 'one happens', 'one returns']);
    await clock.advance(1_001);
    expect(heard.slice(3)).toEqual(['two begins', 'two happens', 'two returns']);
  });
});

describe('the clock of a process', () => {
  it('may be wrong, and passes as fast as any other', async () => {
    const { clock, gate } = aGate();
    const own = gate.clock();
    gate.skew(-60_000);
    expect(own.now()).toBe(clock.now() - 60_000);
    await clock.advance(5_000);
    expect([own.now(), own.monotonic()]).toEqual([clock.now() - 60_000, 5_000]);
  });
});
