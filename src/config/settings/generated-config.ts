/**
 * The MachineConfigs that are generated from settings.
 */
import { annotations, labels, type MachineConfig, machineConfig } from '../../api/index.ts';
import { apiVersionOf, type OwnerReference } from '../../kubernetes/meta/index.ts';
import { base64DataUrl, emptyConfig, encodeIgnition, type IgnitionConfig } from '../ignition/index.ts';

export type GeneratedFile = NonNullable<NonNullable<IgnitionConfig['storage']>['files']>[number];

/** Encoded like all generated files; see `base64DataUrl`. */
export function textFile(path: string, text: string): GeneratedFile {
  return {
    path,
    mode: 0o644,
    overwrite: true,
    contents: { source: base64DataUrl('text/plain;charset=utf-8', text), compression: '' },
  };
}

type GeneratedConfig = {
  readonly name: string;
  /** The pool that it is generated for. */
  readonly pool: string;
  readonly files: readonly GeneratedFile[];
  readonly owner: OwnerReference;
  readonly controllerVersion: string;
};

export function generatedConfig(given: GeneratedConfig): MachineConfig {
  const { name, pool, files, owner, controllerVersion } = given;
  return {
    apiVersion: apiVersionOf(machineConfig),
    kind: machineConfig.kind,
    metadata: {
      name,
      labels: { [labels.role]: pool },
      annotations: { [annotations.generatedByControllerVersion]: controllerVersion },
      ownerReferences: [owner],
    },
    spec: { config: encodeIgnition({ ...emptyConfig, storage: { files } }) },
  };
}
