/**
 * Whether a rendered config needs a new OS image: as `decideBuild` will find it, before there is a MachineOSBuild for it.
 *
 * Not known here: whether the registry still has an image, and whether a Secret is missing.
 */
import { annotations, type MachineConfig, type MachineConfigPool } from '../../api/index.ts';
import { stringAt } from '../../base/json-fields.ts';
import { annotationOf, nameOf } from '../../kubernetes/meta/index.ts';
import { buildName } from './build-name.ts';
import { fittingBuilds, imageOf, type KnownBuilds, runningBuild } from './choose-builds.ts';
import {
  type ConfigProblem,
  containerfileProblem,
  type DeclaredConfig,
  declaredProblem,
  noImageProblem,
} from './config-problem.ts';
import { architecturesOf, composeContainerfile } from './containerfile.ts';
import { isUnseeded } from './decide-build.ts';

export type BuildForecast =
  /** An image that exists is used again: nothing that it contains has changed. */
  | { readonly kind: 'reused'; readonly build: string; readonly image: string }
  /** The image that the MachineOSConfig names in place of a first build. */
  | { readonly kind: 'pre-built'; readonly build: string; readonly image: string }
  | { readonly kind: 'running'; readonly build: string }
  | { readonly kind: 'new'; readonly build: string }
  /** No image can be built, so that no node goes anywhere. */
  | {
      readonly kind: 'blocked';
      readonly build: string;
      readonly reason: ConfigProblem['reason'];
      readonly message: string;
    };

type ForecastInputs = {
  /** With the target that it will have. */
  readonly pool: MachineConfigPool;
  readonly rendered: MachineConfig;
};

export function buildForecast(
  known: KnownBuilds & Pick<DeclaredConfig, 'nodes'>,
  inputs: ForecastInputs,
): BuildForecast {
  const { config } = known;
  const wanted = { ...inputs, config };
  const build = buildName(wanted);
  const problem = declaredProblem({ ...known, pool: inputs.pool });
  if (problem === undefined && isUnseeded({ config })) {
    return { kind: 'pre-built', build, image: annotationOf(config, annotations.preBuiltImage) ?? '' };
  }
  const [fitting] = fittingBuilds(known, wanted);
  if (fitting !== undefined) return { kind: 'reused', build: nameOf(fitting), image: imageOf(fitting) };
  const running = runningBuild(known, wanted);
  if (running !== undefined) return { kind: 'running', build: nameOf(running) };
  const obstacle = problem ?? inputsProblem(known, inputs);
  return obstacle === undefined ? { kind: 'new', build } : { kind: 'blocked', build, ...obstacle };
}

/** What is wrong with what the image would be built from. */
function inputsProblem(
  { config, nodes }: Pick<DeclaredConfig, 'config' | 'nodes'>,
  { pool, rendered }: ForecastInputs,
): ConfigProblem | undefined {
  if (stringAt(rendered.spec, 'osImageURL') === '') return noImageProblem(pool, rendered);
  const architectures = architecturesOf(nodes);
  // The bundle is not written by the user of the Containerfile, and changes nothing about its validity.
  const containerfile = composeContainerfile({ config, rendered, architectures, hasTrustBundle: false });
  return containerfile.kind === 'ok' ? undefined : containerfileProblem(containerfile.problems);
}
