/**
 * `millwright render`: renders MachineConfigs from files like a cluster would.
 */

import { counted, didYouMean, printableLine } from '../../base/text/index.ts';
import { INVALID_INPUT, SUCCESS, USAGE_ERROR } from '../exit-code.ts';
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
  /** Of Millwright. */
  readonly namespace: string;
};

/** Prints the result, or only problems; returns the exit code. */
export async function renderCommand(
  paths: readonly string[],
  options: RenderOptions,
  given: { readonly ports: Ports; readonly version: string },
): Promise<number> {
  const { ports, version } = given;
  const { files, unusable } = await readInput(paths, ports);
  const input = readManifests(files, options.namespace);
  const templates = await readTemplates(ports.packageRoot);
  const report = renderManifests({
    input,
    only: options.pool ?? [],
    base: { templates, version, withBase: options.withBase === true },
  });
  // With unreadable files, reporting missing pools would mislead.
  const unmatched = unusable.length > 0 || input.isIncomplete ? [] : selectionProblems(report, options);

  const print = (line: string) => ports.stderr(`${printableLine(line)}\n`);
  const names = files.map(({ name }) => name);
  const linesOf = (findings: readonly Finding[]) => sortFindings(findings, names).map(formatFinding);
  for (const line of [...unusable, ...unmatched]) print(line);
  for (const line of linesOf(report.problems)) print(line);
  for (const line of linesOf(report.warnings)) print(`warning: ${line}`);
  const count = unusable.length + unmatched.length + report.problems.length;
  if (count > 0) {
    print(`${counted(count, 'problem')}${options.check ? '' : ', nothing rendered'}`);
    return unusable.length + unmatched.length > 0 ? USAGE_ERROR : INVALID_INPUT;
  }
  for (const line of report.notes) print(`note: ${line}`);
  if (options.check && report.poolNames.length === 0) {
    print('note: no pools in the input: objects were validated individually only');
  }
  if (options.check) print(`no problems in ${counted(input.manifests.length, 'object')}`);
  else ports.stdout(formatPools(report.rendered, options.output));
  return SUCCESS;
}

function selectionProblems(
  { poolNames }: RenderReport,
  { pool = [], check = false }: RenderOptions,
): readonly string[] {
  const names = poolNames.join(', ');
  const unknown = pool.filter((name) => !poolNames.includes(name));
  if (poolNames.length > 0) {
    return unknown.map((name) => `--pool: no pool ${name}${didYouMean(name, poolNames)}; pools: ${names}`);
  }
  if (check && unknown.length === 0) return [];
  return [
    'no MachineConfigPool in the input: add one, or use --with-base, which adds the pools master and worker',
  ];
}
