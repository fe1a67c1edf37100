/**
 * What a command of an administrator (`pause`, `resume`, `retry`, `uncordon`) does, as data: the lines that say so before it is done, and
 * the change itself.
 */

export type HandDecision =
  /** It is not done; the message says why, and what to do instead. */
  | { readonly kind: 'refused'; readonly message: string }
  /** It is as it should be. */
  | { readonly kind: 'unchanged'; readonly lines: readonly string[] }
  | {
      readonly kind: 'change';
      /** What will happen. */
      readonly lines: readonly string[];
      /** A merge patch of the pool or the Node. */
      readonly patch: object;
      /** `paused`, and `would be paused` in a dry run. */
      readonly done: string;
      readonly planned: string;
    };

export function refused(message: string): HandDecision {
  return { kind: 'refused', message };
}

const MAX_NAMES = 6;

/** `worker-0, worker-1 and 3 more` */
export function nameList(names: readonly string[]): string {
  if (names.length <= MAX_NAMES) return names.join(', ');
  return `${names.slice(0, MAX_NAMES).join(', ')} and ${names.length - MAX_NAMES} more`;
}
