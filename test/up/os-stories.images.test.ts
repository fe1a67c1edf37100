/** Stories of nodes and their OS: updates, pivots, layering and drift. */
import { lacks } from '../registry/tools.ts';
import { OS_STORIES } from './os-stories.ts';
import { describeStories } from './run-stories.ts';

// Where buildah is not installed, a build ends with a message that names it: tested elsewhere.
const runnable = OS_STORIES.filter((story) => story !== 'layering' || !lacks('buildah', 'busybox'));

describeStories('stories of nodes and their OS', runnable);
