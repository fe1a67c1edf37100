/**
 * The commands of a machine that is not there: called by name with their arguments, they note them and behave.
 *
 *     MACHINE=FOLDER node machine-commands.mjs rpm-ostree status --json
 *
 * In the folder: `root`, the root of the machine; `state.json`, what its OS is; `log`, one line per call.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv, env, exit, stderr, stdout } from 'node:process';

const folder = env.MACHINE ?? '';
const root = join(folder, 'root');
const [, , command = '', ...args] = argv;
appendFileSync(join(folder, 'log'), `${JSON.stringify([command, ...args])}\n`);

const state = JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8'));
const save = () => writeFileSync(join(folder, 'state.json'), JSON.stringify(state));
const inRoot = (path) => join(root, path);
const text = (path) => (existsSync(inRoot(path)) ? readFileSync(inRoot(path), 'utf8') : '');
const fail = (message, code = 1) => {
  stderr.write(message);
  exit(code);
};

const next = () => state.staged ?? state.booted;
const stage = (change) => {
  state.staged = { ...next(), ...change };
  save();
};
const REGISTRY = 'ostree-unverified-registry:';
const STORAGE = 'ostree-unverified-image:containers-storage:';

function statusJson() {
  const rows = [
    ['staged', state.staged],
    ['booted', state.booted],
    ['rollback', state.rollback],
  ].filter(([, one]) => one !== undefined);
  return {
    deployments: rows.map(([which, one]) => ({
      booted: which === 'booted',
      staged: which === 'staged',
      version: one.version,
      osname: 'scos',
      serial: 0,
      checksum: 'f'.repeat(64),
      'container-image-reference': `${REGISTRY}${one.image}`,
      'container-image-reference-digest': one.digest,
      'requested-packages': one.packages ?? [],
      'requested-base-removals': one.removals ?? [],
    })),
  };
}

function rebase(reference) {
  const image = reference.slice((reference.startsWith(STORAGE) ? STORAGE : REGISTRY).length);
  const known = state.fetched?.[image] ?? state.images[image];
  if (known !== undefined) {
    const { release, ...deployment } = known;
    const folder = inRoot(`/sysroot/ostree/deploy/scos/deploy/${'f'.repeat(64)}.0/usr/lib`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'os-release'), release);
    return stage({ ...deployment, image });
  }
  return missing(image);
}

/** The files of an image are there, and no deployment. */
function download(reference) {
  const image = reference.slice(REGISTRY.length);
  if (state.images[image] === undefined) return missing(image);
  state.fetched = { ...state.fetched, [image]: state.images[image] };
  return save();
}

function missing(image) {
  const [name, digest] = image.split('@');
  const open = 'failed to invoke method OpenImage: ';
  return fail(
    `error: Creating importer: ${open}${open}reading manifest ${digest} in ${name}: manifest unknown\n`,
  );
}

function kargs() {
  const list = [...next().kargs];
  if (args.length === 1) return stdout.write(`${list.join(' ')}\n`);
  for (const flag of args.slice(1)) {
    const [, verb, value] =
      /^--(append|delete-if-present)=(.*)$/.exec(flag) ?? fail(`error: Unknown option ${flag}\n`);
    if (verb === 'append') list.push(value);
    else if (list.includes(value)) list.splice(list.indexOf(value), 1);
  }
  return stage({ kargs: list });
}

function rpmOstree() {
  switch (args[0]) {
    case '--version':
      return stdout.write("rpm-ostree:\n Version: '2025.6'\n Features:\n  - rust\n  - container\n");
    case 'status': {
      if (args[1] === '--json') return stdout.write(JSON.stringify(statusJson()));
      const rows = statusJson().deployments.map((one) => {
        const mark = /UTF-8$/.test(env.LC_ALL ?? '') ? '●' : '*';
        const line = `${one.booted ? mark : ' '} ${one['container-image-reference']}\n`;
        const digest = `                   Digest: ${one['container-image-reference-digest']}\n`;
        return `${line}${digest}                  Version: ${one.version} (2026-01-02T03:04:05Z)\n`;
      });
      const first =
        state.transaction === undefined ? 'State: idle' : `State: busy\nTransaction: ${state.transaction}`;
      return stdout.write(`${first}\nDeployments:\n${rows.join('\n')}`);
    }
    case 'kargs':
      return kargs();
    case 'rebase':
      if (!args.includes('--download-only')) return rebase(args[2] ?? '');
      if (state.isDownloadSlow) return setTimeout(() => undefined, 60_000);
      return download(args[2] ?? '');
    case 'cancel':
      delete state.transaction;
      return save();
    case 'cleanup':
      // As in rpm-ostree: images of no deployment go with every cleanup.
      delete state.fetched;
      delete state[{ '-p': 'staged', '-r': 'rollback' }[args[1]]];
      return save();
    case 'update':
    case 'override':
      return stage({});
    default:
      return fail(`error: Unknown command '${args[0]}'\n`);
  }
}

/** Runs the real systemctl with `--root` and rewrites its messages to those of a running machine. */
function realSystemctl() {
  const {
    status,
    stdout: out,
    stderr: errors,
  } = spawnSync('/usr/bin/systemctl', [`--root=${root}`, ...args], {
    encoding: 'utf8',
  });
  const missing = errors.includes('does not exist');
  stdout.write(out);
  stderr.write(errors.replace(/unit, unit /g, 'unit: Unit file ').replaceAll(root, ''));
  exit(status === 0 && missing ? 1 : (status ?? 1));
}

function systemctl() {
  const [verb, name = ''] = args;
  if (['enable', 'disable', 'preset', 'is-enabled', 'list-unit-files'].includes(verb)) return realSystemctl();
  const unit = name.includes('.') ? name : `${name}.service`;
  const isThere = ['/etc', '/usr/lib'].some((at) => existsSync(inRoot(`${at}/systemd/system/${unit}`)));
  if (['restart', 'reload', 'start'].includes(verb) && !isThere) {
    return fail(`Failed to ${verb} ${unit}: Unit ${unit} not found.\n`, 5);
  }
  if (verb === 'show') return stdout.write(`${state.mainProcesses?.[args.at(-1)] ?? 0}\n`);
  if (verb === 'restart') return startProcess(unit);
  return undefined;
}

/** Its main process, in /proc of the machine. */
function startProcess(unit) {
  const contents = text(`/etc/systemd/system/${unit}`) || text(`/usr/lib/systemd/system/${unit}`);
  const words = (/^ExecStart=(.*)$/m.exec(contents)?.[1] ?? '').split(' ');
  const id = 1000 + Object.keys(state.mainProcesses ?? {}).length;
  mkdirSync(inRoot(`/proc/${id}`), { recursive: true });
  writeFileSync(inRoot(`/proc/${id}/cmdline`), words.map((word) => `${word}\0`).join(''));
  state.mainProcesses = { ...state.mainProcesses, [unit]: id };
  save();
}

/** `ostree ls --repo=/ostree/repo COMMIT PATH`, of images that all have the same files. */
function ostree() {
  const [verb, , commit, path] = args;
  if (verb !== 'ls') return;
  const image = commit
    .replace(/^ostree\/container\/image\/docker_3A__2F__2F_/, '')
    .replace(/_([0-9A-F]{2})_/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)));
  const isKnown = commit === 'f'.repeat(64) || state.fetched?.[image] !== undefined;
  if (!isKnown) fail(`error: Refspec '${commit}' not found\n`);
  if (!existsSync(inRoot(path))) {
    fail(`error: Inspecting path '${path}': No such file or directory: ${path}\n`);
  }
}

function getent() {
  const [database, key] = args;
  const line = text(`/etc/${database}`)
    .split('\n')
    .find((one) => one.split(':')[0] === key || (database !== 'shadow' && one.split(':')[2] === key));
  if (line === undefined) exit(2);
  stdout.write(`${line}\n`);
}

function usermod() {
  const [, hash, user] = args;
  const lines = text('/etc/shadow').split('\n');
  if (!lines.some((line) => line.startsWith(`${user}:`))) fail(`usermod: user '${user}' does not exist\n`, 6);
  const changed = lines.map((line) =>
    line.startsWith(`${user}:`) ? line.replace(/:[^:]*/, () => `:${hash}`) : line,
  );
  writeFileSync(inRoot('/etc/shadow'), changed.join('\n'));
}

function bootc() {
  const entry = (one) =>
    one && {
      image: { image: { image: one.image }, imageDigest: one.digest, version: one.version },
      ostree: {},
    };
  if (args[0] === 'switch') return stage({ ...state.images[args[1]], image: args[1] });
  if (args[0] !== 'status') return undefined;
  const { staged, booted, rollback } = state;
  const status = { staged: entry(staged), booted: entry(booted), rollback: entry(rollback) };
  return stdout.write(JSON.stringify({ apiVersion: 'org.containers.bootc/v1', kind: 'BootcHost', status }));
}

/** As Debian's: it reads the defaults and their drop-ins as shell scripts. */
function grubMkconfig() {
  if (state.isGrubBroken) fail('grub-mkconfig: error: it is broken\n');
  const files = `${root}/etc/default/grub ${root}/etc/default/grub.d/*.cfg`;
  const read = `for x in ${files}; do if [ -e "$x" ]; then . "$x"; fi; done`;
  const line = 'printf "%s" "$GRUB_CMDLINE_LINUX $GRUB_CMDLINE_LINUX_DEFAULT"';
  const added = execFileSync('/bin/sh', ['-c', `${read}; ${line}`], { encoding: 'utf8' });
  const entry = `menuentry 'Debian' {\n\tlinux\t/boot/vmlinuz-6.1 root=UUID=1 ro ${added}\n}\n`;
  writeFileSync(inRoot(args[1]), entry);
}

const COMMANDS = {
  'grub-mkconfig': grubMkconfig,
  'rpm-ostree': rpmOstree,
  bootc,
  ostree,
  systemctl,
  'systemd-run': () => {
    if (state.isRebootRefused) fail('Failed to start transient service unit\n');
    state.isRebootQueued = args.includes('systemctl reboot');
    save();
  },
  rpm: () => {
    const isThere = args[0] === '-q' ? state.packages.includes(args[1]) : args[1]?.startsWith('/usr/');
    if (!isThere) fail(`package ${args[1]} is not installed\n`);
  },
  podman: () => {
    if (args[0] === 'images') stdout.write(JSON.stringify(state.localImages ?? []));
    if (args[0] === 'system') {
      stdout.write('{"store":{"graphDriverName":"overlay","graphRoot":"/var/lib/containers/storage"}}');
    }
    if (args[0] === 'create') stdout.write('c0ffee\n');
  },
  nice: () => undefined,
  chcon: () => fail('chcon: no labels here\n'),
  mokutil: () => stdout.write(state.isSecure ? 'SecureBoot enabled\n' : 'SecureBoot disabled\n'),
  getent,
  usermod,
  cp: () => execFileSync('/bin/cp', [...args.slice(0, 2), ...args.slice(2).map(inRoot)]),
  runuser: () => execFileSync('/bin/mkdir', [...args.slice(4, 7), inRoot(args[7])]),
  logger: () => writeFileSync(join(folder, 'journal'), readFileSync(0, 'utf8'), { flag: 'a' }),
  journalctl: () => (state.journal === undefined ? fail('No such boot\n') : stdout.write(state.journal)),
};

COMMANDS[command]?.();
