/** The catalogue itself: every row of upstream's is in it once, with a cause or with the reason why it cannot occur. */
import { describe, expect, it } from 'vitest';
import { RULES } from '../../src/insight/doctor/rules.ts';
import { BUILD_STORIES } from './build-stories.ts';
import { DOUBLE, HEALTHY, IMPOSSIBLE, PAIN_POINTS, STUCK } from './catalogue.ts';
import {
  ARBITER_STORIES,
  BARE_STORIES,
  CLUSTER_STORIES,
  MACHINE_STORIES,
  MIXED_STORIES,
} from './cluster-stories.ts';
import { DRAIN_STORIES } from './drain-stories.ts';
import { NODE_STORIES } from './node-stories.ts';
import { POOL_STORIES } from './pool-stories.ts';

const STORIES = [
  ...[...BUILD_STORIES],
  ...[...NODE_STORIES, ...DRAIN_STORIES, ...POOL_STORIES],
  ...[...CLUSTER_STORIES, ...MACHINE_STORIES, ...MIXED_STORIES, ...BARE_STORIES, ...ARBITER_STORIES],
];

const ids = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index + 1).padStart(2, '0')}`);

describe('the catalogue of stuck states', () => {
  it('has every row of the failure catalogue of image mode, once', () => {
    const rows = [...STUCK, ...IMPOSSIBLE].map(({ id }) => id).filter((id) => id.startsWith('S'));
    expect(rows.toSorted()).toEqual([...ids('S1', 14), ...ids('S2', 32), ...ids('S3', 42)]);
  });

  it('gives every state an id of its own', () => {
    const all = [...STUCK, ...IMPOSSIBLE, ...HEALTHY, ...DOUBLE].map(({ id }) => id);
    expect(all).toEqual([...new Set(all)]);
  });

  it('names causes by codes, and reasons in sentences', () => {
    const codes = [...STUCK.map(({ expected }) => expected), ...DOUBLE.flatMap(({ expected }) => expected)];
    expect(codes.filter((code) => !/^[A-Z][A-Za-z]+$/.test(code))).toEqual([]);
    expect(IMPOSSIBLE.filter(({ why }) => why.length < 15)).toEqual([]);
  });

  it('has a story for every state that can occur, which produces it', () => {
    expect(STORIES.map(({ id }) => id).toSorted()).toEqual(STUCK.map(({ id }) => id).toSorted());
  });

  it('has a state for every code of the rules, and no other codes', () => {
    expect([...new Set(STUCK.map(({ expected }) => expected))].sort()).toEqual(
      [...new Set(RULES.flatMap(({ codes }) => codes))].sort(),
    );
  });

  it('knows the ten complaints of users, each with its states or with why there are none', () => {
    expect(PAIN_POINTS.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const known = new Set([...STUCK, ...IMPOSSIBLE, ...HEALTHY].map(({ id }) => id));
    expect(PAIN_POINTS.flatMap(({ states }) => states).filter((id) => !known.has(id))).toEqual([]);
    expect(PAIN_POINTS.filter(({ states, why }) => states.length === 0 && why === undefined)).toEqual([]);
  });

  it('has at least 45 stuck states, ten healthy ones and ten double faults', () => {
    expect(STUCK.length).toBeGreaterThanOrEqual(45);
    expect(HEALTHY.length).toBeGreaterThanOrEqual(10);
    expect(DOUBLE.length).toBeGreaterThanOrEqual(10);
  });
});
