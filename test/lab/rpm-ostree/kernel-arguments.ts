/** `rpm-ostree kargs`: a list of arguments and the flags that change it. */
import { Refusal } from './refusal.ts';

export function changedArguments(before: readonly string[], flags: readonly string[]): readonly string[] {
  const changed = [...before];
  for (const [name, value] of flags.map(split)) {
    const index = changed.indexOf(value);
    switch (name) {
      case '--append':
        changed.push(value);
        break;
      case '--append-if-missing':
        if (index < 0) changed.push(value);
        break;
      case '--delete':
        if (index < 0) throw new Refusal(`No karg '${value}' found`);
        changed.splice(index, 1);
        break;
      case '--delete-if-present':
        if (index >= 0) changed.splice(index, 1);
        break;
      default:
        throw new Refusal(`Unknown option ${name}`);
    }
  }
  return changed;
}

/** The value may have further signs of equality. */
function split(flag: string): readonly [string, string] {
  const at = flag.indexOf('=');
  return at < 0 ? [flag, ''] : [flag.slice(0, at), flag.slice(at + 1)];
}
