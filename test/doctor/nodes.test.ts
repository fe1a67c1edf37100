import { startDoctorWorld } from './doctor-world.ts';
import { NODE_STORIES } from './node-stories.ts';
import { runStories } from './run-stories.ts';

runStories('a node that fails is diagnosed', startDoctorWorld, NODE_STORIES);
