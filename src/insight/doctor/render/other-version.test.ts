import { expect, it } from 'vitest';
import { aPool } from '../../../../test/support/build.ts';
import { aCondition, ago, anObject, found } from '../../../../test/support/doctor-facts.ts';
import { annotations } from '../../../api/index.ts';
import { otherVersion } from './other-version.ts';

const problem =
  'Failed to render configuration for pool worker: ignoring controller config generated from a (my version: b)';
const pool = (since: string, text = problem) => ({
  ...aPool('worker', {}, { annotations: { [annotations.renderProblem]: text } }),
  status: { conditions: [aCondition('RenderDegraded', 'True', text, since)] },
});

it('is found once an upgrade should be over, after ten minutes', () => {
  expect(found(otherVersion, [pool(ago(599))])).toEqual([]);
  expect(found(otherVersion, [pool(ago(600))])).toMatchObject([
    { code: 'OtherVersion', about: { name: 'worker' }, pools: ['worker'], since: ago(600) },
  ]);
});

it('is not any other failure of a rendering', () => {
  expect(found(otherVersion, [pool(ago(9_999), 'Failed to render: invalid version 9.9.9')])).toEqual([]);
});

it('is found on the ClusterOperator where only the OS images are of another release', () => {
  const message = 'refusing to read osImageURL version "4.98.0", operator version "4.99.0"';
  const operator = (since: string) =>
    anObject('ClusterOperator', 'machine-config', {
      status: { conditions: [aCondition('Degraded', 'True', message, since, 'RenderConfigFailed')] },
    });
  expect(found(otherVersion, [operator(ago(60))])).toEqual([]);
  expect(found(otherVersion, [operator(ago(601))])).toMatchObject([{ code: 'OtherVersion', pools: [] }]);
});
