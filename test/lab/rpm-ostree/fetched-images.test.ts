import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dropFetched, fetchedCommit, keepFetched } from './fetched-images.ts';
import { run } from './refusal.ts';

const hasOstree = spawnSync('ostree', ['--version']).status === 0;

describe.skipIf(!hasOstree)('a downloaded image of the lab', () => {
  let folder: string;
  let repository: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millwright-fetched-'));
    repository = join(folder, 'repo');
    run('ostree', 'init', `--repo=${repository}`, '--mode=bare-user');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const commit = (text: string): string => {
    const tree = join(folder, 'tree');
    mkdirSync(tree, { recursive: true });
    writeFileSync(join(tree, 'file'), text);
    return run('ostree', 'commit', `--repo=${repository}`, '--orphan', `--tree=dir=${tree}`).trim();
  };

  it('is found by its reference until it is dropped, and survives a prune', () => {
    const [one, two] = [commit('one'), commit('two')];
    expect(fetchedCommit('registry:os@sha256:1', repository)).toBe(undefined);
    keepFetched('registry:os@sha256:1', one, repository);
    keepFetched('registry:os@sha256:2', two, repository);
    keepFetched('registry:os@sha256:2', two, repository);
    run('ostree', 'prune', `--repo=${repository}`, '--refs-only');
    expect(fetchedCommit('registry:os@sha256:1', repository)).toBe(one);
    expect(fetchedCommit('registry:os@sha256:2', repository)).toBe(two);
    expect(run('ostree', 'show', `--repo=${repository}`, one)).toContain(one);
    dropFetched(repository);
    dropFetched(repository);
    expect(fetchedCommit('registry:os@sha256:1', repository)).toBe(undefined);
  });
});
