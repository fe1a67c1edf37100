/**
 * The cluster on a laptop: what `millwright up` and `millwright apiserver` run. Never part of production.
 *
 *     up/           composes everything into one process and one folder
 *     apiserver/    the API server: request path, store, watch
 *     resources/    the built-in kinds that it serves: defaults, validation, update strategies
 *     crds/         CustomResourceDefinitions
 *     status/       the error type of requests
 *     patch/  rbac/  admission/  tables/  discovery/  protobuf/     parts of the API server, each pure
 *     controllers/  scheduler, workload controllers, garbage collector, simulated kubelets
 *     sandbox/      modelled machines over a directory or memory
 *     registry/     the OCI registry
 */
