/**
 * Registers every case as a test against one target.
 *
 * Cases share a server but no objects, so they run concurrently: kube-apiserver makes the first creation of a new
 * kind wait for two seconds. Cases that change the whole server run alone.
 */
import { beforeAll, describe, it } from 'vitest';
import { type ContractCase, missingNeed } from './contract-case.ts';
import { contractCases } from './contract-cases.ts';
import { eventually } from './eventually.ts';
import { withScene } from './scene.ts';
import type { Target } from './target.ts';

/** Called for every case with its result. */
export type OnOutcome = (one: ContractCase, target: Target, outcome: 'held' | 'failed' | 'skipped') => void;

export function runContract(target: Target, onOutcome: OnOutcome = () => undefined): void {
  const needing = (need: 'expiry' | 'controllers') =>
    contractCases.filter(({ needs }) => needs.includes(need));
  const [expiry, controllers] = [needing('expiry'), needing('controllers')];
  const others = contractCases.filter((one) => !expiry.includes(one) && !controllers.includes(one));
  describe.concurrent(`the contract, on ${target.name}`, () => registerTopics(target, others, onOutcome));
  describe(`the contract, on ${target.name} without its history`, () =>
    registerTopics(target, expiry, onOutcome));
  // Controllers cannot be stopped again, so these come last.
  describe.concurrent(`the contract, on ${target.name} with controllers`, () => {
    beforeAll(async () => {
      if (target.startControllers === undefined) return;
      await target.startControllers();
      await untilCaughtUp(target);
    });
    registerTopics(target, controllers, onOutcome);
  });
}

/** Only ends a wait for controllers that hang. */
const CATCH_UP_MS = 500_000;

/**
 * They begin with the namespaces of all cases before, which were deleted while nothing emptied them, in that order: once a new one is
 * gone, those have had their turn.
 */
async function untilCaughtUp(target: Target): Promise<void> {
  await withScene(target, async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}`;
    await scene.delete(path);
    const isGone = async () => ((await scene.get(path)).status === 404 ? true : undefined);
    await eventually('the controllers have caught up', isGone, { limitMs: CATCH_UP_MS });
  });
}

function registerTopics(target: Target, cases: readonly ContractCase[], onOutcome: OnOutcome): void {
  for (const topic of new Set(cases.map((one) => one.topic))) {
    describe(topic, () => {
      for (const one of cases) {
        if (one.topic !== topic) continue;
        const reason = missingNeed(one, target);
        if (reason === undefined) it(one.name, () => runCase(one, target, onOutcome));
        else {
          onOutcome(one, target, 'skipped');
          it.skip(`${one.name} (${reason})`, () => undefined);
        }
      }
    });
  }
}

async function runCase(one: ContractCase, target: Target, onOutcome: OnOutcome): Promise<void> {
  try {
    await one.run(target);
    onOutcome(one, target, 'held');
  } catch (error) {
    onOutcome(one, target, 'failed');
    throw error;
  }
}
