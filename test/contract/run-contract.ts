/**
 * Registers every case as a test against one target.
 *
 * Cases share a server but no object, so they run side by side: a real server alone makes whoever creates the
 * first object of a new kind wait for two seconds. Only what changes the whole server waits for the others.
 */
import { beforeAll, describe, it } from 'vitest';
import { type ContractCase, missingNeed } from './contract-case.ts';
import { contractCases } from './contract-cases.ts';
import type { Target } from './target.ts';

export function runContract(target: Target): void {
  const needing = (need: 'expiry' | 'controllers') =>
    contractCases.filter(({ needs }) => needs.includes(need));
  const [expiry, controllers] = [needing('expiry'), needing('controllers')];
  const others = contractCases.filter((one) => !expiry.includes(one) && !controllers.includes(one));
  describe.concurrent(`the contract, on ${target.name}`, () => registerTopics(target, others));
  describe(`the contract, on ${target.name} without its history`, () => registerTopics(target, expiry));
  // What acts on objects cannot be stopped again, so these come last.
  describe.concurrent(`the contract, on ${target.name} with controllers`, () => {
    beforeAll(async () => target.startControllers?.());
    registerTopics(target, controllers);
  });
}

function registerTopics(target: Target, cases: readonly ContractCase[]): void {
  for (const topic of new Set(cases.map((one) => one.topic))) {
    describe(topic, () => {
      for (const one of cases) {
        if (one.topic !== topic) continue;
        const reason = missingNeed(one, target);
        if (reason === undefined) it(one.name, () => one.run(target));
        else it.skip(`${one.name} (${reason})`, () => undefined);
      }
    });
  }
}
