import { describe, expect, it } from 'vitest';
import { failureText, pinnedText } from '../../scripts/sim/failure-text.ts';
import { LastLines } from '../../scripts/sim/last-lines.ts';
import { durationText, Progress } from '../../scripts/sim/progress.ts';
import { parseSimOptions, replayCommand } from '../../scripts/sim/sim-options.ts';
import { aScenario, MINUTE } from './pinned-scenario.ts';

describe('the options of npm run sim', () => {
  it('have defaults', () => {
    expect(parseSimOptions([])).toMatchObject({
      from: 1,
      seeds: 200,
      mix: {},
      isTraced: false,
      isShrunk: true,
    });
    expect(parseSimOptions(['--check-determinism'])).toMatchObject({
      seeds: 100,
      isDeterminismChecked: true,
    });
    expect(parseSimOptions(['--help'])).toBeUndefined();
  });

  it('are all taken', () => {
    const args = ['--from', '5', '--seeds', '7', '--nodes', '9', '--faults', 'crash,network', '--jobs', '3'];
    expect(parseSimOptions([...args, '--minutes', '8', '--trace', '--no-shrink'])).toEqual({
      ...{ from: 5, seeds: 7, jobs: 3, isTraced: true, isShrunk: false, isDeterminismChecked: false },
      mix: { nodes: 9, faults: ['crash', 'network'], minutes: 8 },
    });
    expect(parseSimOptions(['--faults', 'none'])?.mix).toEqual({ faults: [] });
  });

  it.each([
    [['--seeds', '0'], '--seeds takes a whole number from 1'],
    [['--seeds', '1e3'], 'not "1e3"'],
    [['--minutes', '0'], '--minutes takes a whole number from 1 to 1440'],
    [['--jobs', '-1'], "'--jobs' argument is ambiguous"],
    [['--faults', 'crash,fire'], 'there is no "fire"; known are crash, clock'],
    [['--sedes', '3'], "Unknown option '--sedes'"],
    [['7'], 'Unexpected argument'],
  ])('are refused where they are wrong: %j', (args, message) => {
    expect(() => parseSimOptions(args)).toThrow(message);
  });

  it('are part of the command that replays a seed', () => {
    expect(replayCommand(7, {})).toBe('npm run sim -- --from 7 --seeds 1 --trace');
    expect(replayCommand(7, { nodes: 3, faults: ['disk'], minutes: 8 })).toBe(
      'npm run sim -- --from 7 --seeds 1 --nodes 3 --faults disk --minutes 8 --trace',
    );
    expect(replayCommand(7, { faults: [] })).toContain('--faults none');
  });
});

const SCENARIO = aScenario({
  seed: 7,
  steps: [{ atMs: 2 * MINUTE + 500, kind: 'cordon', node: 'worker-1', isCordoned: true }],
});

describe('a failure', () => {
  const violations = Array.from({ length: 7 }, (_, index) => ({
    atMs: 1_500 * index,
    checker: 'claims',
    text: `mistake ${index}`,
  }));
  const result = { seed: 7, violations, scenario: SCENARIO, traceHash: 'ab', cpuMs: 1 };

  it('says where it is, what happened, and how to see it again', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `${index}.000 line`);
    const text = failureText({ ...result, lines }, { commit: 'abc', replay: 'npm run sim -- --from 7' });
    expect(text.split('\n').slice(0, 8)).toEqual([
      'seed 7 fails at commit abc',
      '  nodes: worker-0, worker-1, worker-2',
      '  applications: web (2, at least 1), batch (2)',
      '  steps, and peace after 15 minutes:',
      '      0:00 apply config {"name":"50-change","role":"worker","content":{"kind":"kernel argument","value":"app=1"}}',
      '      2:01 cordon {"node":"worker-1","isCordoned":true}',
      '  violations:',
      '    0.0 claims: mistake 0',
    ]);
    expect(text).toContain('    and 2 more\n  the trace up to the first of them:\n    15.000 line\n');
    expect(text).toContain('    39.000 line\n  replay: npm run sim -- --from 7\n');
  });

  it('becomes a file that can be pinned, with the scenario as it is', () => {
    const text = pinnedText(SCENARIO, { atMs: 1, checker: 'claims', text: 'worker-0\'s disk\nis "empty"' });
    expect(text).toContain("  name: 'seed 7: claims',\n  found: 'worker-0\\'s disk\\nis \"empty\"',\n");
    const literal = /scenario: (.*),\n\};$/s.exec(text)?.[1] ?? '';
    expect(new Function(`return ${literal}`)()).toEqual(SCENARIO);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(130);
  });
});

describe('the lines that led to a failure', () => {
  it('end with the first violation, and are not of Leases', () => {
    const last = new LastLines();
    for (let count = 0; count < 200; count++) {
      last.take(`${count}.000 line`);
      last.take(`${count}.000 1 put coordination.k8s.io/leases/a/b`);
    }
    last.take('200.000 VIOLATION claims: a');
    last.take('201.000 VIOLATION claims: b');
    expect([last.lines.length, ...last.lines.slice(-2)]).toEqual([
      60,
      '199.000 line',
      '200.000 VIOLATION claims: a',
    ]);
  });
});

describe('the progress', () => {
  function aProgress(isTTY: boolean) {
    const written: string[] = [];
    let nowMs = 0;
    const output = { isTTY, write: (text: string) => written.push(text) };
    const progress = new Progress({ total: 4, output, nowMs: () => nowMs });
    const step = (isFailed = false) => {
      nowMs += 20_000;
      progress.add({ isFailed });
    };
    return { progress, written, step };
  }

  it('is a bar on a terminal', () => {
    const { progress, written, step } = aProgress(true);
    step();
    step(true);
    progress.clear();
    expect(written).toEqual([
      `\r[#######${'-'.repeat(23)}] 1 of 4 seeds, 20 s, about 1:00 left\x1b[K`,
      `\r[${'#'.repeat(15)}${'-'.repeat(15)}] 2 of 4 seeds, 1 failed, 40 s, about 40 s left\x1b[K`,
      '\r\x1b[K',
    ]);
  });

  it('is a line now and then elsewhere', () => {
    const { progress, written, step } = aProgress(false);
    for (let count = 0; count < 4; count++) step();
    progress.clear();
    expect(written).toEqual([
      '2 of 4 seeds, 40 s, about 40 s left\n',
      '4 of 4 seeds, 1:20, about 0 s left\n',
    ]);
  });

  it('writes durations as people do', () => {
    expect([12_300, 65_000, 3_723_000].map(durationText)).toEqual(['12 s', '1:05', '1:02:03']);
  });
});
