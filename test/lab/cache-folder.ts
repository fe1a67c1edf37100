/** The cache of the lab, and the folders of its running machines. */
import { cacheFolder } from '../support/cache-folder.ts';

/** One file system holds both, so that machines share the files of their OS by hard links. */
export function labCacheFolder(): string {
  return cacheFolder('lab');
}
