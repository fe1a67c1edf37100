import { expect, it } from 'vitest';
import { Fleet, NEW } from '../../../../test/support/a-fleet.ts';
import { foundIn, texts } from '../../../../test/support/doctor-facts.ts';
import { nodeCordoned } from './node-cordoned.ts';

const behind = (nodes: number) => new Fleet().pool('worker', nodes, { configuration: { name: NEW } });

it('is found where cordons of others use up what may be unavailable', () => {
  const fleet = behind(3);
  fleet.cordon('worker-1');
  expect(texts(foundIn(nodeCordoned, fleet))).toEqual([
    'NodeCordoned: pool worker stands: worker-1 was cordoned by another client, and 3 nodes are left to update',
  ]);
});

it('is not asserted while other nodes may go, or are on their way', () => {
  const wide = new Fleet().pool('worker', 3, { configuration: { name: NEW }, maxUnavailable: 2 });
  wide.cordon('worker-1');
  expect(foundIn(nodeCordoned, wide)).toEqual([]);
  const moving = behind(3);
  moving.send('worker-0');
  moving.report('worker-0', { kind: 'update-found' });
  moving.cordon('worker-1');
  expect(foundIn(nodeCordoned, moving)).toEqual([]);
});

it('is not asserted of a pool that is updated', () => {
  const fleet = new Fleet().pool('worker', 2);
  fleet.cordon('worker-0');
  expect(foundIn(nodeCordoned, fleet)).toEqual([]);
});
