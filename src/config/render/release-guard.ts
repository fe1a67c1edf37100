/** Checks the ConfigMap `machine-config-osimageurl`: images of another release must not reach nodes. */
/** Why the ConfigMap is ignored; undefined where it is used. One without a release version is used. */
export function releaseProblem(
  configMap: { readonly data?: { readonly [key: string]: string } } | undefined,
  { releaseVersion }: { readonly releaseVersion: string },
): string | undefined {
  const version = configMap?.data?.releaseVersion ?? '';
  if (version === '' || version === releaseVersion) return undefined;
  return `could not get OS images: refusing to read osImageURL version "${version}", operator version "${releaseVersion}"`;
}
