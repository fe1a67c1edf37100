/** What tests build once and keep outside the tree. */
import { homedir } from 'node:os';
import { join } from 'node:path';

export function cacheFolder(name: string): string {
  const { MILLWRIGHT_CACHE, XDG_CACHE_HOME } = process.env;
  const cache = MILLWRIGHT_CACHE ?? join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'millwright');
  return join(cache, name);
}
