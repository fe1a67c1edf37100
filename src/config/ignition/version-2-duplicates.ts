/**
 * Duplicates, which version 2 allowed: the last entry wins, and parts of earlier ones are kept where possible
 * (drop-ins, SSH keys).
 */
import type { Version2File, Version2Unit, Version2User } from './version-2.ts';

/** A remaining entry, and its index in the given config. */
export type Kept<T> = { readonly item: T; readonly index: number };

/** From the last to the first, each path once; the result is in reverse order. */
export function cleanFiles(files: readonly Version2File[]): readonly Kept<Version2File>[] {
  return lastOfEach(files, (file) => file.path).map(({ last }) => last);
}

export function cleanUnits(units: readonly Version2Unit[]): readonly Kept<Version2Unit>[] {
  return lastOfEach(units, (unit) => unit.name).map(({ last, earlier }) => {
    const dropins = [...(last.item.dropins ?? [])];
    for (const dropin of earlier.flatMap(({ item }) => item.dropins ?? [])) {
      if (!dropins.some(({ name }) => name === dropin.name)) dropins.push(dropin);
    }
    return { ...last, item: dropins.length === 0 ? last.item : { ...last.item, dropins } };
  });
}

export function cleanUsers(users: readonly Version2User[]): readonly Version2User[] {
  return lastOfEach(users, (user) => user.name).map(({ last, earlier }) => {
    const keys = [last, ...earlier].flatMap(({ item }) => item.sshAuthorizedKeys ?? []);
    return keys.length === 0 ? last.item : { ...last.item, sshAuthorizedKeys: [...new Set(keys)] };
  });
}

type Namesakes<T> = { readonly last: Kept<T>; readonly earlier: Kept<T>[] };

function lastOfEach<T>(items: readonly T[], keyOf: (item: T) => string): readonly Namesakes<T>[] {
  const byKey = new Map<string, Namesakes<T>>();
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index] as T;
    const known = byKey.get(keyOf(item));
    if (known === undefined) byKey.set(keyOf(item), { last: { item, index }, earlier: [] });
    else known.earlier.push({ item, index });
  }
  return [...byKey.values()];
}
