/**
 * The images in a machine's container storage, from `podman images`.
 */

import { Failure } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { stringAt, stringsAt } from '../../base/json-fields.ts';
import { type Commands, NO_SUCH_COMMAND } from './command-runner.ts';

export type LocalImage = { readonly id: string; readonly repoDigests: readonly string[] };

/** The image of this name in podman's storage. */
export async function localImages(commands: Commands, image: string): Promise<readonly LocalImage[]> {
  const args = ['images', '--format=json', '--filter', `reference=${image}`];
  const { exitCode, stdout } = await commands.try('podman', args);
  // A machine without podman has no storage.
  if (exitCode === NO_SUCH_COMMAND) return [];
  if (exitCode !== 0) await commands.capture('podman', args);
  return parseLocalImages(stdout);
}

export function parseLocalImages(text: string): readonly LocalImage[] {
  const rows: unknown = text.trim() === '' ? [] : parsedJson('podman images', text);
  if (!Array.isArray(rows)) return [];
  return rows.filter(isObject).map((row) => {
    return { id: stringAt(row, 'Id'), repoDigests: stringsAt(row, 'RepoDigests') };
  });
}

/** Throws on a text that is not JSON, with its source. */
export function parsedJson(from: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure('transient', 'NoJson', `failed to parse ${from}: it is not JSON`, error);
  }
}
