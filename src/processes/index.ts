/**
 * What the processes of a cluster do, whoever starts them: the operator, the controllers, a node's daemon.
 *
 * Each is a function over a transport (who it is to the server) and an `Env` (its clock, its log, and the word that it is
 * over), which it outlives by no more than it takes to end what is under way. The commands of `cli` run them as processes
 * of their own, the embedded cluster runs many in one.
 *
 * Not here: finding the server, signals, and exit codes (`cli`).
 */
export { type ComponentName, runComponent } from './component-process.ts';
export { runDaemon } from './daemon-process.ts';
