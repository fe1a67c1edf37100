/**
 * Writes what is generated from the sources: the CRDs (`manifests/crds`, one file per kind), the Helm chart, the kustomize base
 * and the reference of their values; the PrometheusRule with the alerts, and the reference of metrics. `--check` writes nothing and fails when a file is not current.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseManifests } from '../src/install/index.ts';
import { chartFiles, kustomizeFiles } from './generated-chart.ts';
import { generatedManifests } from './generated-manifests.ts';
import { metricsReference, prometheusRule } from './generated-metrics.ts';
import { valuesReference } from './generated-values.ts';

const isCheck = process.argv.includes('--check');
const crds = generatedManifests();
/** Part of what is installed, so it comes first. */
const generatedFiles = new Map([
  ['prometheus-rules.yaml', prometheusRule(readFileSync('monitoring/alerts.yaml', 'utf8'))],
]);
const version = String(JSON.parse(readFileSync('package.json', 'utf8')).version);
const sources = {
  version,
  crds: [...crds.values()].map((text) => text.replace(/^#.*\n/, '')).join('---\n'),
  files: parseManifests(
    new Map([
      ...readdirSync('manifests')
        .filter((name) => name.endsWith('.yaml'))
        .map((name): [string, string] => [name, readFileSync(join('manifests', name), 'utf8')]),
      ...generatedFiles,
    ]),
  ),
};

/** Folders that hold nothing else. */
const folders: readonly (readonly [string, ReadonlyMap<string, string>])[] = [
  ['manifests/crds', crds],
  ['charts/millwright', chartFiles(sources)],
  ['kustomize', kustomizeFiles(sources)],
];
const wanted = new Map(
  folders.flatMap(([folder, files]) =>
    [...files].map(([name, text]): [string, string] => [join(folder, name), text]),
  ),
);
wanted.set('docs/install-values.md', valuesReference(version));
wanted.set('docs/metrics.md', metricsReference());
for (const [name, text] of generatedFiles) wanted.set(join('manifests', name), text);

const stale: string[] = [];
for (const path of folders.flatMap(([folder]) => filesIn(folder))) {
  if (wanted.has(path)) continue;
  stale.push(path);
  if (!isCheck) rmSync(path);
}
for (const [path, text] of wanted) {
  if (currentText(path) === text) continue;
  stale.push(path);
  if (isCheck) continue;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
if (isCheck && stale.length > 0) {
  console.error(`not current: ${stale.sort().join(', ')}; run npm run generate`);
  process.exitCode = 1;
} else {
  console.log(`generated: ${wanted.size} files, ${isCheck ? 'all current' : `${stale.length} changed`}`);
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name));
  } catch {
    return [];
  }
}

function currentText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
