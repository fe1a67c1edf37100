import { simulateSeeds } from './seeds.ts';

simulateSeeds(3);
