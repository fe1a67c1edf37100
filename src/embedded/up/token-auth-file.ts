/**
 * Parses the format of kube-apiserver's `--token-auth-file`: lines of `token,user,uid,"group,group"` with optional groups.
 */

import { invalid, type Outcome, ok, type Problem } from '../../base/errors.ts';
import type { TokenUser } from '../apiserver/index.ts';

export function parseTokenAuthFile(text: string): Outcome<readonly TokenUser[]> {
  const users = new Map<string, TokenUser>();
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  text.split(/\r?\n/).forEach((line, index) => {
    const path = `line ${index + 1}`;
    if (line === '') return;
    const columns = columnsOf(line);
    if (columns === undefined) {
      problems.push({ path, message: 'misplaced or unterminated quote' });
    } else if (columns.length < MIN_COLUMNS) {
      const message = `must have at least 3 columns (token, user name, user uid), found ${columns.length}`;
      problems.push({ path, message });
    } else {
      const [token = '', name = '', uid = '', groups] = columns;
      if (token === '') warnings.push({ path, message: 'empty token: the user is ignored' });
      else {
        if (users.has(token)) warnings.push({ path, message: 'duplicate token: the last one wins' });
        users.set(token, { token, user: { name, uid, groups: groups?.split(',') ?? [] } });
      }
    }
  });
  return problems.length > 0 ? invalid(problems) : ok([...users.values()], warnings);
}

const MIN_COLUMNS = 3;

/** One column and its separator; quotes inside quotes are doubled. */
const COLUMN = /("(?:[^"]|"")*"|[^",]*)(,|$)/y;

function columnsOf(line: string): readonly string[] | undefined {
  const columns: string[] = [];
  for (let at = 0; ; ) {
    COLUMN.lastIndex = at;
    const [whole, text = '', separator] = COLUMN.exec(line) ?? [];
    if (whole === undefined) return undefined;
    columns.push(text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text);
    if (separator === '') return columns;
    at += whole.length;
  }
}
