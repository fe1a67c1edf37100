/**
 * The command line: one file per command, each in three steps: read the flags, call a function, print.
 *
 * Data goes to stdout, and only when all of it is right; everything said to people goes to stderr. Exit codes
 * are in `exit-code.ts`. Commands take streams and the working directory as ports and never touch the
 * process, so tests run them as they are.
 *
 * Not here: decisions about machines. `main.ts` connects this to the process.
 *
 * Start with `program.ts`, then `render-command.ts`.
 */
export { BUG, UNUSABLE } from './exit-code.ts';
export type { Ports } from './ports.ts';
export { runProgram } from './program.ts';
