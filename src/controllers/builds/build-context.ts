/**
 * The dependencies of the build controller.
 */
import type { BuildLimits, BuildRegistry } from '../../images/index.ts';
import type { Context } from '../context.ts';
import type { BuildEvents } from './build-events.ts';
import type { BuildSources } from './build-sources.ts';
import type { Inspections } from './inspections.ts';

export type BuildOptions = {
  readonly registry: BuildRegistry;
  /** The image of the pods that build. */
  readonly builderImage: string;
  readonly limits: BuildLimits;
};

export type BuildContext = Context & {
  readonly options: BuildOptions;
  readonly sources: BuildSources;
  readonly inspections: Inspections;
  readonly buildEvents: BuildEvents;
};
