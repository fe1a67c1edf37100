/** What a real kube-apiserver answers, ours answers too: the same cases, over HTTP alone. */
import { afterAll } from 'vitest';
import { runContract } from '../contract/run-contract.ts';
import { startMillwright } from './millwright-target.ts';

const target = await startMillwright();
afterAll(() => target.stop());
runContract(target);
