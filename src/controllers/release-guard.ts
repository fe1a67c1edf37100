/** Checks the ConfigMap `machine-config-osimageurl`: images of another release must not reach nodes. */
import type { ConfigMap } from '../kubernetes/types/index.ts';
import type { Release } from './context.ts';

export const OS_IMAGE_CONFIG_MAP = 'machine-config-osimageurl';

/** Why the ConfigMap is ignored; undefined where it is used. One without a release version is used. */
export function releaseProblem(
  configMap: ConfigMap | undefined,
  { releaseVersion }: Pick<Release, 'releaseVersion'>,
): string | undefined {
  const version = configMap?.data?.releaseVersion ?? '';
  if (version === '' || version === releaseVersion) return undefined;
  return `could not get OS images: refusing to read osImageURL version "${version}", operator version "${releaseVersion}"`;
}
