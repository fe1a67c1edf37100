import { DRAIN_STORIES, startDrainWorld } from './drain-stories.ts';
import { runStories } from './run-stories.ts';

runStories('a drain that does not end is diagnosed', startDrainWorld, DRAIN_STORIES);
