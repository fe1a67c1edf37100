import { execFileSync } from 'node:child_process';

/** Of the checkout, with a mark where files differ from it; `unknown` outside a repository. */
export function currentCommit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}
