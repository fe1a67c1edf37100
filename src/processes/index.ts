/**
 * What the processes of a cluster run, independent of how they are started.
 *
 *     component-process.ts   the operator, the controllers and the builder
 *     build-process-node.ts   the containers of a build pod
 *     daemon-process.ts      the daemon of one node
 *     server-process.ts      the MachineConfigServer
 *     pivot.ts               a pivot by hand to another OS image, on one node
 *
 * Each is a function over a transport (its identity to the API server) and an `Env` (clock, log, stop signal). The commands of
 * `cli` run them as processes of their own, the embedded cluster runs many in one. Each file is imported by itself, so that the
 * daemon's bundle does not contain the controllers.
 *
 * Not here: finding the API server, signals, and exit codes (`cli`).
 */
