/** Runs a suite of tests with an oracle, or skips it with the reason. */
import { afterAll, describe, it } from 'vitest';
import { type Oracle, type OracleName, startOracle } from './oracle.ts';

export async function withOracle(name: OracleName, suite: (oracle: Oracle) => void): Promise<void> {
  const oracle = await startOracle(name);
  if ('unavailable' in oracle) {
    describe.skip(`the ${name} oracle (${oracle.unavailable})`, () => it('is not there', () => undefined));
    return;
  }
  describe(`against the real ${name} library`, () => {
    afterAll(() => oracle.close());
    suite(oracle);
  });
}
