import {
  ARBITER_STORIES,
  BARE_STORIES,
  CLUSTER_STORIES,
  MACHINE_STORIES,
  MIXED_STORIES,
  startArbiterWorld,
  startBareWorld,
  startMixedWorld,
} from './cluster-stories.ts';
import { startDoctorWorld, startScriptedWorld } from './doctor-world.ts';
import { runStories } from './run-stories.ts';

runStories('a component that does not run or fails is diagnosed', startScriptedWorld, CLUSTER_STORIES);
runStories('a machine that cannot do its part is diagnosed', startDoctorWorld, MACHINE_STORIES);
runStories('an upgrade that did not complete is diagnosed', startMixedWorld, MIXED_STORIES);
runStories('a cluster without a rendered config is diagnosed', startBareWorld, BARE_STORIES);
runStories('a control plane that waits for its arbiter is diagnosed', startArbiterWorld, ARBITER_STORIES);
