/**
 * SSH keys are written to the folder that CoreOS reads them from. Other systems may have no user of that name, or an sshd that does not look
 * there: then the keys have no effect, which is no loss of the node, but should be known before somebody relies on them.
 */
import { sshKeysFile } from '../plan/index.ts';
import { type Check, type Finding, type PreflightChange, type PreflightSnapshot, warning } from './check.ts';
import { configText } from './written-texts.ts';

const PASSWD = '/etc/passwd';
const SSHD = '/etc/ssh/sshd_config';
const SSHD_DROPINS = '/etc/ssh/sshd_config.d/';
const KEYS = '.ssh/authorized_keys.d/ignition';

export const sshKeys: Check = {
  name: 'ssh-keys',
  needs: (change) => (bringsKeys(change) ? { files: [PASSWD, SSHD], folders: [SSHD_DROPINS] } : {}),
  run: (snapshot) => (bringsKeys(snapshot) ? findings(snapshot) : []),
};

function bringsKeys({ from, to, isForced }: PreflightChange): boolean {
  const { text } = sshKeysFile(to);
  return text !== '' && (isForced || text !== sshKeysFile(from).text);
}

function findings(snapshot: PreflightSnapshot): readonly Finding[] {
  const { path, user } = sshKeysFile(snapshot.to);
  const { files } = snapshot.node;
  const passwd = files.get(PASSWD);
  if (passwd !== undefined && !passwd.split('\n').some((line) => line.startsWith(`${user}:`))) {
    const why = `there is no user ${user} on this node, so its SSH keys are not written`;
    return [warning(path, { why, remedy: `create it: useradd --create-home ${user}` })];
  }
  const texts = sshdTexts(snapshot);
  if (texts === undefined || readsFolder(texts)) return [];
  const why = 'sshd of this node does not read it, so the keys have no effect';
  const remedy = `add a file of ${SSHD_DROPINS} with: AuthorizedKeysFile .ssh/authorized_keys ${KEYS}`;
  return [warning(path, { why, remedy })];
}

/** In the order of sshd, as distributions include the drop-ins first; undefined where it is not known. */
function sshdTexts({ to, node: { files } }: PreflightSnapshot): readonly string[] | undefined {
  const main = configText(to, SSHD) ?? files.get(SSHD);
  if (main === undefined) return undefined;
  if (!/^\s*Include\s+\S*sshd_config\.d\//im.test(main)) return [main];
  const written = (to.ignition.storage?.files ?? []).map(({ path }) => path);
  const dropins = new Set([...files.keys(), ...written].filter((path) => path.startsWith(SSHD_DROPINS)));
  const texts = [...dropins].sort().map((path) => configText(to, path) ?? files.get(path) ?? '');
  return [...texts, main];
}

/** The first value counts. A command may look anywhere. */
function readsFolder(texts: readonly string[]): boolean {
  const first = (keyword: string) => {
    const line = new RegExp(`^[ \\t]*${keyword}[ \\t=]+(.*)$`, 'im');
    return texts.map((text) => line.exec(text)?.[1]?.trim()).find((value) => value !== undefined);
  };
  const command = first('AuthorizedKeysCommand') ?? 'none';
  return command !== 'none' || (first('AuthorizedKeysFile') ?? '').includes('authorized_keys.d/');
}
