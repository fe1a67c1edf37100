/** Runs the contract cases against the embedded API server. */
import { afterAll } from 'vitest';
import { runContract } from '../contract/run-contract.ts';
import { startMillwright } from './millwright-target.ts';

const target = await startMillwright();
afterAll(() => target.stop());
runContract(target);
