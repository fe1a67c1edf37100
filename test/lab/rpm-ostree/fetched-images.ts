/**
 * Images that were downloaded and are in no deployment: commits with a reference of their own, so that `ostree` does not prune
 * them. As with the real rpm-ostree, every cleanup and every new deployment removes them.
 */
import { createHash } from 'node:crypto';
import { REPOSITORY } from './deployments.ts';
import { attempt, run } from './refusal.ts';

const PREFIX = 'lab/fetched';

export function keepFetched(reference: string, commit: string, repository = REPOSITORY): void {
  run('ostree', 'refs', `--repo=${repository}`, '--force', `--create=${refOf(reference)}`, commit);
}

/** Undefined where it was not downloaded. */
export function fetchedCommit(reference: string, repository = REPOSITORY): string | undefined {
  const { exitCode, stdout } = attempt('ostree', ['rev-parse', `--repo=${repository}`, refOf(reference)]);
  return exitCode === 0 ? stdout.trim() : undefined;
}

export function dropFetched(repository = REPOSITORY): void {
  run('ostree', 'refs', `--repo=${repository}`, '--delete', PREFIX);
}

function refOf(reference: string): string {
  return `${PREFIX}/${createHash('sha256').update(reference).digest('hex')}`;
}
