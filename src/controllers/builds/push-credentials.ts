/**
 * The credentials for images of builds, as auth files.
 */
import { annotations, type MachineOSBuild, type MachineOSConfig } from '../../api/index.ts';
import { stringAt } from '../../base/json-fields.ts';
import { authFileOf, finalSecretOf } from '../../images/index.ts';
import { annotationOf, nameOf } from '../../kubernetes/meta/index.ts';
import type { BuildSources } from './build-sources.ts';

const ANONYMOUS = '{"auths":{}}';

/** Of the Secret that the build was pushed with, or of the copy of it that outlives the build. */
export function pushCredentials(sources: BuildSources, build: MachineOSBuild): string {
  const name = annotationOf(build, annotations.renderedImagePushSecret) ?? '';
  return authFileIn(sources, name) ?? recordCredentials(sources, nameOf(build));
}

/** Of the copy that a build was pushed with; of its MachineOSConfig, where that is gone. */
export function recordCredentials(sources: BuildSources, build: string, config = ''): string {
  const found = config === '' ? undefined : sources.configs.get({ name: config });
  const own = authFileIn(sources, finalSecretOf(build));
  return own ?? (found === undefined ? ANONYMOUS : configCredentials(sources, found));
}

export function configCredentials(sources: BuildSources, config: MachineOSConfig): string {
  return authFileIn(sources, stringAt(config, 'spec', 'renderedImagePushSecret', 'name')) ?? ANONYMOUS;
}

function authFileIn({ secrets, namespace }: BuildSources, name: string): string | undefined {
  const secret = name === '' ? undefined : secrets.get({ name, namespace });
  const file = secret === undefined ? undefined : authFileOf(secret);
  return file?.kind === 'ok' ? file.value : undefined;
}
