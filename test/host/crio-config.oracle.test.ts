/**
 * Compares what pre-flight says of CRI-O's configuration with a real CRI-O: which files it cannot read, and with which of them, and
 * without which programs, it does not start. As root, since CRI-O wants to be.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CRIO_FIELDS, parseCrioFile } from '../../src/config/crio/index.ts';
import { findCrioProgram } from '../kubernetes/programs.ts';
import { aChange, filesOf, judged } from '../support/a-preflight.ts';

const run = promisify(execFile);
const [crio, pinns] = await Promise.all([findCrioProgram('crio'), findCrioProgram('pinns')]);
const isHere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
const CONMON = '/usr/bin/conmon';
const RUNC = '/usr/sbin/runc';
const canRun =
  process.getuid?.() === 0 &&
  typeof crio === 'string' &&
  typeof pinns === 'string' &&
  (await isHere(CONMON)) &&
  (await isHere(RUNC));
const isRequired = process.env.MILLWRIGHT_REQUIRE_TOOLS === '1';

type Files = { readonly [path: string]: string };

describe.skipIf(!canRun && !isRequired)('a configuration of CRI-O', { timeout: 300_000 }, () => {
  let folder = '';
  let count = 0;
  const at = (...names: readonly string[]) => join(folder, ...names);
  const program = String(crio);

  beforeAll(async () => {
    if (typeof crio !== 'string' || typeof pinns !== 'string') throw new Error('there is no CRI-O');
    folder = await mkdtemp(join(tmpdir(), 'crio-config-'));
    for (const name of ['bin', 'elsewhere', 'cni', 'hooks']) await mkdir(at(name));
    // CRI-O needs it for its network, whatever its configuration is.
    await symlink('/usr/bin/nsenter', at('bin/nsenter'));
    await symlink(CONMON, at('bin/conmon'));
    await symlink(pinns, at('bin/pinns'));
    await symlink(RUNC, at('bin/runc'));
    for (const name of ['kata', 'conmon']) {
      await writeFile(at('elsewhere', name), `#!/bin/sh\nexec ${name === 'conmon' ? CONMON : RUNC} "$@"\n`);
      await chmod(at('elsewhere', name), 0o755);
    }
    await writeFile(at('policy.json'), '{"default": [{"type": "insecureAcceptAnything"}]}');
    await writeFile(at('registries.conf'), '');
  });

  afterAll(async () => {
    if (folder !== '') await rm(folder, { recursive: true, force: true });
  });

  /** A folder of drop-ins. */
  async function writeDropIns(files: Files): Promise<string> {
    const place = at(`${++count}`, 'conf.d');
    await mkdir(place, { recursive: true });
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(place, name)), { recursive: true });
      await writeFile(join(place, name), text);
    }
    return place;
  }

  /** Why CRI-O does not read a file; empty where it does. */
  async function decodeProblem(text: string): Promise<string> {
    const place = await writeDropIns({ a: text });
    const args = ['--config', '', '--config-dir', place, 'config'];
    return await run(program, args).then(
      () => '',
      (error: { readonly stderr?: string }) => /level=fatal msg=.*/.exec(error.stderr ?? '')?.[0] ?? 'failed',
    );
  }

  const GOOD = { text: '""', number: '-1', boolean: 'false', texts: '[]' };
  const BAD = {
    text: ['5', 'true', '["a"]'],
    number: ['"5"', 'true'],
    boolean: ['"true"', '1'],
    texts: ['"a"', '[1]'],
  };
  const SPECIAL: Files = { log_level: '"info"', image_volumes: '"mkdir"', pause_image: '"example.com/a:1"' };
  const fields = [...CRIO_FIELDS].flatMap(([table, types]) =>
    [...types].map(([name, type]) => ({ header: `[crio${table === '' ? '' : `.${table}`}]`, name, type })),
  );

  it('is read with values of the right types', async () => {
    const text = [...CRIO_FIELDS]
      .map(([table, types]) => {
        const lines = [...types].map(([name, type]) => `${name} = ${SPECIAL[name] ?? GOOD[type]}`);
        return `[crio${table === '' ? '' : `.${table}`}]\n${lines.join('\n')}\n`;
      })
      .join('');
    expect(await decodeProblem(text)).toBe('');
    expect(parseCrioFile(text).kind).toBe('file');
  });

  it('is not read with a value of another type, of any field that is known here', async () => {
    expect(fields.length).toBeGreaterThan(70);
    for (const { header, name, type } of fields) {
      for (const value of BAD[type]) {
        const text = `${header}\n${name} = ${value}\n`;
        expect([text, await decodeProblem(text)]).toEqual([
          text,
          expect.stringMatching(/incompatible types|type mismatch/),
        ]);
        expect([text, parseCrioFile(text)]).toEqual([
          text,
          { kind: 'broken', problem: expect.stringContaining(`${name} must be `) },
        ]);
      }
    }
  });

  it.each([
    '',
    '# nothing\n',
    '[crio.unknown]\na = 5\n',
    'crio = 5\n',
    '[crio]\nruntime = "x"\n',
    '[crio.runtime]\nruntimes = "x"\n',
    '[crio.runtime.runtimes]\nrunc = "x"\n',
    '[crio.runtime.runtimes.runc]\nruntime_path = 5\n',
    '[crio.runtime.runtimes.runc]\nmonitor_env = "x"\n',
    '[crio.runtime.runtimes.runc]\nallowed_annotations = [1]\n',
    '[crio.runtime.runtimes.runc]\nprivileged_without_host_devices = "true"\n',
    '[crio.runtime]\nPids_Limit = "x"\n',
    '[Crio.Runtime]\npids_limit = "x"\n',
    '[crio.runtime]\npids_limit = 9223372036854775807\n',
    '[crio.runtime]\nunknown = "x"\n',
    '[crio.runtime\n',
    '[crio.runtime]\na = 1\na = 2\n',
  ])('is read by both or by none: %j', async (text) => {
    expect(parseCrioFile(text).kind).toBe((await decodeProblem(text)) === '' ? 'file' : 'broken');
  });

  /** As a node has it, without a runtime. */
  const mainText = () => `[crio]
root = "${at('root')}"
runroot = "${at('run')}"
storage_driver = "vfs"
log_dir = "${at('log')}"
version_file = "${at('version')}"
clean_shutdown_file = "${at('clean')}"
[crio.api]
listen = "${at(`${count}`, 'crio.sock')}"
stream_port = "0"
[crio.runtime]
conmon_cgroup = "pod"
cgroup_manager = "cgroupfs"
namespaces_dir = "${at('ns')}"
hooks_dir = ["${at('hooks')}"]
container_exits_dir = "${at('exits')}"
container_attach_socket_dir = "${at('attach')}"
apparmor_profile = "unconfined"
disable_hostport_mapping = true
[crio.image]
signature_policy = "${at('policy.json')}"
signature_policy_dir = "${at('policies')}"
[crio.network]
network_dir = "${at('cni')}"
plugin_dirs = ["${at('cni')}"]
`;

  /** Why CRI-O does not start; empty once it serves. */
  async function startProblem(conf: string, place: string): Promise<string> {
    const daemon = spawn(program, ['--config', conf, '--config-dir', place], {
      env: { PATH: at('bin'), CONTAINERS_REGISTRIES_CONF: at('registries.conf') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const ended = once(daemon, 'close');
    const isServing = new Promise<boolean>((resolve) => {
      for (const stream of [daemon.stdout, daemon.stderr]) {
        stream.on('data', (chunk) => {
          output += chunk;
          if (output.includes('Starting seccomp notifier watcher') || output.includes('CNI monitoring event'))
            resolve(true);
        });
      }
      void ended.then(() => resolve(false));
    });
    if (!(await isServing)) return /level=fatal msg=.*/.exec(output)?.[0] ?? output;
    daemon.kill('SIGTERM');
    await ended;
    return '';
  }

  /** The drop-in that the machine runs with. */
  const REPLACED = '00-default';

  /** What pre-flight says of the drop-ins, on a machine that runs with a valid one. */
  async function refusalsOf(conf: string, place: string, files: Files): Promise<readonly string[]> {
    const written = Object.fromEntries(
      Object.entries(files).map(([name, text]) => [join(place, name), text]),
    );
    const paths: string[] = [program, RUNC, CONMON, conf];
    for (const name of ['bin/runc', 'bin/conmon', 'bin/pinns', 'elsewhere/kata', 'elsewhere/conmon'])
      paths.push(at(name));
    const unit = `[Service]\nEnvironment=PATH=${at('bin')}\nExecStart=${program} --config ${conf} --config-dir ${place}\n`;
    const runs = `[crio.runtime]\ndefault_runtime = "runc"\n[crio.runtime.runtimes.runc]\nruntime_path = "${RUNC}"\n`;
    const { refusals } = judged(aChange({}, filesOf(written)), {
      runtime: 'cri-o',
      runtimeVersion: '1.34.0',
      paths,
      files: {
        '/usr/lib/systemd/system/crio.service': unit,
        [conf]: mainText(),
        [join(place, REPLACED)]: runs,
      },
    });
    return refusals;
  }

  const runtime = (name: string, lines: string) => `[crio.runtime.runtimes.${name}]\n${lines}\n`;
  const RUNC_DEFAULT = `[crio.runtime]\ndefault_runtime = "runc"\n${runtime('runc', '')}`;
  const inRuntime = (line: string) =>
    `${RUNC_DEFAULT}[crio.runtime.x]\n`.replace('[crio.runtime]\n', `[crio.runtime]\n${line}\n`);
  const other = (lines: string) => `${RUNC_DEFAULT}${runtime('kata', lines)}`;
  const ELSEWHERE = 'ELSEWHERE';

  it.each<[string, 'starts' | 'fails', Files]>([
    ['replaces the file that set the default runtime', 'fails', { '00-default': '[crio.image]\n' }],
    ['has a runtime in PATH', 'starts', { a: RUNC_DEFAULT }],
    ['has a runtime in PATH that is not its own default', 'fails', { a: runtime('runc', '') }],
    ['names a runtime without a table', 'fails', { a: '[crio.runtime]\ndefault_runtime = "runc"\n' }],
    [
      'names a runtime whose table is in another file',
      'starts',
      { a: runtime('runc', ''), b: '[crio.runtime]\ndefault_runtime = "runc"\n' },
    ],
    [
      'has a runtime with a path',
      'starts',
      { a: `[crio.runtime]\ndefault_runtime = "x"\n${runtime('x', `runtime_path = "${RUNC}"`)}` },
    ],
    [
      'has a runtime with a path that is not there',
      'fails',
      { a: `[crio.runtime]\ndefault_runtime = "x"\n${runtime('x', 'runtime_path = "/none/x"')}` },
    ],
    [
      'has a runtime that is not in PATH',
      'fails',
      { a: `[crio.runtime]\ndefault_runtime = "kata"\n${runtime('kata', '')}` },
    ],
    ['has the built-in runtime with a path', 'starts', { a: runtime('crun', `runtime_path = "${RUNC}"`) }],
    [
      'names the built-in runtime by an empty text',
      'fails',
      { a: RUNC_DEFAULT, b: '[crio.runtime]\ndefault_runtime = ""\n' },
    ],
    [
      'writes the name of a field in another case',
      'starts',
      { a: `[crio.runtime]\nDefault_Runtime = "runc"\n${runtime('runc', '')}` },
    ],
    [
      'names the runtime in another case',
      'fails',
      { a: `[crio.runtime]\ndefault_runtime = "RUNC"\n${runtime('runc', '')}` },
    ],
    [
      'replaces the table that has the path',
      'fails',
      {
        a: `[crio.runtime]\ndefault_runtime = "kata"\n${runtime('kata', `runtime_path = "${ELSEWHERE}/kata"`)}`,
        b: runtime('kata', 'monitor_cgroup = "pod"'),
      },
    ],
    [
      'keeps the table that has the path',
      'starts',
      {
        a: `[crio.runtime]\ndefault_runtime = "kata"\n${runtime('kata', `runtime_path = "${ELSEWHERE}/kata"`)}`,
        b: runtime('other', 'monitor_cgroup = "pod"'),
      },
    ],
    [
      'is in the order of a walk, the wrong one last',
      'fails',
      { 'a/z': RUNC_DEFAULT, 'a-b': '[crio.runtime]\ndefault_runtime = "x"\n' },
    ],
    [
      'is in the order of a walk, the right one last',
      'starts',
      { 'a/z': '[crio.runtime]\ndefault_runtime = "x"\n', 'a-b': RUNC_DEFAULT },
    ],
    ['is hidden', 'starts', { '.a': RUNC_DEFAULT }],
    ['has another runtime without its program', 'starts', { a: other('runtime_path = "/none/x"') }],
    [
      'has another runtime of no type',
      'starts',
      { a: other(`runtime_path = "${RUNC}"\nruntime_type = "x"`) },
    ],
    ['has a default runtime of no type', 'fails', { a: `${RUNC_DEFAULT}runtime_type = "x"\n` }],
    [
      'has another runtime without its monitor',
      'fails',
      { a: other(`runtime_path = "${RUNC}"\nmonitor_path = "/none/conmon"`) },
    ],
    [
      'has another runtime with neither program nor monitor',
      'starts',
      { a: other('runtime_path = "/none/x"\nmonitor_path = "/none/conmon"') },
    ],
    ['has a monitor elsewhere', 'starts', { a: `${RUNC_DEFAULT}monitor_path = "${ELSEWHERE}/conmon"\n` }],
    ['has a monitor that is not there', 'fails', { a: `${RUNC_DEFAULT}monitor_path = "/none/conmon"\n` }],
    ['has a monitor by its name', 'fails', { a: `${RUNC_DEFAULT}monitor_path = "conmon"\n` }],
    [
      'has a conmon elsewhere, whatever the runtime says',
      'starts',
      {
        a: `${inRuntime(`conmon = "${ELSEWHERE}/conmon"`)}${runtime('b', `runtime_path = "${RUNC}"\nmonitor_path = "/none"`)}`,
      },
    ],
    ['has a conmon that is not there', 'fails', { a: inRuntime('conmon = "/none/conmon"') }],
    ['has a pinns that is not there', 'fails', { a: inRuntime('pinns_path = "/none/pinns"') }],
    ['has no such cgroup manager', 'fails', { a: inRuntime('cgroup_manager = "x"') }],
    ['has an empty cgroup manager', 'fails', { a: inRuntime('cgroup_manager = ""') }],
    ['has a slice with cgroupfs', 'fails', { a: inRuntime('conmon_cgroup = "a.slice"') }],
    ['has the default slice with cgroupfs', 'starts', { a: inRuntime('conmon_cgroup = "system.slice"') }],
    [
      'has no slice with systemd',
      'fails',
      { a: inRuntime('cgroup_manager = "systemd"\nconmon_cgroup = "x"') },
    ],
    [
      'has the cgroup of a monitor that is none',
      'fails',
      {
        a: `${inRuntime('conmon_cgroup = ""')}${runtime('x', '')}`.replace(
          runtime('runc', ''),
          runtime('runc', 'monitor_cgroup = "x"'),
        ),
      },
    ],
    ['has no such level', 'fails', { a: inRuntime('log_level = "loud"') }],
    ['has a level in capitals', 'starts', { a: inRuntime('log_level = "DEBUG"') }],
    ['has an empty level', 'fails', { a: inRuntime('log_level = ""') }],
    ['has logs that are too small', 'fails', { a: inRuntime('log_size_max = 8191') }],
    ['has logs that are just large enough', 'starts', { a: inRuntime('log_size_max = 8192') }],
    ['has logs without a limit', 'starts', { a: inRuntime('log_size_max = -1') }],
    [
      'has no such kind of image volumes',
      'fails',
      { a: `${RUNC_DEFAULT}[crio.image]\nimage_volumes = "x"\n` },
    ],
    [
      'has a kind of image volumes',
      'starts',
      { a: `${RUNC_DEFAULT}[crio.image]\nimage_volumes = "ignore"\n` },
    ],
    [
      'has TLS without a certificate',
      'fails',
      { a: `${RUNC_DEFAULT}[crio.api]\nstream_enable_tls = true\n` },
    ],
  ])('that %s: CRI-O %s, and so says pre-flight', async (_, expected, given) => {
    const files = Object.fromEntries(
      Object.entries({ [REPLACED]: '', ...given }).map(([name, text]) => [
        name,
        text.replaceAll(ELSEWHERE, at('elsewhere')),
      ]),
    );
    const place = await writeDropIns(files);
    const conf = at(`${count}`, 'crio.conf');
    await writeFile(conf, mainText());
    const problem = await startProblem(conf, place);
    expect(problem === '' ? 'starts' : 'fails', problem).toBe(expected);
    const refusals = await refusalsOf(conf, place, files);
    expect(refusals.length > 0 ? 'fails' : 'starts', refusals.join('\n')).toBe(expected);
  });
});
