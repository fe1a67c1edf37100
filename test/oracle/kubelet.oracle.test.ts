/**
 * Compares our rules about configurations and flags of kubelets with the functions that a kubelet itself calls before it runs.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  configurationProblems,
  dropInPaths,
  flaggedFields,
  flagProblems,
  mergedConfiguration,
  parseFlags,
  undecodable,
} from '../../src/config/kubelet/index.ts';
import { type KubeletCase, kubeletCases } from './kubelet-cases.ts';
import type { Oracle } from './oracle.ts';
import { withOracle } from './with-oracle.ts';

const HEAD = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
const textOf = (config: object) => JSON.stringify({ ...HEAD, ...config });

/** Whether a kubelet certainly does not start, by our rules. */
function isRefused({ main, dropIns = {}, flags = [] }: KubeletCase): boolean {
  const names = dropInPaths(Object.keys(dropIns));
  const parts = [main, ...names.map((name) => dropIns[name] ?? {})];
  if (parts.some((part) => undecodable(part) !== undefined)) return true;
  const parsed = parseFlags(flags);
  const merged = mergedConfiguration(main, parts.slice(1));
  return [...flagProblems(parsed), ...configurationProblems(merged, flaggedFields(parsed))].some(
    ({ certainty }) => certainty === 'certain',
  );
}

async function refusalOf(oracle: Oracle, { main, dropIns = {}, flags = [] }: KubeletCase): Promise<string> {
  const texts = Object.fromEntries(Object.entries(dropIns).map(([name, config]) => [name, textOf(config)]));
  const answer = await oracle.ask('judge', { main: textOf(main), dropIns: texts, flags });
  return (answer as { problem: string }).problem;
}

/**
 * What a kubelet of 1.33 refuses and we do not. These depend on the version of the kubelet, or on its feature gates, and are doubtful
 * by our rules, or unknown.
 */
const DOUBTFUL: readonly KubeletCase[] = [
  { main: { cpuCFSQuotaPeriod: '500ms' } },
  { main: { cpuCFSQuotaPeriod: '1ms' } },
  { main: { crashLoopBackOff: { maxContainerRestartPeriod: '10s' } } },
  { main: { featureGates: { NoSuchGate: true } } },
  { main: { imagePullCredentialsVerificationPolicy: 'NeverVerify' } },
  { main: { enableSystemLogQuery: true } },
  { main: { runOnce: true } },
  { main: { showHiddenMetricsForVersion: 'x' } },
  { main: {}, flags: ['--no-such-flag=1'] },
  { main: {}, flags: ['--runonce'] },
];

/** Null is no duration in the file of `--config`, where Go has no pointer; in drop-ins and KubeletConfigs it means unset. */
const NULLS: readonly KubeletCase[] = [
  'imageMaximumGCAge',
  'imageMinimumGCAge',
  'shutdownGracePeriod',
  'shutdownGracePeriodCriticalPods',
  'syncFrequency',
  'nodeStatusUpdateFrequency',
].map((name) => ({ main: { [name]: null } }));

/** A drop-in is judged as the file of `--config` is. */
const IN_DROP_INS = DOUBTFUL.filter(({ flags }) => flags === undefined).map(({ main }) => ({
  main: {},
  dropIns: { 'a.conf': main },
}));

const NOT_CAUGHT = [...DOUBTFUL, ...IN_DROP_INS, ...NULLS].map((one) => JSON.stringify(one)).sort();

await withOracle('kubelet', (oracle) => {
  it('refuses no configuration that a kubelet accepts, and misses only what is listed', async () => {
    const wrong: string[] = [];
    const missed = new Set<string>();
    const cases = kubeletCases();
    expect(cases.length).toBeGreaterThan(1_000);
    for (const one of cases) {
      const refusal = await refusalOf(oracle, one);
      if (refusal === '' && isRefused(one)) wrong.push(JSON.stringify(one));
      if (refusal !== '' && !isRefused(one)) missed.add(JSON.stringify(one));
    }
    expect(wrong).toEqual([]);
    expect([...missed].sort()).toEqual(NOT_CAUGHT);
  });

  it('refuses no generated configuration that a kubelet accepts', async () => {
    const values = kubeletCases().flatMap(({ main }) => Object.entries(main));
    const configs = fc
      .array(fc.constantFrom(...values), { maxLength: 4 })
      .map((pairs) => Object.fromEntries(pairs));
    const accepted = configs.filter((config) => undecodable(config) === undefined);
    const cases = fc.record({ main: accepted, dropIn: accepted });
    await fc.assert(
      fc.asyncProperty(cases, async ({ main, dropIn }) => {
        const one = { main, dropIns: { 'a.conf': dropIn } };
        if (isRefused(one)) expect(await refusalOf(oracle, one)).not.toBe('');
      }),
      { numRuns: 300 },
    );
  });

  it('knows all flags of the kubelet', async () => {
    const flags = (await oracle.ask('flags', {})) as readonly { readonly name: string }[];
    expect(flags.length).toBeGreaterThan(100);
    const { given } = parseFlags(flags.map(({ name }) => `--${name}=1`));
    const unknown = flagProblems({ given, strays: [] }).filter(({ certainty }) => certainty === 'doubtful');
    expect(unknown).toEqual([]);
  });
});
