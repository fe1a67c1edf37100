/**
 * Files that the kubelet is started with, and without which it does not start: those of `--config` and `--config-dir`, its
 * credentials, and the certificates that its configuration names.
 */
import { isObject } from '../../base/json.ts';
import { stringAt } from '../../base/json-fields.ts';
import { type Fields, parseFlags } from '../../config/kubelet/index.ts';
import { parseUnitFile, settings } from '../../config/systemd/index.ts';
import { KUBELET_CA } from '../plan/index.ts';
import { type Finding, type PreflightSnapshot, refusal, warning } from './check.ts';
import { flagValue, kubeletFlags } from './kubelet-arguments.ts';
import {
  KUBELET_SERVICES,
  kubeletCommandOf,
  kubeletUnitOf,
  type Texts,
  textsAfter,
  textsBefore,
  unitTextOf,
} from './kubelet-command.ts';
import { mayBring, mayInstall } from './program-sources.ts';

const KUBELET = 'kubelet.service';

type Missing = {
  readonly text: string;
  readonly remedy: string;
  readonly paths: readonly string[];
};

/** What `startFileFindings` reads of the machine. */
export function startFilePaths(texts: Texts): readonly string[] {
  const [program = '', ...words] = kubeletCommandOf(texts, KUBELET)?.words ?? [];
  const flags = parseFlags(words);
  const given = ['config', 'config-dir', 'kubeconfig', 'bootstrap-kubeconfig'].map((name) =>
    withoutSlash(flagValue(flags, name) ?? ''),
  );
  return [program, ...given].filter((path) => path.startsWith('/'));
}

/** Of the command of its unit. */
export function startFileFindings(snapshot: PreflightSnapshot): readonly Finding[] {
  const { nextOs, paths } = snapshot.node;
  const texts = textsAfter(snapshot);
  const [program = ''] = kubeletCommandOf(texts, KUBELET)?.words ?? [];
  // Where not even the kubelet is seen, nothing can be said about the machine.
  if (nextOs !== 'booted' || paths.get(program) !== true) return [];
  const before = textsBefore(snapshot);
  const known = new Set(missingOf(snapshot, before).map(({ text }) => text));
  return [...missingOf(snapshot, texts), ...lostCredentials(snapshot)]
    .filter(({ text }) => !known.has(text))
    .flatMap((missing) => findingsOf(snapshot, { ...missing, subject: KUBELET }));
}

/** Of its whole configuration. */
export function certificateFindings(
  snapshot: PreflightSnapshot,
  { subject, configuration, before }: Configured,
): readonly Finding[] {
  const known = new Set(before === undefined ? [] : certificatePaths(before).map(({ path }) => path));
  return certificatePaths(configuration)
    .filter(({ path }) => !known.has(path) && textsAfter(snapshot).isThere(path) === false)
    .flatMap(({ name, path }) => {
      const text = `with it, the kubelet would not start: ${name} is ${path}, which ${LACKING}`;
      return findingsOf(snapshot, {
        text,
        remedy: 'write the file, or name the one that the node has',
        paths: [path],
        subject,
      });
    });
}

type Configured = {
  readonly subject: string;
  /** With defaults and flags. */
  readonly configuration: Fields;
  /** Where it is known: what does not change is no news. */
  readonly before: Fields | undefined;
};

/** Without those that follow the ControllerConfig. */
export function certificatePaths(
  configuration: Fields,
): readonly { readonly name: string; readonly path: string }[] {
  const { authentication, enableServer } = configuration;
  const x509 = isObject(authentication) && isObject(authentication.x509) ? authentication.x509 : {};
  const served = enableServer === false ? [] : ['tlsCertFile', 'tlsPrivateKeyFile'];
  return [
    { name: 'authentication.x509.clientCAFile', path: stringAt(x509, 'clientCAFile') },
    ...served.map((name) => ({ name, path: stringAt(configuration, name) })),
  ].filter(({ path }) => path.startsWith('/') && path !== KUBELET_CA);
}

const LACKING = 'neither the node nor the config has';

function missingOf(snapshot: PreflightSnapshot, texts: Texts): readonly Missing[] {
  const flags = kubeletFlags(texts, snapshot, KUBELET);
  if (flags?.isWhole !== true) return [];
  const [file = '', folder = ''] = ['config', 'config-dir'].map((name) =>
    withoutSlash(flagValue(flags, name) ?? ''),
  );
  const isFolderThere = texts.below(`${folder}/`).length > 0 || texts.isThere(folder) !== false;
  return [
    ...(file.startsWith('/') && texts.isThere(file) === false
      ? [
          {
            text: `its --config is ${file}, which ${LACKING}`,
            remedy: 'write the file, or name the one that the node has',
            paths: [file],
          },
        ]
      : []),
    ...(folder.startsWith('/') && !isFolderThere
      ? [
          {
            text: `its --config-dir is ${folder}, which ${LACKING}`,
            remedy: `write a drop-in there, remove the flag, or create the folder: ExecStartPre=/usr/bin/mkdir --parents ${folder}`,
            paths: [folder],
          },
        ]
      : []),
  ];
}

function withoutSlash(path: string): string {
  return path.replace(/(?<=.)\/+$/, '');
}

/** Where the kubelet has credentials now, and will look for others: with one of the two files it gets along. */
function lostCredentials(snapshot: PreflightSnapshot): readonly Missing[] {
  const texts = textsAfter(snapshot);
  const [after, before] = [texts, textsBefore(snapshot)].map((one) => credentialsOf(snapshot, one));
  if (after === undefined || before === undefined) return [];
  const isThereNow = before.some(({ path }) => textsBefore(snapshot).isThere(path) === true);
  if (!isThereNow || after.length === 0 || !after.every(({ path }) => texts.isThere(path) === false))
    return [];
  const given = after.map(({ name, path }) => `--${name} is ${path}`).join(' and its ');
  const text = `its ${given}, which ${LACKING}`;
  const [first] = before;
  return [
    {
      text,
      remedy: `name the one that the node has: --kubeconfig=${first?.path}`,
      paths: after.map(({ path }) => path),
    },
  ];
}

function credentialsOf(snapshot: PreflightSnapshot, texts: Texts) {
  const flags = kubeletFlags(texts, snapshot, KUBELET);
  if (flags?.isWhole !== true) return undefined;
  return ['kubeconfig', 'bootstrap-kubeconfig']
    .map((name) => ({ name, path: flagValue(flags, name) ?? '' }))
    .filter(({ path }) => path.startsWith('/'));
}

function findingsOf(
  snapshot: PreflightSnapshot,
  { text, remedy, paths, subject }: Missing & { readonly subject: string },
): readonly Finding[] {
  if (isMadeByUnit(snapshot, paths)) return [];
  const why = subject === KUBELET ? `${text}, so the kubelet would not start` : text;
  const isBrought = mayInstall(snapshot, { paths, users: KUBELET_SERVICES });
  return [isBrought ? warning(subject, { why, remedy }) : refusal(subject, { why, remedy })];
}

/** Whether the kubelet's own unit may make one of the files before it starts the kubelet. */
function isMadeByUnit(snapshot: PreflightSnapshot, paths: readonly string[]): boolean {
  const unit = parseUnitFile(unitTextOf(kubeletUnitOf(textsAfter(snapshot), KUBELET)));
  const keys = [...(unit.get('Service')?.keys() ?? [])];
  const hasFolders = keys.some((key) => key.endsWith('Directory') && key !== 'WorkingDirectory');
  const commands = ['ExecStartPre', 'ExecCondition'].flatMap((key) => settings(unit, 'Service', key));
  return hasFolders || mayBring(snapshot, { commands, paths });
}
