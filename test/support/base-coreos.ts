/** The config of workers with the base `coreos`, as the render controller makes it of the templates. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { baseConfigs, render } from '../../src/config/render/index.ts';
import { type NodeConfig, readNodeConfig } from '../../src/node/plan/index.ts';

export function baseCoreos(): NodeConfig {
  const base = baseConfigs(readTemplates(), { controllerVersion: 'v1', roles: ['worker'] });
  if (base.kind === 'invalid') throw new Error(JSON.stringify(base.problems));
  const pool = {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfigPool',
    metadata: { name: 'worker' },
    spec: {
      machineConfigSelector: { matchLabels: { 'machineconfiguration.openshift.io/role': 'worker' } },
    },
  };
  const settings = { osImageURL: '', baseOSExtensionsContainerImage: '' };
  const rendering = render({ pool, machineConfigs: base.value, settings });
  if (rendering.kind !== 'rendered') throw new Error(rendering.message);
  const config = readNodeConfig(rendering.machineConfig);
  if (config.kind === 'invalid') throw new Error(JSON.stringify(config.problems));
  return config.value;
}

function readTemplates(): ReadonlyMap<string, string> {
  const folder = fileURLToPath(new URL('../../templates', import.meta.url));
  return new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((item) => item.isFile())
      .map((item) => join(item.parentPath, item.name))
      .map((path) => [relative(folder, path), readFileSync(path, 'utf8')]),
  );
}
