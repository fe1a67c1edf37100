/**
 * The embedded cluster (`millwright up`): all components in one process and one data directory.
 *
 *     DIR/kubeconfig, pki, apiserver   the API server and its objects        (embedded-server-node.ts)
 *     DIR/registry                     images                                (registry-node.ts)
 *     DIR/nodes/<node>                 machines, and the log of each daemon  (machines-node.ts)
 *     DIR/logs                         container logs                        (container-logs-node.ts)
 *     DIR/cluster.json, DIR/log        its state, and its own log
 *
 * It only composes; decisions about machine configs are made by the components it starts. A component runs while its pod is
 * running (`component-instances.ts`), so `kubectl delete pod`, a drain or a reboot have the same effect as in a real cluster.
 *
 * Not here: flags, signals and output (`cli`). Never part of production.
 *
 * Start with `embedded-cluster-node.ts`, then `components.ts` and `machines-node.ts`.
 */
export type { ClusterView } from './cluster-view.ts';
export { parseTokenAuthFile } from './token-auth-file.ts';
