import { describe } from 'vitest';
import { hostContract } from '../../src/node/host/contract.ts';
import { hasSystemctl } from './linux-scene.ts';
import { packagesScene } from './packages-scene.ts';

describe('a Linux host without OSTree', () =>
  hostContract({ hasUnits: hasSystemctl, os: 'packages', create: () => packagesScene('scripted') }));
