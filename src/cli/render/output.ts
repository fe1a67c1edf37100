/**
 * Rendered pools as text for programs; `summary.ts` is for people.
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

/** One object as it is, several as a List, as kubectl does. */
function asDocument(pools: readonly RenderedPool[]): Json {
  // A rendered MachineConfig is plain JSON; its type only says more than that.
  const objects = pools.map(({ rendering }) => rendering.machineConfig as unknown as Json);
  const [first] = objects;
  return objects.length === 1 && first !== undefined
    ? first
    : { apiVersion: 'v1', kind: 'List', items: objects };
}

/** As `kubectl get -o name` writes it. */
function nameOf(name: string): string {
  const [group] = apiVersionOf(machineConfig).split('/');
  return `${machineConfig.singular}.${group}/${name}`;
}
