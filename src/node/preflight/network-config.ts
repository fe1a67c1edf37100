/**
 * The configuration of the network: a file that its program cannot read is ignored, or keeps the program from starting, and the
 * node may come back without a network.
 */
import { isObject } from '../../base/json.ts';
import { formatMode } from '../../config/ignition/index.ts';
import { DEFAULT_MODE } from '../plan/index.ts';
import { type Check, type Finding, type PreflightSnapshot, refusal } from './check.ts';
import { firstBadLine, isOpenHeader, parsedYaml } from './parse-problem.ts';
import { inFolder, writtenPaths, writtenTexts } from './written-texts.ts';

const isConnection = inFolder('/etc/NetworkManager/system-connections/');
const isManagerConf = (path: string) =>
  path === '/etc/NetworkManager/NetworkManager.conf' ||
  inFolder('/etc/NetworkManager/conf.d/', '.conf')(path);
const isNetworkd = (path: string) =>
  inFolder('/etc/systemd/network/')(path) && /\.(network|netdev|link)$/.test(path);
const isNetplan = inFolder('/etc/netplan/', '.yaml');

export const networkConfig: Check = {
  name: 'network-config',
  needs: () => ({}),
  run: (snapshot) => [
    ...keyFileFindings(snapshot),
    ...modeFindings(snapshot),
    ...networkdFindings(snapshot),
    ...netplanFindings(snapshot),
  ],
};

function keyFileFindings(snapshot: PreflightSnapshot): readonly Finding[] {
  return writtenTexts(snapshot, (path) => isConnection(path) || isManagerConf(path)).flatMap(
    ({ path, text }) => {
      const line = firstBadLine(text, isNoKeyFileLine);
      if (line === undefined) return [];
      const why = `line ${line} is neither a [section], key=value nor a comment, so NetworkManager does not load it`;
      return [refusal(path, { why, remedy: 'correct it' })];
    },
  );
}

function isNoKeyFileLine(line: string): boolean {
  return line !== '' && !line.startsWith('#') && !/^\[[^[\]]+\]$/.test(line) && !/^[^=[]+=/.test(line);
}

/** Connections may hold passwords: NetworkManager ignores files that others than root can read. */
function modeFindings({ to, ...change }: PreflightSnapshot): readonly Finding[] {
  const written = new Set(writtenPaths({ to, ...change }));
  return (to.ignition.storage?.files ?? []).flatMap(({ path, mode = DEFAULT_MODE }) => {
    if (!isConnection(path) || !written.has(path) || (mode & 0o077) === 0) return [];
    const why = `others than root can read it (mode ${formatMode(mode)}), so NetworkManager ignores it`;
    return [refusal(path, { why, remedy: 'set mode 0600' })];
  });
}

function networkdFindings(snapshot: PreflightSnapshot): readonly Finding[] {
  return writtenTexts(snapshot, isNetworkd).flatMap(({ path, text }) => {
    const line = firstBadLine(text, isOpenHeader);
    if (line === undefined) return [];
    const why = `line ${line} is no valid section header, so systemd-networkd does not load it`;
    return [refusal(path, { why, remedy: 'close the header with ]' })];
  });
}

/** One broken file keeps netplan from generating any configuration. */
function netplanFindings(snapshot: PreflightSnapshot): readonly Finding[] {
  return writtenTexts(snapshot, isNetplan).flatMap(({ path, text }) => {
    const parsed = parsedYaml(text);
    if (parsed.kind === 'unknown') return [];
    const hasNetwork = parsed.kind === 'value' && isObject(parsed.value) && isObject(parsed.value.network);
    const isEmpty = parsed.kind === 'value' && parsed.value === undefined;
    if (hasNetwork || isEmpty) return [];
    const problem = parsed.kind === 'broken' ? parsed.problem : 'it has no map "network"';
    return [refusal(path, { why: `${problem}, so netplan configures no network`, remedy: 'correct it' })];
  });
}
