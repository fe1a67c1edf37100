/**
 * Users with tokens, from a file in the form of kube-apiserver's `--token-auth-file`: lines of
 * `token,user,uid,"group,group"`, of which the groups may be missing.
 */

import { invalid, type Outcome, ok, type Problem } from '../base/errors.ts';
import type { TokenUser } from '../embedded/apiserver/index.ts';

export function parseTokenAuthFile(text: string): Outcome<readonly TokenUser[]> {
  const users = new Map<string, TokenUser>();
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  text.split(/\r?\n/).forEach((line, index) => {
    const path = `line ${index + 1}`;
    if (line === '') return;
    const columns = columnsOf(line);
    if (columns === undefined) {
      problems.push({ path, message: 'a quote is not closed, or stands in the middle' });
    } else if (columns.length < LEAST_COLUMNS) {
      const message = `must have at least 3 columns (token, user name, user uid), found ${columns.length}`;
      problems.push({ path, message });
    } else {
      const [token = '', name = '', uid = '', groups] = columns;
      if (token === '') warnings.push({ path, message: 'the token is empty, so the user is left out' });
      else {
        if (users.has(token))
          warnings.push({ path, message: 'the token is there twice: the last one counts' });
        users.set(token, { token, user: { name, uid, groups: groups?.split(',') ?? [] } });
      }
    }
  });
  return problems.length > 0 ? invalid(problems) : ok([...users.values()], warnings);
}

const LEAST_COLUMNS = 3;

/** One column and what follows it; a quote inside quotes is written twice. */
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
