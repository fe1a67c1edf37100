import { expect, it } from 'vitest';
import { Fleet } from '../../../../test/support/a-fleet.ts';
import { foundIn, texts } from '../../../../test/support/doctor-facts.ts';
import { nodeInTwoPools } from './node-in-two-pools.ts';

it('is a node that two custom pools select', () => {
  const fleet = new Fleet().pool('worker', 1).pool('infra', 0).pool('edge', 0);
  fleet.relabel('worker-0', 'worker', 'infra', 'edge');
  const findings = foundIn(nodeInTwoPools, fleet);
  expect(texts(findings)).toEqual([
    'NodeInTwoPools: node worker-0 is not updated, since the custom pools edge and infra both select it',
  ]);
  expect(findings[0]?.pools).toEqual(['edge', 'infra']);
});

it('is no node of a custom pool and worker', () => {
  const fleet = new Fleet().pool('worker', 1).pool('infra', 0);
  fleet.relabel('worker-0', 'worker', 'infra');
  expect(foundIn(nodeInTwoPools, fleet)).toEqual([]);
});
