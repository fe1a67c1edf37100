/**
 * The cluster settings of a rendering: the OS image and the allowed changes, read from the objects that hold them.
 */
import {
  annotations,
  type ControllerConfig,
  type MachineConfigPool,
  type MachineConfiguration,
  type OSImageStream,
} from '../../api/index.ts';
import { invalid, type Outcome, ok } from '../../base/errors.ts';
import type { RenderSettings } from './rendering.ts';

/** All optional: a plain cluster, or a folder of files, may have none. */
export type SettingsObjects = {
  readonly controllerConfig?: ControllerConfig;
  /** The ConfigMap `machine-config-osimageurl`; missing keys count as empty. */
  readonly osImageConfigMap?: { readonly data?: { readonly [key: string]: string } };
  /** OSImageStream `cluster`. */
  readonly osImageStream?: OSImageStream;
  /** MachineConfiguration `cluster`. */
  readonly machineConfiguration?: MachineConfiguration;
  /** All pools: custom ones inherit the stream of the worker pool. */
  readonly pools: readonly MachineConfigPool[];
  /** Of a cluster that is not ours: nodes get no OS image but what a MachineConfig or their pool's stream declares. */
  readonly onlyDeclaredImages?: boolean;
};

/**
 * The OS image is the first of: the stream of the pool (or, for a custom pool without one, of the worker pool),
 * `osImageURL` of the ConfigMap, the default stream, `baseOSContainerImage` of the ConfigMap and of the
 * ControllerConfig. `osImageURL` has no extensions image, so for extensions it is skipped. With `onlyDeclaredImages` the
 * first of these alone counts: the others reach every pool, also those of nodes whose OS is no image.
 */
export function settingsFor(pool: MachineConfigPool, objects: SettingsObjects): Outcome<RenderSettings> {
  const { controllerConfig, osImageConfigMap, machineConfiguration } = objects;
  const named = namedStream(pool, objects.pools);
  const stream = named === undefined ? undefined : findStream(objects.osImageStream, named);
  if (named !== undefined && stream === undefined) {
    const isOwn = pool.spec.osImageStream !== undefined;
    const origin = isOwn ? '' : ' (which it takes from the pool worker)';
    const message = `could not get OSImageStreamSet for pool ${pool.metadata.name}: stream "${named}"${origin} not found: ${offered(objects.osImageStream)}`;
    return invalid([{ path: isOwn ? 'spec.osImageStream.name' : 'spec', message }]);
  }
  const isOfCluster = objects.onlyDeclaredImages !== true;
  const standard = isOfCluster ? defaultStream(objects.osImageStream) : undefined;
  const inMap = (isOfCluster ? osImageConfigMap?.data : undefined) ?? {};
  const inController = isOfCluster ? controllerConfig?.spec : undefined;
  const releaseVersion = controllerConfig?.metadata.annotations?.[annotations.releaseImageVersion];
  const overrides = machineConfiguration?.spec.irreconcilableValidationOverrides?.storage;
  return ok({
    osImageURL:
      stream?.osImage ||
      inMap.osImageURL ||
      standard?.osImage ||
      inMap.baseOSContainerImage ||
      inController?.baseOSContainerImage ||
      '',
    baseOSExtensionsContainerImage:
      stream?.osExtensionsImage ||
      standard?.osExtensionsImage ||
      inMap.baseOSExtensionsContainerImage ||
      inController?.baseOSExtensionsContainerImage ||
      '',
    ...(releaseVersion !== undefined && { releaseVersion }),
    ...(overrides !== undefined && { allowIrreconcilable: overrides }),
  });
}

type Stream = NonNullable<OSImageStream['status']>['availableStreams'][number];

const BUILT_IN_POOLS: ReadonlySet<string> = new Set(['master', 'worker', 'arbiter']);

/** Built-in pools do not inherit; without a worker pool there is nothing to inherit. */
function namedStream(pool: MachineConfigPool, pools: readonly MachineConfigPool[]): string | undefined {
  const own = pool.spec.osImageStream?.name;
  if (own !== undefined || BUILT_IN_POOLS.has(pool.metadata.name)) return own;
  return pools.find(({ metadata }) => metadata.name === 'worker')?.spec.osImageStream?.name;
}

/** The user's choice once the cluster offers it; until then the stream in use. */
function defaultStream(osImageStream: OSImageStream | undefined): Stream | undefined {
  const { spec, status } = osImageStream ?? {};
  if (spec === undefined || status === undefined) return undefined;
  return findStream(osImageStream, spec.defaultStream) ?? findStream(osImageStream, status.defaultStream);
}

function findStream(osImageStream: OSImageStream | undefined, name: string): Stream | undefined {
  return osImageStream?.status?.availableStreams.find((stream) => stream.name === name);
}

function offered(osImageStream: OSImageStream | undefined): string {
  if (osImageStream?.status === undefined) return 'there is no OSImageStream "cluster" with a status';
  const names = osImageStream.status.availableStreams.map(({ name }) => name);
  return `OSImageStream "cluster" offers ${names.join(', ')}`;
}
