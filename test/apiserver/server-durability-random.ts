/** Seeded random choices: the same seed makes the same requests, though kills differ. */
import { createHash } from 'node:crypto';

export type Dice = {
  /** A whole number, at least `low` and below `high`. */
  readonly between: (low: number, high: number) => number;
  readonly pick: <T>(choices: readonly [T, ...T[]]) => T;
  /** Independent dice, so that choices do not depend on the speed of other clients. */
  readonly for: (name: string) => Dice;
};

export function diceFrom(seed: string): Dice {
  let throws = 0;
  const between = (low: number, high: number): number => {
    const digest = createHash('sha256').update(`${seed} ${throws++}`).digest();
    return low + Math.floor((digest.readUInt32LE() / 2 ** 32) * (high - low));
  };
  return {
    between,
    pick: (choices) => choices[between(0, choices.length)] ?? choices[0],
    for: (name) => diceFrom(`${seed}/${name}`),
  };
}
