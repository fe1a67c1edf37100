/** The text format of Prometheus, version 0.0.4. */
import type { Family, Sample } from './registry.ts';

/** The metrics of one component. `labels` tell it apart where several components are printed together. */
export type MetricSource = {
  families(): readonly Family[];
  readonly labels?: { readonly [label: string]: string };
};

/** Each metric once, with the series of all sources. */
export function formatMetrics(sources: readonly MetricSource[]): string {
  const byName = new Map<string, { readonly family: Family; readonly lines: string[] }>();
  for (const source of sources) {
    const added = Object.entries(source.labels ?? {});
    for (const family of source.families()) {
      const known = byName.get(family.name) ?? { family, lines: [] };
      byName.set(family.name, known);
      for (const sample of family.samples) known.lines.push(sampleLine(family.name, sample, added));
    }
  }
  return [...byName.values()]
    .flatMap(({ family: { name, type, help }, lines }) => [
      `# HELP ${name} ${escapedHelp(help)}\n`,
      `# TYPE ${name} ${type}\n`,
      ...lines,
    ])
    .join('');
}

type Label = readonly [name: string, value: string];

function sampleLine(name: string, { suffix, labels, value }: Sample, added: readonly Label[]): string {
  return `${name}${suffix}${labelText(joined(labels, added))} ${valueText(value)}\n`;
}

/** As Prometheus does for the labels of a target: a label of the metric itself is renamed. */
function joined(labels: readonly Label[], added: readonly Label[]): readonly Label[] {
  if (added.length === 0) return labels;
  const taken = new Set(added.map(([name]) => name));
  const renamed = labels.map(([name, value]): Label => [taken.has(name) ? `exported_${name}` : name, value]);
  return [...added, ...renamed];
}

function labelText(labels: readonly Label[]): string {
  if (labels.length === 0) return '';
  return `{${labels.map(([name, value]) => `${name}="${escaped(value)}"`).join(',')}}`;
}

function valueText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  return String(value);
}

function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`));
}

function escapedHelp(help: string): string {
  return help.replace(/[\\\n]/g, (found) => (found === '\n' ? '\\n' : '\\\\'));
}
