/** The cache of the lab, and the folders of its running machines. */
import { homedir } from 'node:os';
import { join } from 'node:path';

/** One file system holds both, so that machines share the files of their OS by hard links. */
export function labCacheFolder(): string {
  const { MILLWRIGHT_CACHE, XDG_CACHE_HOME } = process.env;
  const cache = MILLWRIGHT_CACHE ?? join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'millwright');
  return join(cache, 'lab');
}
