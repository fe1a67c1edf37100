/**
 * The contract suite against the real server: a failure here is a mistake of the suite. Ours runs beside it, and a table
 * at the end shows where the two agree.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { startMillwright } from '../apiserver/millwright-target.ts';
import { Comparison } from '../contract/comparison.ts';
import { runContract } from '../contract/run-contract.ts';
import { startTarget } from '../contract/target.ts';
import { tryKubectl } from './try-kubectl.ts';

const which = process.env.MILLWRIGHT_CONTRACT_TARGET ?? 'kubernetes';
const target = await startTarget(which);
if ('unavailable' in target) {
  describe.skip(`the contract (${target.unavailable})`, () => it('has no server to run on', () => undefined));
} else {
  afterAll(() => target.stop());
  tryKubectl(target.kubeconfigPath);
  if (which === 'kubernetes') {
    const comparison = new Comparison();
    const ours = await startMillwright();
    afterAll(() => ours.stop());
    runContract(target, comparison.note);
    runContract(ours, comparison.note);
    describe('both servers', () => {
      it('differ only where a reason is listed', () => {
        process.stdout.write(`\n${comparison.table()}\n\n`);
        expect(comparison.unexplained()).toEqual([]);
      });
    });
  } else runContract(target);
}
