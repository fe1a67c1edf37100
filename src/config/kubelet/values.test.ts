import { describe, expect, it } from 'vitest';
import { dropInPaths, mergedConfiguration } from './defaults.ts';
import { flaggedFields, flagProblems, parseFlags } from './flags.ts';
import { configurationProblems, partProblems } from './values.ts';

const texts = (config: object) =>
  configurationProblems({ ...config }).map(
    ({ path, message, certainty }) => `${certainty}: ${path} ${message}`,
  );

describe('a KubeletConfiguration', () => {
  it.each<[object, string]>([
    [{ maxPods: -5 }, 'certain: maxPods must not be negative, but is -5'],
    [{ nodeStatusMaxImages: -2 }, 'certain: nodeStatusMaxImages must be at least -1, but is -2'],
    [
      { cpuManagerPolicy: 'dynamic' },
      'certain: cpuManagerPolicy must be one of none, static, but is "dynamic"',
    ],
    [
      { cpuManagerPolicy: 'static' },
      'doubtful: cpuManagerPolicy is static, which needs CPUs that are reserved: systemReserved, kubeReserved or reservedSystemCPUs',
    ],
    [
      { evictionSoft: { 'memory.available': '1Gi' } },
      'certain: evictionSoft[memory.available] needs a grace period: evictionSoftGracePeriod has no memory.available',
    ],
    [
      { systemReserved: { gpu: '1' } },
      'certain: systemReserved[gpu] cannot be reserved: only cpu, memory, ephemeral-storage and pid can',
    ],
    [
      { memorySwap: { swapBehavior: 'UnlimitedSwap' } },
      'doubtful: memorySwap.swapBehavior must be one of NoSwap, LimitedSwap, but is "UnlimitedSwap"',
    ],
    [
      { crashLoopBackOff: { maxContainerRestartPeriod: '10s' } },
      'doubtful: crashLoopBackOff.maxContainerRestartPeriod needs the feature gate KubeletCrashLoopBackOffMax',
    ],
    [
      { shutdownGracePeriod: '10s', shutdownGracePeriodCriticalPods: '30s' },
      'certain: shutdownGracePeriodCriticalPods must not be longer than shutdownGracePeriod',
    ],
  ])('has a problem: %j', (config, expected) => {
    expect(texts(config)).toEqual([expected]);
  });

  it('has none where it is empty', () => {
    expect(texts({})).toEqual([]);
  });

  it('is judged in part by its own fields only', () => {
    expect(
      partProblems({ evictionSoft: { 'memory.available': '1Gi' }, imageGCHighThresholdPercent: 70 }),
    ).toEqual([]);
    expect(partProblems({ maxPods: -1 })).toHaveLength(1);
  });
});

describe('drop-ins', () => {
  it('may not have a path that is not absolute, which the file of --config may have', () => {
    const problems = (merged: object) =>
      configurationProblems({ ...merged }).map(({ path, message }) => `${path} ${message}`);
    expect(problems(mergedConfiguration({}, [{ podLogsDir: 'logs' }]))).toEqual([
      'podLogsDir must be an absolute path in a drop-in, but is "logs"',
    ]);
    expect(problems(mergedConfiguration({ podLogsDir: '../logs' }, [{ maxPods: 6 }]))).toEqual([]);
    expect(partProblems({ podLogsDir: 'logs' }, { isDropIn: true })).toHaveLength(1);
    expect(partProblems({ podLogsDir: 'logs' })).toEqual([]);
  });

  it('are all files whose name ends in .conf, also hidden ones and those in folders', () => {
    const walked = ['/d/.a.conf', '/d/a/z.conf', '/d/a-b.conf', '/d/b.conf'];
    expect(dropInPaths(['/d/b.conf', '/d/c.yaml', '/d/conf', ...walked.slice(0, 3).reverse()])).toEqual(
      walked,
    );
  });

  it('are merged in their order, by key, and null removes', () => {
    const main = {
      evictionHard: { 'memory.available': '1Gi', 'nodefs.available': '5%' },
      maxPods: 5,
      podsPerCore: 1,
    };
    const merged = mergedConfiguration(main, [
      { evictionHard: { 'memory.available': '2Gi' }, maxPods: 6, podsPerCore: null },
      { maxPods: 7 },
    ]);
    expect(merged).toMatchObject({
      maxPods: 7,
      evictionHard: { 'memory.available': '2Gi', 'nodefs.available': '5%' },
    });
    expect(merged).not.toHaveProperty('podsPerCore');
  });
});

describe('flags', () => {
  it('set fields, the last one of a number and all of a map', () => {
    const flags = parseFlags([
      '--max-pods=5',
      '--max_pods',
      '6',
      '--fail-swap-on',
      '--kube-reserved=cpu=1',
      '--kube-reserved=memory=1Gi,pid=5',
      '-v',
      '2',
    ]);
    expect(flaggedFields(flags)).toEqual({ maxPods: 6, kubeReserved: { cpu: '1', memory: '1Gi', pid: '5' } });
    expect(flags.strays).toEqual([]);
  });

  it('are doubtful where they are unknown, with what follows', () => {
    const problems = flagProblems(parseFlags(['--new', 'a', 'b']));
    expect(problems.map(({ certainty }) => certainty)).toEqual(['doubtful', 'doubtful']);
  });
});
