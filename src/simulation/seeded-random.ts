/**
 * Randomness from a seed. Every part of a simulation draws from a stream of its own, so that taking one part away changes as little as
 * possible of what the others do.
 */
import type { Random } from '../base/env.ts';

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  // Mulberry32: small, fast, and good enough to spread delays.
  const word = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const hex = () => word().toString(16).padStart(8, '0');
  return {
    next: () => word() / 2 ** 32,
    uuid() {
      const [a, b, c, d] = [hex(), hex(), hex(), hex()];
      return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-a${c.slice(1, 4)}-${c.slice(4)}${d}`;
    },
  };
}

/** The stream of one part: `randomOf(7, 'network', 'worker-0')`. */
export function randomOf(seed: number, ...part: readonly (string | number)[]): Random {
  let hash = 0x811c9dc5 ^ seed;
  for (const letter of part.join('\n')) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return seededRandom((hash ^ (hash >>> 13)) >>> 0);
}

/** A whole number, both ends included. */
export function between(random: Random, [low, high]: readonly [number, number]): number {
  return low + Math.floor(random.next() * (high - low + 1));
}

export function isHit(random: Random, probability: number): boolean {
  return random.next() < probability;
}

export function pick<T>(random: Random, from: readonly [T, ...T[]]): T;
export function pick<T>(random: Random, from: readonly T[]): T | undefined;
export function pick<T>(random: Random, from: readonly T[]): T | undefined {
  return from[Math.floor(random.next() * from.length)];
}

/** In another order. */
export function shuffled<T>(random: Random, from: readonly T[]): readonly T[] {
  const rest = [...from];
  const taken: T[] = [];
  while (rest.length > 0) taken.push(...rest.splice(Math.floor(random.next() * rest.length), 1));
  return taken;
}
