/**
 * Merges MachineConfigs into one spec.
 */
import type { MachineConfigSpec } from '../../api/index.ts';
import { ConfigMerger, encodeIgnition, type File, type IgnitionConfig } from '../ignition/index.ts';
import { type CheckedSource, isGenerated } from './check-source.ts';
import type { Origin } from './origins.ts';
import type { RenderSettings } from './rendering.ts';

/** A spec with every field set, as in a rendered MachineConfig. */
type RenderedSpec = Required<MachineConfigSpec>;

export type MergedSources = {
  readonly spec: RenderedSpec;
  readonly config: IgnitionConfig;
  readonly origins: readonly Origin[];
};

/** The sources come in merge order: later ones win. */
export function mergeSources(sources: readonly CheckedSource[], settings: RenderSettings): MergedSources {
  const merger = new ConfigMerger();
  for (const { machineConfig, config } of sources) {
    if (config !== undefined) merger.absorb(config, machineConfig.metadata.name);
  }
  const { config: merged, contributions } = merger.finish();
  const config = withOverwrite(merged);

  const kernelArguments = gather(sources, 'kernelArguments');
  const extensions = gather(sources, 'extensions');
  const kernelType = lastValue(sources, 'kernelType', (value) => value !== '' && value !== 'default');
  const fips = lastValue(sources, 'fips', (value) => value);
  const osImageURL = imageOf(sources, 'osImageURL', settings);
  const extensionsImage = imageOf(sources, 'baseOSExtensionsContainerImage', settings);

  return {
    config,
    spec: {
      baseOSExtensionsContainerImage: extensionsImage.value,
      config: encodeIgnition(config),
      extensions: extensions.map(({ value }) => value),
      fips: fips.value ?? false,
      kernelArguments: kernelArguments.map(({ value }) => value),
      kernelType: kernelType.value ?? 'default',
      osImageURL: osImageURL.value,
    },
    origins: [
      ...contributions,
      ...kernelArguments.map(({ value, source }) => origin('kernelArgument', value, source)),
      ...extensions.map(({ value, source }) => origin('extension', value, source)),
      origin('setting', 'baseOSExtensionsContainerImage', extensionsImage.source, extensionsImage.overrode),
      origin('setting', 'fips', fips.source),
      origin('setting', 'kernelType', kernelType.source, kernelType.overrode),
      origin('setting', 'osImageURL', osImageURL.source, osImageURL.overrode),
    ],
  };
}

/**
 * `overwrite` defaults to true. A file without contents is left unchanged: overwriting with nothing is an error in
 * Ignition, and the result must be valid.
 */
function withOverwrite(config: IgnitionConfig): IgnitionConfig {
  const files = config.storage?.files;
  if (files === undefined) return config;
  const complete = (file: File): File =>
    file.overwrite !== undefined || file.contents?.source === undefined ? file : { ...file, overwrite: true };
  return { ...config, storage: { ...config.storage, files: files.map(complete) } };
}

function origin(
  kind: Origin['kind'],
  name: string,
  source: string,
  overrode: readonly string[] = [],
): Origin {
  return { kind, name, source, overrode };
}

/** List fields are concatenated: arguments may repeat on purpose (`console=`). */
function gather(
  sources: readonly CheckedSource[],
  field: 'kernelArguments' | 'extensions',
): readonly { readonly value: string; readonly source: string }[] {
  return sources.flatMap(({ machineConfig: { metadata, spec } }) =>
    (spec?.[field] ?? []).map((value) => ({ value, source: metadata.name })),
  );
}

type LastValue<T> = { readonly value?: T; readonly source: string; readonly overrode: readonly string[] };

/** The last source with a value that counts. */
function lastValue<F extends 'kernelType' | 'fips', T extends NonNullable<MachineConfigSpec[F]>>(
  sources: readonly CheckedSource[],
  field: F,
  counts: (value: T) => boolean,
): LastValue<T> {
  let result: LastValue<T> = { source: '', overrode: [] };
  for (const { machineConfig } of sources) {
    const value = machineConfig.spec?.[field] as T | undefined;
    if (value === undefined || !counts(value)) continue;
    const { name } = machineConfig.metadata;
    const overrode = result.value === undefined ? [] : [...result.overrode, result.source];
    result = { value, source: name, overrode };
  }
  return result;
}

type ImageField = 'osImageURL' | 'baseOSExtensionsContainerImage';

/** The cluster's image, unless a user's MachineConfig sets another. Generated ones cannot set it. */
function imageOf(
  sources: readonly CheckedSource[],
  field: ImageField,
  settings: RenderSettings,
): LastValue<string> & { readonly value: string } {
  let result: LastValue<string> & { readonly value: string } = {
    value: settings[field],
    source: '',
    overrode: [],
  };
  for (const { machineConfig } of sources) {
    const value = machineConfig.spec?.[field] ?? '';
    if (value === '' || isGenerated(machineConfig)) continue;
    result = { value, source: machineConfig.metadata.name, overrode: [...result.overrode, result.source] };
  }
  return result;
}
