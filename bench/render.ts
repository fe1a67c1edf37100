/**
 * Duration of rendering, and how it grows. Results are printed, never asserted: machines differ.
 *
 *     npm run bench
 */
import { performance } from 'node:perf_hooks';
import { render } from '../src/config/render/index.ts';
import { aConfig, aFile, aMachineConfig, aPool, someSettings } from '../test/support/build.ts';

const FILES_EACH = 10;
const ROUNDS = 7;
/** The maximum of distinct paths, so that the largest case still fits into one rendered MachineConfig. */
const MAX_PATHS = 4000;

type Case = { readonly machineConfigs: number; readonly coldMs: number; readonly warmMs: number };

console.log(
  `render: MachineConfigs of ${FILES_EACH} files each, ${MAX_PATHS} paths at most, median of ${ROUNDS} rounds`,
);
console.log('  MachineConfigs    files   cold ms   warm ms   cold µs per file');
// The first rounds include JIT compilation.
measure(100);
const cases = [100, 200, 500, 1000, 2000].map(measure);
for (const { machineConfigs, coldMs, warmMs } of cases) {
  const files = machineConfigs * FILES_EACH;
  const columns = [
    machineConfigs,
    files,
    coldMs.toFixed(1),
    warmMs.toFixed(1),
    ((coldMs * 1000) / files).toFixed(1),
  ];
  console.log(
    `  ${[14, 7, 8, 8, 17].map((width, index) => String(columns[index]).padStart(width)).join('  ')}`,
  );
}
const small = cases.find(({ machineConfigs }) => machineConfigs === 200);
const large = cases.find(({ machineConfigs }) => machineConfigs === 2000);
if (small !== undefined && large !== undefined) {
  const growth = large.coldMs / small.coldMs;
  console.log(`  budget: 200 MachineConfigs with 2000 files in 200 ms: ${small.coldMs.toFixed(1)} ms`);
  console.log(`  growth: 10 times the MachineConfigs take ${growth.toFixed(1)} times as long (10 is linear)`);
}

/** Cold: all objects are new. Warm: one object changed, as in a cluster. */
function measure(machineConfigs: number): Case {
  const cold: number[] = [];
  const warm: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const sources = Array.from({ length: machineConfigs }, (_, index) => source(index, round));
    cold.push(timed(sources));
    warm.push(timed([...sources.slice(1), source(0, round + ROUNDS)]));
  }
  return { machineConfigs, coldMs: median(cold), warmMs: median(warm) };
}

function timed(sources: readonly ReturnType<typeof source>[]): number {
  const start = performance.now();
  const result = render({ pool: aPool(), machineConfigs: sources, settings: someSettings });
  const elapsed = performance.now() - start;
  if (result.kind !== 'rendered') throw new Error(`not rendered: ${JSON.stringify(result).slice(0, 500)}`);
  return elapsed;
}

function source(index: number, round: number) {
  const files = Array.from({ length: FILES_EACH }, (_, position) => {
    const number = (index * FILES_EACH + position) % MAX_PATHS;
    return aFile(
      `/etc/bench/file-${number}.conf`,
      `# round ${round}\nvalue = ${index}\n${'x'.repeat(100)}\n`,
      { mode: 0o644 },
    );
  });
  const units = [
    {
      name: `bench-${index % 500}.service`,
      enabled: true,
      contents: '[Unit]\nDescription=x\n[Install]\nWantedBy=multi-user.target\n',
    },
  ];
  const config = aConfig({ storage: { files }, systemd: { units } });
  // Through JSON, as from a cluster: objects share nothing.
  return aMachineConfig(
    `${String(index).padStart(5, '0')}-worker`,
    JSON.parse(JSON.stringify({ config, kernelArguments: [`x=${index}`] })),
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
