import { describe, expect, test } from 'vitest';
import {
  decideRecord,
  readAttempts,
  readImageRecord,
  recordAfterAttempt,
  recordData,
  recordForNextBuild,
} from './image-record.ts';

const A = `sha256:${'a'.repeat(64)}`;
const B = `sha256:${'b'.repeat(64)}`;
const REPOSITORY = 'quay.io/example/os';
const record = (digest: string | undefined, ...former: readonly string[]) => ({
  repository: REPOSITORY,
  digest,
  former,
});
const used = (...digests: readonly string[]) => {
  const images = digests.map((digest) => `${REPOSITORY}@${digest}`);
  return (image: string) => images.includes(image);
};

describe('decideRecord', () => {
  // biome-ignore format: a table, one row per line
  test.each([
    ['keeps the image of a build', record(A), true, used(), [], record(A)],
    ['keeps an image that a node runs after its build is gone', record(A), false, used(A), [], record(A)],
    ['deletes an image that neither a build nor a node has', record(A), false, used(), [A], undefined],
    ['keeps the record of a build that has not pushed yet', record(undefined), true, used(), [], record(undefined)],
    ['deletes the record of a build that never pushed', record(undefined), false, used(), [], undefined],
    ['deletes a former image that no node runs', record(B, A), true, used(B), [A], record(B)],
    ['keeps a former image that a node runs', record(B, A), true, used(A, B), [], record(B, A)],
    ['keeps the record for a former image alone', record(B, A), false, used(A), [B], record(undefined, A)],
    ['does not delete a former image that was built again', record(A, A), true, used(), [], record(A, A)],
  ] as const)('%s', (_, before, hasBuild, isUsed, unused, rest) => {
    expect(decideRecord(before, { hasBuild, isBuilding: false, isUsed })).toEqual({
      unused: unused.map((digest) => `${REPOSITORY}@${digest}`),
      rest,
    });
  });
});

test('no former image is deleted while a pod may be about to report it', () => {
  const before = record(undefined, A);
  expect(decideRecord(before, { hasBuild: true, isBuilding: true, isUsed: used() })).toEqual({
    unused: [],
    rest: before,
  });
});

test('an image that a failed pod may have pushed is a former one, beside the one that is reported', () => {
  expect(recordAfterAttempt(record(undefined, A), B)).toEqual(record(undefined, A, B));
  expect(recordAfterAttempt(record(B, A), A)).toEqual(record(B, A));
  expect(recordAfterAttempt(record(B), undefined)).toEqual(record(B));
});

test.each([
  [undefined, 0],
  ['3', 3],
  ['rubbish', 0],
  ['-1', 0],
])('a record with attempts %j has %i of them', (attempts, expected) => {
  expect(readAttempts({ data: attempts === undefined ? {} : { attempts } })).toBe(expected);
});

test('a record is read back, and moves its digest to the former ones for the next build', () => {
  const data = { repository: REPOSITORY, digest: `${B}\n`, former: `${A} rubbish` };
  const read = readImageRecord({ data });
  expect(read).toEqual(record(B, A));
  expect(recordForNextBuild(read)).toEqual(record(undefined, A, B));
  expect(recordForNextBuild(record(undefined))).toEqual(record(undefined));
  expect(recordData(record(B, A, B))).toEqual({ repository: REPOSITORY, digest: B, former: `${A} ${B}` });
  expect(recordData(record(undefined))).toEqual({ repository: REPOSITORY, digest: null, former: null });
});

test('an image that was pushed and never reported is a former one for the next build', () => {
  expect(recordForNextBuild(record(undefined, A), B)).toEqual(record(undefined, A, B));
  expect(recordForNextBuild(record(B, A), B)).toEqual(record(undefined, A, B));
});
