/**
 * Files without which a real kubelet does not start, as pre-flight says of them. Each case ends the kubelet before it touches the
 * machine: its credentials are missing in all of them, and are what it looks for last.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AMachine, aChange, filesOf, judged } from '../support/a-preflight.ts';
import { findProgram } from './programs.ts';

const run = promisify(execFile);
const kubelet = await findProgram('kubelet');
const isRequired = process.env.MILLWRIGHT_REQUIRE_TOOLS === '1';
const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';

describe.skipIf(typeof kubelet !== 'string' && !isRequired)('a kubelet', () => {
  let folder = '';
  const program = String(kubelet);
  const at = (name: string) => join(folder, name);

  beforeAll(async () => {
    if (typeof kubelet !== 'string') throw new Error(kubelet.unavailable);
    folder = await mkdtemp(join(tmpdir(), 'kubelet-files-'));
    await writeFile(at('ok.yaml'), HEAD);
    await writeFile(at('ca.yaml'), CA_MISSING);
  });

  afterAll(async () => {
    if (folder !== '') await rm(folder, { recursive: true, force: true });
  });

  const CA_MISSING = `${HEAD}authentication:\n  x509:\n    clientCAFile: /none/ca.crt\n`;

  async function startProblem(flags: readonly string[]): Promise<string> {
    const all = [
      ...flags,
      `--cert-dir=${at('pki')}`,
      `--root-dir=${at('root')}`,
      '--kubeconfig=/none/kubeconfig',
    ];
    const { stderr } = await run(program, all, { timeout: 30_000 }).catch(
      (error: { readonly stderr: string }) => error,
    );
    return /"command failed" err="(.*)"/.exec(stderr)?.[1] ?? '';
  }

  /** On a machine whose kubelet runs with files that are there. */
  function refusalsOf(
    flags: readonly string[],
    written: { readonly [path: string]: string },
  ): readonly string[] {
    const unit = (given: readonly string[]) => `[Service]\nExecStart=${program} ${given.join(' ')}\n`;
    const machine: AMachine = {
      paths: [program, at('ok.yaml'), at('ca.yaml'), '/etc/kubeconfig'],
      files: {
        '/usr/lib/systemd/system/kubelet.service': unit([
          `--config=${at('ok.yaml')}`,
          '--kubeconfig=/etc/kubeconfig',
        ]),
        [at('ok.yaml')]: HEAD,
      },
    };
    const units = [
      {
        name: 'kubelet.service',
        dropins: [{ name: 'a.conf', contents: unit(flags).replace('ExecStart', 'ExecStart=\nExecStart') }],
      },
    ];
    return judged(aChange({}, { ...filesOf(written), systemd: { units } }), machine).refusals;
  }

  it.each<[string, (at: (name: string) => string) => readonly string[], RegExp, RegExp]>([
    [
      'the file of --config',
      () => ['--config=/none/config.yaml', '--kubeconfig=/etc/kubeconfig'],
      /open \/none\/config\.yaml: no such file or directory$/,
      /its --config is \/none\/config\.yaml, which neither/,
    ],
    [
      'the folder of --config-dir',
      (place) => [`--config=${place('ok.yaml')}`, '--config-dir=/none/d', '--kubeconfig=/etc/kubeconfig'],
      /lstat \/none\/d: no such file or directory$/,
      /its --config-dir is \/none\/d, which neither/,
    ],
    [
      'the certificates of its clients',
      (place) => [`--config=${place('ca.yaml')}`, '--kubeconfig=/etc/kubeconfig'],
      /unable to load client CA file \/none\/ca\.crt/,
      /clientCAFile is \/none\/ca\.crt, which neither/,
    ],
    [
      'its credentials',
      (place) => [`--config=${place('ok.yaml')}`, '--kubeconfig=/none/kubeconfig'],
      /invalid kubeconfig: stat \/none\/kubeconfig/,
      /its --kubeconfig is \/none\/kubeconfig, which neither/,
    ],
    [
      'its credentials and those to get some with',
      (place) => [
        `--config=${place('ok.yaml')}`,
        '--kubeconfig=/none/kubeconfig',
        '--bootstrap-kubeconfig=/none/b',
      ],
      /unable to load bootstrap kubeconfig: stat \/none\/b/,
      /its --kubeconfig is \/none\/kubeconfig and its --bootstrap-kubeconfig is \/none\/b, which neither/,
    ],
  ])('does not start without %s, and is refused', async (_, flagsAt, said, refused) => {
    const flags = flagsAt(at);
    expect(await startProblem(flags)).toMatch(said);
    expect(refusalsOf(flags, { [at('ca.yaml')]: CA_MISSING })).toContainEqual(expect.stringMatching(refused));
  });
});
