import { startScriptedWorld } from './doctor-world.ts';
import { POOL_STORIES } from './pool-stories.ts';
import { runStories } from './run-stories.ts';

runStories('a pool or an object without effect is diagnosed', startScriptedWorld, POOL_STORIES);
