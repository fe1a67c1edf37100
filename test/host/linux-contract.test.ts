import { describe } from 'vitest';
import { hostContract } from '../../src/node/host/contract.ts';
import { hasSystemctl, linuxScene } from './linux-scene.ts';

describe('a Linux host over scripted commands', () =>
  hostContract({ hasUnits: hasSystemctl, create: () => linuxScene() }));
