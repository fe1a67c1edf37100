import { describe, expect, it } from 'vitest';
import { Exchanges, Over } from './open-exchanges.ts';

describe('exchanges of a connection', () => {
  it('are all over when it is, and each once', () => {
    const exchanges = new Exchanges();
    const ended: string[] = [];
    const overs = ['a', 'b', 'c'].map((name) => {
      const over = new Over();
      over.when(() => ended.push(name));
      exchanges.add(over);
      return over;
    });
    overs[1]?.end();
    expect(ended).toEqual(['b']);
    expect(exchanges.size).toBe(2);
    exchanges.endAll();
    overs[0]?.end();
    expect(ended).toEqual(['b', 'a', 'c']);
    expect(exchanges.size).toBe(0);
  });

  it('tell those who ask late at once', () => {
    const over = new Over();
    over.end();
    let isTold = false;
    over.when(() => {
      isTold = true;
    });
    expect(isTold).toBe(true);
  });
});
