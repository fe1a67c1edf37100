/**
 * A human-readable summary of a rendered pool: its contents, sources and overrides.
 */

import { printable } from '../../base/text/index.ts';
import { MAX_RENDERED_BYTES } from '../../config/content/index.ts';
import type { Origin } from '../../config/render/index.ts';
import type { RenderedPool } from './render-manifests.ts';

export function formatSummary({ pool, rendering }: RenderedPool): string {
  const { machineConfig, sources, origins, sizeBytes } = rendering;
  const { spec, metadata } = machineConfig;
  const from = (setting: string) => {
    const source = origins.find(({ kind, name }) => kind === 'setting' && name === setting)?.source;
    return source ? `  (from ${source})` : '';
  };
  const listed = (kind: Origin['kind']) => {
    const items = origins.filter((origin) => origin.kind === kind);
    return items.length === 0 ? '0' : `${items.length}  (${items.map(({ name }) => name).join(' ')})`;
  };
  const rows = [
    ['rendered', metadata.name],
    ['OS image', `${spec.osImageURL || 'none'}${from('osImageURL')}`],
    ['kernel', `${spec.kernelType}${from('kernelType')}`],
    ...(spec.fips ? [['FIPS', `on${from('fips')}`]] : []),
    ['kernel arguments', listed('kernelArgument')],
    ['extensions', listed('extension')],
    ['files', String(countOf(origins, 'file'))],
    ['units', String(countOf(origins, 'unit'))],
    ...RARE.map(([kind, label]) => [label, String(countOf(origins, kind))]).filter(
      ([, count]) => count !== '0',
    ),
    ['size', `${sizeBytes} of ${MAX_RENDERED_BYTES} bytes`],
    ...sources.map(({ name }, index) => [index === 0 ? 'sources, later ones win' : '', name ?? '']),
  ];
  return [
    `pool ${pool.metadata.name}`,
    ...table(rows).map((line) => `  ${line}`),
    ...overrides(origins),
    '',
  ].join('\n');
}

/** Shown only if present: most of them take effect only at installation. */
const RARE: readonly (readonly [Origin['kind'], string])[] = [
  ['directory', 'directories'],
  ['link', 'links'],
  ['user', 'users'],
  ['sshKey', 'SSH keys'],
  ['group', 'groups'],
  ['disk', 'disks'],
  ['raid', 'RAID arrays'],
  ['filesystem', 'file systems'],
  ['luks', 'encrypted volumes'],
];

function countOf(origins: readonly Origin[], kind: Origin['kind']): number {
  return origins.filter((origin) => origin.kind === kind).length;
}

function overrides(origins: readonly Origin[]): readonly string[] {
  // Replacing a default of the cluster is not an override.
  const rows = origins
    .map((origin) => ({ ...origin, overrode: origin.overrode.filter((source) => source !== '') }))
    .filter(({ overrode }) => overrode.length > 0)
    .map((origin) => [origin.kind, origin.name, origin.source, overrideNote(origin)]);
  return rows.length === 0 ? [] : ['  overrides', ...table(rows).map((line) => `    ${line}`)];
}

/** `(over 50-a; mode from 50-a)`: a field that the last source does not set comes from an earlier one. */
function overrideNote({ overrode, kept = {} }: Origin): string {
  const fields = Object.entries(kept).map(([field, source]) => `; ${field} from ${source}`);
  return `(over ${overrode.join(', ')}${fields.join('')})`;
}

/** Columns separated by two spaces. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const cells = rows.map((row) => row.map(printable));
  const widths = (cells[0] ?? []).map((_, column) =>
    cells.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), 0),
  );
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
