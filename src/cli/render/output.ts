/**
 * Formats rendered pools; the human-readable format is in `summary.ts`.
 */

import { machineConfig } from '../../api/index.ts';
import { unreachable } from '../../base/errors.ts';
import type { Json } from '../../base/json.ts';
import { formatYaml } from '../../base/yaml/index.ts';
import { apiVersionOf } from '../../kubernetes/meta/index.ts';
import type { OutputFormat } from './output-format.ts';
import type { RenderedPool } from './render-manifests.ts';
import { formatSummary } from './summary.ts';

export function formatPools(pools: readonly RenderedPool[], format: OutputFormat): string {
  switch (format) {
    case 'yaml':
      return formatYaml(asDocument(pools));
    case 'json':
      return `${JSON.stringify(asDocument(pools), null, 4)}\n`;
    case 'name':
      return pools.map(({ rendering }) => `${nameOf(rendering.machineConfig.metadata.name)}\n`).join('');
    case 'summary':
      return pools.map(formatSummary).join('\n');
    default:
      return unreachable(format);
  }
}

/** One object by itself, several as a List, like kubectl. */
function asDocument(pools: readonly RenderedPool[]): Json {
  // A rendered MachineConfig is plain JSON.
  const objects = pools.map(({ rendering }) => rendering.machineConfig as unknown as Json);
  const [first] = objects;
  return objects.length === 1 && first !== undefined
    ? first
    : { apiVersion: 'v1', kind: 'List', items: objects };
}

/** The format of `kubectl get -o name`. */
function nameOf(name: string): string {
  const [group] = apiVersionOf(machineConfig).split('/');
  return `${machineConfig.singular}.${group}/${name}`;
}
