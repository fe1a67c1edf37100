/**
 * The account databases of a machine: passwd, group and shadow.
 */
import type { Owner } from './host.ts';

/** The fields of the line of this name. */
function fieldsOf(text: string, name: string): readonly string[] | undefined {
  return text
    .split('\n')
    .map((line) => line.split(':'))
    .find(([first]) => first === name);
}

export function userIn(passwd: string, name: string): Owner | undefined {
  const [, , uid, gid] = fieldsOf(passwd, name) ?? [];
  const owner = { uid: idOf(uid), gid: idOf(gid) };
  return owner.uid === undefined || owner.gid === undefined ? undefined : { uid: owner.uid, gid: owner.gid };
}

export function groupIn(group: string, name: string): number | undefined {
  return idOf(fieldsOf(group, name)?.[2]);
}

export function passwordHashIn(shadow: string, name: string): string | undefined {
  return fieldsOf(shadow, name)?.[1];
}

/** The file with another hash for an existing user. */
export function withPasswordHash(shadow: string, { user, hash }: { user: string; hash: string }): string {
  return shadow
    .split('\n')
    .map((line) => {
      const [first, , ...rest] = line.split(':');
      return first === user && line.includes(':') ? [first, hash, ...rest].join(':') : line;
    })
    .join('\n');
}

function idOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}
