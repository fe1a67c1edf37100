/** Debian's `promtool` (package prometheus). With `MILLWRIGHT_REQUIRE_TOOLS=1` its absence is an error. */
import { spawnSync } from 'node:child_process';

export const hasPromtool: boolean = spawnSync('promtool', ['--version']).status === 0;

if (!hasPromtool && process.env.MILLWRIGHT_REQUIRE_TOOLS === '1')
  throw new Error('promtool is required: apt-get install prometheus');

/** What it printed, and whether it was content. */
export function promtool(
  args: readonly string[],
  input = '',
): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}

/** Upstream's names, which are not ours to change. */
const KNOWN = [
  /^mcd_pivot_errors_total non-counter metrics should not have "_total" suffix$/,
  /^(mco|ocl)_\w+_count non-histogram and non-summary metrics should not have "_count" suffix$/,
];

/** What `promtool check metrics` finds, but for names of upstream; and series that are there twice, of which Prometheus takes the first. */
export function metricProblems(text: string): readonly string[] {
  const found = promtool(['check', 'metrics'], text)
    .output.split('\n')
    .filter((line) => line !== '' && !KNOWN.some((known) => known.test(line)));
  const series = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.slice(0, line.lastIndexOf(' ')));
  const twice = series.filter((one, index) => series.indexOf(one) !== index);
  return [...found, ...twice.map((one) => `${one} is there twice`)];
}
