/**
 * The command line: one file per command, each in three steps: parse the flags, call a function, print.
 *
 * `define-*.ts` hold flags and help; each loads its `*-command.ts` by dynamic import, so that a command loads only what it
 * needs. Only the commands `up` and `apiserver` load the embedded cluster. `objects/` holds the kubectl-like commands,
 * `render/` the offline rendering, `cluster/` the choice of the cluster.
 *
 * Data goes to stdout, and only on success; messages go to stderr. Exit codes are in `exit-code.ts`. Commands receive
 * streams and the working directory as `Ports` and never touch the process, so tests run them in-process.
 *
 * Not here: decisions about pools and nodes. The program (src/main.ts) connects this to the process.
 *
 * Start with `program.ts`, then `define-render.ts` and `render/render-command.ts`.
 */
export { INTERNAL_ERROR, USAGE_ERROR } from './exit-code.ts';
export type { Ports } from './ports.ts';
export { runProgram } from './program.ts';
