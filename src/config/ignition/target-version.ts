/**
 * The versions that a config can be converted to.
 */

/** Newest first. */
export const TARGET_VERSIONS = ['3.5.0', '3.4.0', '3.3.0', '3.2.0', '3.1.0', '3.0.0', '2.2.0'] as const;
export type TargetVersion = (typeof TARGET_VERSIONS)[number];

/** `minor`: of the newest version 3 whose fields it has. 2.2 has nothing that 3.1 introduced. */
export type Target = { readonly major: 2 | 3; readonly minor: number };

export function targetOf(version: TargetVersion): Target {
  return version === '2.2.0' ? { major: 2, minor: 0 } : { major: 3, minor: Number(version.slice(2, 3)) };
}

/** Whether it lacks what a minor version of 3 introduced. */
export function lacks({ minor }: Target, since: number): boolean {
  return since > minor;
}

/** Which version lacks it, as upstream says it: it converts step by step, and to 2.2 from 3.2. */
export function lackingVersion({ major }: Target, since: number): string {
  return major === 2 && since <= 2 ? '2.2' : `3.${since - 1}`;
}
