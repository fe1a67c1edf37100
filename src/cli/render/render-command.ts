/**
 * `millwright render`: the MachineConfigs that a cluster would render from a folder of files.
 */

import { printableLine } from '../../base/text/index.ts';
import { FINE, INVALID, UNUSABLE } from '../exit-code.ts';
import { didYouMean } from '../nearest-name.ts';
import type { Ports } from '../ports.ts';
import { type Finding, formatFinding, sortFindings } from './finding.ts';
import { readManifests } from './manifests.ts';
import { formatPools } from './output.ts';
import type { OutputFormat } from './output-format.ts';
import { readInput } from './read-input.ts';
import { readTemplates } from './read-templates.ts';
import { type RenderReport, renderManifests } from './render-manifests.ts';

export type RenderOptions = {
  readonly output: OutputFormat;
  /** Names of pools; none for all. */
  readonly pool?: readonly string[];
  readonly withBase?: boolean;
  readonly check?: boolean;
};

/** Prints the result, or nothing but what is wrong; returns the exit code. */
export async function renderCommand(
  paths: readonly string[],
  options: RenderOptions,
  given: { readonly ports: Ports; readonly version: string },
): Promise<number> {
  const { ports, version } = given;
  const { files, unusable } = await readInput(paths, ports);
  const input = readManifests(files);
  const templates = options.withBase ? await readTemplates(ports.packageRoot) : undefined;
  const report = renderManifests({
    input,
    only: options.pool ?? [],
    ...(templates !== undefined && { base: { templates, version } }),
  });
  // Without its files a complaint about missing pools would mislead.
  const unmet = unusable.length > 0 || input.isIncomplete ? [] : unmetDemands(report, options);

  const say = (line: string) => ports.stderr(`${printableLine(line)}\n`);
  const names = files.map(({ name }) => name);
  const linesOf = (findings: readonly Finding[]) => sortFindings(findings, names).map(formatFinding);
  for (const line of [...unusable, ...unmet]) say(line);
  for (const line of linesOf(report.problems)) say(line);
  for (const line of linesOf(report.warnings)) say(`warning: ${line}`);
  const count = unusable.length + unmet.length + report.problems.length;
  if (count > 0) {
    say(`${counted(count, 'problem')}${options.check ? '' : ', nothing rendered'}`);
    return unusable.length + unmet.length > 0 ? UNUSABLE : INVALID;
  }
  for (const line of report.notes) say(`note: ${line}`);
  if (options.check && report.poolNames.length === 0) {
    say('note: no pools in the input, so each object was checked by itself only');
  }
  if (options.check) say(`no problems in ${counted(input.manifests.length, 'object')}`);
  else ports.stdout(formatPools(report.rendered, options.output));
  return FINE;
}

function unmetDemands(
  { poolNames }: RenderReport,
  { pool = [], check = false }: RenderOptions,
): readonly string[] {
  const names = poolNames.join(', ');
  const unknown = pool.filter((name) => !poolNames.includes(name));
  if (poolNames.length > 0) {
    return unknown.map(
      (name) => `--pool: no pool ${name}${didYouMean(name, poolNames)}; there are: ${names}`,
    );
  }
  if (check && unknown.length === 0) return [];
  return [
    'no MachineConfigPool in the input: add one, or use --with-base, which brings the pools master and worker',
  ];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
