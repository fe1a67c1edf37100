/**
 * `millwright builder`: the component that builds OS images, as run by its Deployment.
 */
import type { Env } from '../base/env.ts';
import { Failure } from '../base/errors.ts';
import { authoritiesIn, type BuildOptions } from '../controllers/index.ts';
import { createBuildRegistry, createLoopbackTransport, DEFAULT_BUILD_LIMITS } from '../images/index.ts';
import { createNodeRegistryTransport } from '../images/transport-node.ts';
import { createKube, type Transport } from '../kubernetes/client/index.ts';
import { pod as podKind } from '../kubernetes/types/index.ts';
import { type ComponentOptions, componentCommand } from './component-command.ts';
import { ownNamespace } from './namespace-option.ts';
import type { Ports } from './ports.ts';

export type BuilderOptions = ComponentOptions & {
  readonly builderImage?: string;
  /** In milliseconds. */
  readonly buildTimeout: number;
};

export async function builderCommand(
  options: BuilderOptions,
  { ports, version }: { readonly ports: Ports; readonly version: string },
): Promise<number> {
  const { buildTimeout: timeoutMs, builderImage } = options;
  const createBuilds = async (env: Env, transport: Transport): Promise<BuildOptions> => ({
    registry: createBuildRegistry({
      authoritiesFor: authoritiesIn(createKube({ env, transport, fieldManager: CONTAINER })),
      transport: createLoopbackTransport(createNodeRegistryTransport({ clock: env.clock })),
      env,
    }),
    builderImage: builderImage ?? (await ownImage({ env, transport, ports }, ownNamespace(options, ports))),
    limits: { ...DEFAULT_BUILD_LIMITS, timeoutMs },
  });
  return await componentCommand('builder', options, { ports, version, createBuilds });
}

const CONTAINER = 'machine-os-builder';

type ImageLookup = { readonly env: Env; readonly transport: Transport; readonly ports: Ports };

/** Builds run with the image of the builder's own pod: one image to replace in the manifests, and one release of both. */
async function ownImage({ env, transport, ports }: ImageLookup, namespace: string): Promise<string> {
  const name = ports.environment.POD_NAME ?? '';
  if (name === '') {
    const message = 'the image of build pods is not known: POD_NAME is not set: give it with --builder-image';
    throw new Failure('usage', 'NoBuilderImage', message);
  }
  const kube = createKube({ env, transport, fieldManager: CONTAINER });
  const pod = await kube.get(podKind, { name, namespace });
  const image = pod?.spec.containers.find((container) => container.name === CONTAINER)?.image;
  if (image !== undefined) return image;
  const message = `the image of build pods is not known: no container ${CONTAINER} in pod ${namespace}/${name}: give it with --builder-image`;
  throw new Failure('usage', 'NoBuilderImage', message);
}
