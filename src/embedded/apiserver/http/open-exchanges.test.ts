import { describe, expect, it } from 'vitest';
import { Completion, OpenExchanges } from './open-exchanges.ts';

describe('OpenExchanges', () => {
  it('completes all exchanges of a closed connection once', () => {
    const exchanges = new OpenExchanges();
    const ended: string[] = [];
    const overs = ['a', 'b', 'c'].map((name) => {
      const completion = new Completion();
      completion.when(() => ended.push(name));
      exchanges.add(completion);
      return completion;
    });
    overs[1]?.end();
    expect(ended).toEqual(['b']);
    expect(exchanges.size).toBe(2);
    exchanges.endAll();
    overs[0]?.end();
    expect(ended).toEqual(['b', 'a', 'c']);
    expect(exchanges.size).toBe(0);
  });

  it('calls back at once if the exchange is complete', () => {
    const completion = new Completion();
    completion.end();
    let wasCalled = false;
    completion.when(() => {
      wasCalled = true;
    });
    expect(wasCalled).toBe(true);
  });
});
