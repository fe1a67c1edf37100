/**
 * Nothing is rendered from what another version has left: during an upgrade the rendering waits until the operator of its
 * own version has written the objects that it reads. For the generated sources see `selectionProblems`.
 */
import { annotations, type ControllerConfig, type OSImageStream } from '../../api/index.ts';

/** The version that renders. */
export type RenderingVersion = {
  /** The full version, on the ControllerConfig. */
  readonly version: string;
  /** The digest of the build, on generated objects. */
  readonly controllerVersion: string;
};

type VersionedObjects = {
  readonly controllerConfig: ControllerConfig;
  readonly osImageStream?: OSImageStream;
};

/** Why nothing may be rendered from these objects; undefined where it may. */
export function versionProblem(
  { controllerConfig, osImageStream }: VersionedObjects,
  { version, controllerVersion }: RenderingVersion,
): string | undefined {
  if (osImageStream !== undefined) {
    const key = annotations.releaseImageVersion;
    const stated = osImageStream.metadata.annotations?.[key] ?? '';
    const mine = `(my version: ${controllerVersion})`;
    if (stated === '') return `ignoring OSImageStream without ${key} annotation ${mine}`;
    if (stated !== controllerVersion) return `ignoring OSImageStream with version ${stated} ${mine}`;
  }
  const key = annotations.generatedByVersion;
  const stated = controllerConfig.metadata.annotations?.[key] ?? '';
  const mine = `(my version: ${version})`;
  if (stated === '') return `ignoring controller config generated without ${key} annotation ${mine}`;
  return stated === version ? undefined : `ignoring controller config generated from ${stated} ${mine}`;
}
