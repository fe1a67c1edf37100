/** The contract suite against the real server: what fails here is a mistake of the suite. */
import { afterAll, describe, it } from 'vitest';
import { runContract } from '../contract/run-contract.ts';
import { startTarget } from '../contract/target.ts';
import { tryKubectl } from './try-kubectl.ts';

const target = await startTarget(process.env.MILLWRIGHT_CONTRACT_TARGET ?? 'kubernetes');
if ('unavailable' in target) {
  describe.skip(`the contract (${target.unavailable})`, () => it('has no server to run on', () => undefined));
} else {
  afterAll(() => target.stop());
  tryKubectl(target.kubeconfigPath);
  runContract(target);
}
