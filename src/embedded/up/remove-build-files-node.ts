/**
 * Removes what is left of builds. Where an ordinary user runs `buildah`, files belong to other users of its user namespace, and only
 * there may they be deleted.
 */
import { rm } from 'node:fs/promises';
import { Failure } from '../../base/errors.ts';
import { runChild } from './child-process-node.ts';

type Environment = { readonly [name: string]: string | undefined };

/** Throws a `Failure` if something cannot be removed. */
export async function removeBuildFiles(path: string, { PATH, HOME }: Environment): Promise<void> {
  try {
    return await rm(path, { recursive: true, force: true });
  } catch {
    const lines: string[] = [];
    const exitCode = await runChild({
      program: ['buildah', 'unshare', 'rm', '-rf', path],
      environment: { PATH, HOME },
      directory: '/',
      print: (line) => lines.push(line),
      signal: new AbortController().signal,
    }).catch(() => 1);
    if (exitCode === 0) return;
    throw new Failure(
      'stalled',
      'BuildFilesLeft',
      `cannot delete ${path}: ${lines.at(-1) ?? 'permission denied'}`,
    );
  }
}
