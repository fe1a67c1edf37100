/**
 * The configuration of sshd: with a file that it cannot read it does not start, and administrators cannot reach the node.
 */
import { type Check, type Finding, type PreflightChange, refusal } from './check.ts';
import { configText, inFolder, writtenPaths, writtenTexts } from './written-texts.ts';

const HOME = '/etc/ssh';
const MAIN = `${HOME}/sshd_config`;
const FOLDER = `${HOME}/sshd_config.d/`;
const isInFolder = inFolder(FOLDER, '.conf');
const isConfig = (path: string) => path === MAIN || isInFolder(path);

export const sshdConfig: Check = {
  name: 'sshd-config',
  needs: (change) => (writtenPaths(change).some(isConfig) ? { files: [MAIN], folders: [FOLDER] } : {}),
  run(snapshot) {
    const parsed = writtenTexts(snapshot, isConfig).flatMap(({ path, text }): readonly Finding[] => {
      const problem = sshdProblem(text);
      return problem === undefined ? [] : [broken(path, problem)];
    });
    const { sshdProblem: ofProgram } = snapshot.node;
    if (parsed.length > 0 || ofProgram === undefined) return parsed;
    const [first = MAIN] = writtenPaths(snapshot).filter(isConfig);
    return [broken(first, `sshd -t refuses the result: ${ofProgram}`)];
  },
};

function broken(path: string, problem: string): Finding {
  return refusal(path, { why: `${problem}, so sshd would not start`, remedy: 'correct it' });
}

/**
 * The configuration that sshd will have, as files below another folder where it can be tried: by path, `sshd_config` first.
 * Undefined where the update does not change it. `onNode`: what the machine has.
 */
export function sshdTrial(
  change: PreflightChange,
  onNode: ReadonlyMap<string, string>,
  folder: string,
): ReadonlyMap<string, string> | undefined {
  if (!writtenPaths(change).some(isConfig)) return undefined;
  const { from, to } = change;
  const paths = new Set([MAIN, ...onNode.keys(), ...writtenPaths(change)].filter(isConfig));
  const tried = new Map<string, string>();
  for (const path of paths) {
    // What the old config had goes with it.
    const isLeft = configText(from, path) === undefined;
    const text = configText(to, path) ?? (isLeft ? onNode.get(path) : undefined);
    if (text !== undefined) tried.set(`${folder}${path.slice(HOME.length)}`, redirected(text, folder));
  }
  return tried.has(`${folder}/sshd_config`) ? tried : undefined;
}

/** Files that are included are those of the trial. */
function redirected(text: string, folder: string): string {
  return text.replace(/^(\s*include\s+)(.*)$/gim, (_, keyword: string, names: string) => {
    const moved = names.split(/\s+/).map((name) => {
      if (name.startsWith(`${HOME}/`)) return `${folder}${name.slice(HOME.length)}`;
      return /^["/~#]/.test(name) || name === '' ? name : `${folder}/${name}`;
    });
    return `${keyword}${moved.join(' ')}`;
  });
}

/** As far as every version of sshd agrees; which keywords there are differs between versions and distributions. */
function sshdProblem(text: string): string | undefined {
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const [, keyword = '', value = ''] = /^(\S+?)(?:\s*=\s*|\s+|$)(.*)$/.exec(line) ?? [];
    const given = value
      .replace(/\s*#.*$/, '')
      .replaceAll('"', '')
      .trim();
    if (given === '') return `line ${index + 1} gives ${shown(keyword)} no value`;
    const allowed = VALUES.get(keyword.toLowerCase());
    if (allowed?.test(given) === false) {
      return `line ${index + 1} gives ${shown(keyword)} a value that it cannot have`;
    }
  }
  return undefined;
}

/** Keywords are words; anything else may be a secret. */
function shown(keyword: string): string {
  return /^[A-Za-z]{1,40}$/.test(keyword) ? keyword : 'a keyword';
}

const YES_OR_NO = /^(yes|no)$/i;
const VALUES: ReadonlyMap<string, RegExp> = new Map([
  ['port', /^\d{1,5}$/],
  ['passwordauthentication', YES_OR_NO],
  ['pubkeyauthentication', YES_OR_NO],
  ['kbdinteractiveauthentication', YES_OR_NO],
  ['usepam', YES_OR_NO],
  ['permitrootlogin', /^(yes|no|prohibit-password|without-password|forced-commands-only)$/i],
]);
