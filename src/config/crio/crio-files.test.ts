import { describe, expect, it } from 'vitest';
import { type CrioFile, mergeCrioFiles, parseCrioFile } from './crio-files.ts';
import { crioValueProblems } from './crio-values.ts';

function parsed(text: string): CrioFile {
  const found = parseCrioFile(text);
  if (found.kind === 'broken') throw new Error(found.problem);
  return found.file;
}
const merged = (texts: readonly string[], version: string | undefined = '1.34.0') =>
  mergeCrioFiles(texts.map(parsed), version);

describe('a file of CRI-O', () => {
  it.each([
    ['[crio.runtime\nsecret = 1\n', /^it is not TOML \(line 1, column \d+\)$/],
    ['crio = 5\n', /^crio must be a table$/],
    ['[crio]\nruntime = "x"\n', /^crio\.runtime must be a table$/],
    ['[crio.runtime]\npids_limit = "10"\n', /^crio\.runtime\.pids_limit must be a number without quotes$/],
    ['[crio.api]\nstream_port = 0\n', /^crio\.api\.stream_port must be a text in quotes$/],
    ['[crio.runtime]\nselinux = "true"\n', /^crio\.runtime\.selinux must be true or false, without quotes$/],
    [
      '[crio.network]\nplugin_dirs = "/a"\n',
      /^crio\.network\.plugin_dirs must be a list of texts, as \["a", "b"\]$/,
    ],
    ['[crio.runtime]\nHooks_Dir = "/a"\n', /^crio\.runtime\.hooks_dir must be a list of texts/],
    ['[crio]\nroot = 1979-05-27\n', /^crio\.root must be a text in quotes$/],
    ['[crio.runtime.runtimes]\nrunc = "x"\n', /^crio\.runtime\.runtimes\.runc must be a table$/],
    [
      '[crio.runtime.runtimes.runc]\nruntime_path = 5\n',
      /^crio\.runtime\.runtimes\.runc\.runtime_path must be a text in quotes$/,
    ],
  ])('cannot be read, without its contents in the message: %j', (text, problem) => {
    const found = parseCrioFile(text);
    expect(found.kind === 'broken' ? found.problem : '').toMatch(problem);
  });

  it.each([
    '',
    '[crio.runtime]\npids_limit = 9223372036854775807\n',
    '[crio.runtime]\nof_a_later_version = ["a"]\n',
    '[crio.of_a_later_version]\na = 1\n',
    '[other]\na = 1\n',
    '[crio.runtime]\nruntimes = "x"\n',
  ])('can be read: %j', (text) => {
    expect(parseCrioFile(text).kind).toBe('file');
  });
});

describe('files of CRI-O together', () => {
  it('have the last value of each field, and whole tables of runtimes', () => {
    const { tables, runtimes, defaultRuntime } = merged([
      '[crio.runtime]\nlog_level = "info"\npids_limit = 1\n[crio.runtime.runtimes.a]\nruntime_path = "/a"\n',
      '[crio.runtime]\nlog_level = "debug"\n[crio.runtime.runtimes.a]\nmonitor_path = "/m"\n[crio.runtime.runtimes.b]\n',
    ]);
    expect(tables.get('runtime')?.get('log_level')).toBe('debug');
    expect(tables.get('runtime')?.get('pids_limit')).toBe(1);
    expect(defaultRuntime).toBe('crun');
    expect([...runtimes.keys()]).toEqual(['crun', 'a', 'b']);
    expect(runtimes.get('a')).toMatchObject({ path: '', monitorPath: '/m' });
  });

  it.each([
    ['1.34.0', 'crun'],
    ['1.31.0-dev', 'crun'],
    ['1.30.9', 'runc'],
    ['v1.26.1', 'runc'],
    [undefined, undefined],
    ['unknown', undefined],
  ])('of version %s have the runtime %s where none of them names one', (version, runtime) => {
    const { defaultRuntime, isDefaultSet } = mergeCrioFiles([], version);
    expect({ defaultRuntime, isDefaultSet }).toEqual({ defaultRuntime: runtime, isDefaultSet: false });
  });

  it('fall back to that runtime where the last one names none', () => {
    const texts = ['[crio.runtime]\ndefault_runtime = "a"\n', '[crio.runtime]\ndefault_runtime = ""\n'];
    expect(merged(texts)).toMatchObject({ defaultRuntime: 'crun', isDefaultSet: false });
  });
});

describe('values of CRI-O', () => {
  it.each([
    ['[crio.runtime]\ncgroup_manager = "x"\n', 'cgroup_manager is "x", and must be one of systemd, cgroupfs'],
    [
      '[crio.runtime]\nlog_level = "loud"\n',
      'log_level is "loud", and must be one of fatal, panic, error, warn, warning, info, debug, trace',
    ],
    ['[crio.image]\nimage_volumes = ""\n', 'image_volumes is "", and must be one of mkdir, bind, ignore'],
    ['[crio.runtime]\nlog_size_max = 100\n', 'log_size_max is 100, and must be -1 or at least 8192'],
    [
      '[crio.runtime]\ndefault_runtime = "kata"\n',
      'default_runtime is "kata", and no file has a table [crio.runtime.runtimes.kata]',
    ],
    [
      '[crio.runtime.runtimes.crun]\nruntime_type = "x"\n',
      'runtime_type of the default runtime crun is "x", and must be oci, vm or pod',
    ],
    ['[crio.runtime]\nconmon_cgroup = "x"\n', 'conmon_cgroup is "x", and must be pod or end in .slice'],
    [
      '[crio.runtime]\ncgroup_manager = "cgroupfs"\n[crio.runtime.runtimes.crun]\nmonitor_cgroup = "a.slice"\n',
      'monitor_cgroup is "a.slice", and must be pod or empty with the cgroup_manager cgroupfs',
    ],
    [
      '[crio.api]\nstream_enable_tls = true\nstream_tls_key = "/k"\n',
      'stream_enable_tls is true, and needs stream_tls_cert',
    ],
  ])('keep it from starting: %j', (text, problem) => {
    expect(crioValueProblems(merged([text]))).toEqual([problem]);
  });

  it.each([
    '',
    '[crio.runtime]\nlog_level = "DEBUG"\nlog_size_max = -1\n',
    '[crio.runtime]\ncgroup_manager = "cgroupfs"\nconmon_cgroup = "pod"\n',
    '[crio.runtime]\ncgroup_manager = "cgroupfs"\nconmon_cgroup = "system.slice"\n',
    '[crio.runtime]\nconmon_cgroup = "crio.slice"\n',
    '[crio.runtime.runtimes.crun]\nruntime_type = "vm"\nmonitor_cgroup = "x"\n',
    '[crio.runtime.runtimes.kata]\nruntime_type = "x"\nmonitor_cgroup = "x"\n',
  ])('let it start: %j', (text) => {
    expect(crioValueProblems(merged([text]))).toEqual([]);
  });

  it('are not judged by the runtime that only another version has itself', () => {
    const text = '[crio.runtime]\ndefault_runtime = "runc"\n';
    expect(crioValueProblems(mergeCrioFiles([parsed(text)], undefined))).toEqual([]);
    expect(crioValueProblems(merged([text], '1.30.0'))).toEqual([]);
    expect(crioValueProblems(merged([text], '1.31.0'))).toHaveLength(1);
    const other = '[crio.runtime]\ndefault_runtime = "kata"\n';
    expect(crioValueProblems(mergeCrioFiles([parsed(other)], undefined))).toHaveLength(1);
  });
});
