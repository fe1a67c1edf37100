import { expect, it } from 'vitest';
import { aPool } from '../../../../test/support/build.ts';
import { ago, found } from '../../../../test/support/doctor-facts.ts';
import { annotations } from '../../../api/index.ts';
import { notRendered } from './not-rendered.ts';

const KINDS = ['ControllerConfig.machineconfiguration.openshift.io'];

it('is a pool without a config for more than a minute, which says nothing', () => {
  const pool = (age: number) => aPool('worker', {}, { creationTimestamp: ago(age) });
  expect(found(notRendered, [pool(59)])).toEqual([]);
  const [finding] = found(notRendered, [pool(60)], { kinds: KINDS });
  expect(finding).toMatchObject({ code: 'NotRendered', since: ago(60) });
  expect(finding?.evidence.map(({ value }) => value)).toEqual([
    'none',
    'there is none: the operator writes it first',
  ]);
});

it('is no pool that has a config, says why it has none, or is being deleted', () => {
  const creationTimestamp = ago(999);
  const pools = [
    aPool('a', { configuration: { name: 'rendered-a' } }, { creationTimestamp }),
    aPool('b', {}, { creationTimestamp, annotations: { [annotations.renderProblem]: 'why' } }),
    aPool('c', {}, { creationTimestamp, deletionTimestamp: ago(1) }),
  ];
  expect(found(notRendered, pools)).toEqual([]);
});
