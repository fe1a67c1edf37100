/**
 * `millwright plan` over files: what it prints in each form, its exit codes, and that it prints no secrets.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CliRun, packageRoot, runCli, transcript } from '../cli/run-cli.ts';
import { schemaProblems } from '../support/json-schema.ts';

const cwd = join(packageRoot, 'test/plan/fixtures');
const goldenOf = (name: string) => join(packageRoot, 'test/golden/plan', `${name}.txt`);
type RunOptions = NonNullable<Parameters<typeof runCli>[1]>;
const plan = (...args: readonly (string | RunOptions)[]) => {
  const words = args.filter((one) => typeof one === 'string');
  const options = args.find((one) => typeof one !== 'string') ?? {};
  return runCli(['plan', '--from', 'cluster', ...words], { cwd, ...options });
};
const schema = JSON.parse(readFileSync(join(packageRoot, 'docs/schemas/plan.schema.json'), 'utf8'));

describe('millwright plan', () => {
  it.each([
    ['reboot', ['-f', 'changes/reboot.yaml']],
    ['reboot-verbose', ['-f', 'changes/reboot.yaml', '--verbose']],
    ['reboot-markdown', ['-f', 'changes/reboot.yaml', '-o', 'markdown']],
    ['live', ['-f', 'changes/live.yaml']],
    ['none', ['-f', 'changes/none.yaml']],
    ['refused', ['-f', 'changes/refused.yaml']],
    ['deleted', ['--delete', 'mc/50-worker-time']],
    ['pool-deleted', ['--delete', 'machineconfigpool/gpu']],
  ])('prints the plan %s', async (name, args) => {
    const run = await plan(...args);
    await expect(transcript(['plan', '--from', 'cluster', ...args], run)).toMatchFileSnapshot(goldenOf(name));
  });

  it('explains itself', async () => {
    const run = await runCli(['help', 'plan']);
    const golden = join(packageRoot, 'test/golden/cli/help-plan.txt');
    await expect(transcript(['help', 'plan'], run)).toMatchFileSnapshot(golden);
  });

  it.each([
    ['no node changes', ['-f', 'changes/none.yaml'], 0],
    ['nodes change without a drain or a reboot', ['-f', 'changes/live.yaml'], 3],
    ['nodes are drained and rebooted', ['-f', 'changes/reboot.yaml'], 4],
    ['the change is refused', ['-f', 'changes/refused.yaml'], 1],
    ['nothing is given', [], 2],
    ['a file does not exist', ['-f', 'changes/absent.yaml'], 2],
    ['an object to delete is no KIND/NAME', ['--delete', 'worker'], 2],
    ['a kind to delete is unknown', ['--delete', 'machinconfig/x'], 2],
  ])('says by its exit code that %s', async (_, args, exitCode) => {
    const run = await plan(...args);
    expect(run.exitCode).toBe(exitCode);
    if (exitCode === 2) expect(run.stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('prints JSON that fits the published schema', async () => {
    const changes = ['reboot', 'live', 'none', 'refused'].map((name) => ['-f', `changes/${name}.yaml`]);
    for (const args of [...changes, ['--delete', 'mcp/gpu', '--delete', 'mc/50-worker-time']]) {
      const { stdout } = await plan(...args, '-o', 'json');
      expect(schemaProblems(schema, JSON.parse(stdout))).toEqual([]);
    }
  });

  it('prints no contents of files that not everybody may read, and no password', async () => {
    for (const form of [['--verbose'], ['-o', 'json'], ['-o', 'markdown']]) {
      const { stdout, stderr } = await plan('-f', 'changes/reboot.yaml', ...form);
      expect(stdout + stderr).toContain('/etc/token');
      expect(stdout + stderr).not.toContain('top-secret');
    }
  });

  it('prints no credentials, wherever in a config they are, and says that it leaves them out', async () => {
    const change = SECRETS.map(secretFile);
    const folder = mkdtempSync(join(tmpdir(), 'millwright-plan-'));
    try {
      const file = join(folder, 'secrets.json');
      writeFileSync(file, JSON.stringify(secretsConfig(change, 'PLANTED')));
      const former = join(folder, 'former.json');
      writeFileSync(former, JSON.stringify(secretsConfig(change, 'FORMER')));
      // Once as new files, and once where nothing but the credentials changes.
      for (const from of [[], ['--from', former]]) {
        for (const form of [['--verbose'], ['-o', 'json'], ['-o', 'markdown']]) {
          const { exitCode, stdout, stderr } = await plan(...from, '-f', file, ...form);
          expect([exitCode, stdout.match(/PLANTED|FORMER/g), stderr]).toEqual([4, null, '']);
          for (const { path } of change) expect(stdout).toContain(path);
        }
      }
      const { stdout } = await plan('--from', former, '-f', file);
      expect(stdout.match(/contents not shown: (credentials|mode 0600)/g)?.length).toBeGreaterThanOrEqual(
        change.length,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('says why contents are not shown that are binary or long', async () => {
    const files = [
      { path: '/etc/binary', contents: { source: 'data:;base64,AAEC' } },
      { path: '/etc/long', contents: { source: `data:,${'x'.repeat(300 * 1024)}` } },
    ];
    const { stdout } = await plan('-f', '-', { stdin: JSON.stringify(aMachineConfig('80-files', files)) });
    expect(stdout).toContain('+ file /etc/binary  (contents not shown: binary, 3 bytes)');
    expect(stdout).toContain('+ file /etc/long  (contents not shown: long, 307200 bytes)');
  });

  it('says nothing about the contents of an empty file', async () => {
    const stdin = JSON.stringify(
      aMachineConfig('80-empty', [{ path: '/etc/empty', contents: { source: '' } }]),
    );
    const { stdout } = await plan('-f', '-', '-v', { stdin });
    expect(stdout).toContain('  + file /etc/empty\n');
  });

  it('shortens long lists of reasons, but not if it is verbose', async () => {
    const files = Array.from({ length: 9 }, (_, index) => ({ path: `/etc/many-${index}` }));
    const stdin = JSON.stringify(aMachineConfig('80-many', files));
    const { stdout } = await plan('-f', '-', { stdin });
    expect(stdout).toContain('    … and 4 reasons more\n');
    expect(stdout).not.toContain('reboot: file /etc/many-5');
    const { stdout: verbose } = await plan('-f', '-', '-v', { stdin });
    expect(verbose).toContain('reboot: file /etc/many-8');
  });

  it('writes Markdown that is whole although a comment has no room for all of it', async () => {
    const files = Array.from({ length: 2_000 }, (_, index) => ({
      path: `/etc/${'many-'.repeat(9)}${index}`,
    }));
    const stdin = JSON.stringify(aMachineConfig('80-many', files));
    const { stdout } = await plan('-f', '-', '-o', 'markdown', { stdin });
    expect(stdout.length).toBeLessThan(65_536);
    expect(stdout.match(/<details>/g)).toHaveLength(stdout.match(/<\/details>/g)?.length ?? 0);
    expect((stdout.match(/^```/gm)?.length ?? 1) % 2).toBe(0);
    expect(stdout).toContain('… and 1980 more');
  });

  it('notes what of the input it does not look at', async () => {
    const stdin = ['Deployment', 'Service', 'Service']
      .map((kind, index) => `apiVersion: v1\nkind: ${kind}\nmetadata: {name: a${index}}\n`)
      .join('---\n');
    expect(await plan('-f', '-', { stdin })).toMatchObject({
      exitCode: 0,
      stderr: 'note: ignored 3 objects that change no config of a node: 1 Deployment, 2 Service\n',
    });
    expect((await plan('-f', '-', { stdin: '' })).stderr).toBe('note: the input has no objects\n');
  });

  it('has a problem with the deletion of an object that does not exist', async () => {
    const { exitCode, stdout } = await plan('--delete', 'mc/50-worker-tmie');
    expect(exitCode).toBe(1);
    expect(stdout).toContain(
      'problem: MachineConfig/50-worker-tmie: does not exist, so it cannot be deleted\n',
    );
  });

  it('takes no empty path for the present directory', async () => {
    expect(await plan('-f', '')).toMatchObject({
      exitCode: 2,
      stderr: 'millwright: an empty path: name a file or a directory\n',
    });
  });

  it('refuses to apply and to delete the same object', async () => {
    const { exitCode, stderr } = await plan('-f', 'changes/live.yaml', '--delete', 'mc/70-worker-policy');
    expect([exitCode, stderr]).toEqual([
      2,
      'millwright: MachineConfig/70-worker-policy is given with -f and with --delete: give it once\n',
    ]);
  });

  it('reads files with the line endings of Windows as others', async () => {
    const text = readFileSync(join(cwd, 'changes/reboot.yaml'), 'utf8');
    const [unix, windows] = await Promise.all(
      [text, text.replaceAll('\n', '\r\n')].map((stdin) => plan('-f', '-', { stdin })),
    );
    expect(windows).toEqual(unix);
  });

  it('uses colours on terminals alone', async () => {
    const escapes = (run: CliRun) => run.stdout.includes('\x1b[');
    expect(escapes(await plan('-f', 'changes/live.yaml'))).toBe(false);
    const terminal = { columns: 40, rows: 20 };
    expect(escapes(await plan('-f', 'changes/live.yaml', { terminal }))).toBe(true);
    const environment = { NO_COLOR: '1' };
    expect(escapes(await plan('-f', 'changes/live.yaml', { terminal, environment }))).toBe(false);
  });

  it('refuses flags for manifests on a cluster', async () => {
    for (const flag of ['--prune', '--with-base']) {
      const run = await runCli(['plan', '-f', 'changes/live.yaml', flag], { cwd });
      expect([run.exitCode, run.stderr.includes(`${flag} is for --from`)]).toEqual([2, true]);
    }
  });
});

type PlantedFile = { readonly path: string; readonly mode?: number; readonly text: string };

/** Where administrators put credentials; `SECRET` stands for one. */
const SECRETS: readonly PlantedFile[] = [
  { path: '/var/lib/kubelet/config.json', text: '{"auths":{"r.example":{"auth":"SECRET"}}}' },
  { path: '/etc/mco/internal-registry-pull-secret.json', text: '{"r.example":{"password":"SECRET"}}' },
  { path: '/etc/pulls', text: '{"auths":{"r.example":{"auth":"SECRET"}}}' },
  { path: '/etc/pki/server.pem', text: '-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----\n' },
  { path: '/etc/ssl/tls.key', text: 'SECRET' },
  { path: '/etc/closed', mode: 0o600, text: 'SECRET' },
  { path: '/etc/app.env', text: 'DEBUG=1\nDB_PASSWORD=SECRET\n' },
  { path: '/etc/proxy.env', text: 'HTTPS_PROXY=https://ann:SECRET@proxy.example:3128\n' },
  { path: '/etc/kubernetes/kubeconfig', text: 'users:\n- user: {token: SECRET}\n' },
];

function secretFile({ path, mode = 0o644, text }: PlantedFile) {
  return { path, mode, text };
}

function secretsConfig(files: readonly Required<PlantedFile>[], secret: string): object {
  const filled = files.map(({ text, ...file }) => ({
    ...file,
    contents: { source: `data:,${encodeURIComponent(text.replaceAll('SECRET', `${secret}0123456789`))}` },
  }));
  const config = aMachineConfig('80-secrets', filled);
  const contents = `[Service]\nEnvironment=API_TOKEN=${secret}0123\nExecStart=/bin/true\n`;
  return {
    ...config,
    spec: {
      kernelArguments: [`rd.luks.passphrase=${secret}0123`],
      config: {
        ...config.spec.config,
        passwd: { users: [{ name: 'core', passwordHash: `$6$salt$${secret}0123456789` }] },
        systemd: { units: [{ name: 'app.service', contents }] },
      },
    },
  };
}

function aMachineConfig(name: string, files: readonly object[]) {
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name, labels: { 'machineconfiguration.openshift.io/role': 'worker' } },
    spec: {
      config: {
        ignition: { version: '3.5.0' },
        storage: { files: files.map((file) => ({ mode: 0o644, ...file })) },
      },
    },
  };
}
