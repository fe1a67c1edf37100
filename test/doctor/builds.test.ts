import { startBuildScene } from './build-scene.ts';
import { BUILD_STORIES } from './build-stories.ts';
import { runStories } from './run-stories.ts';

runStories('an OS image that is not built is diagnosed', startBuildScene, BUILD_STORIES);
