/**
 * The embedded cluster (`millwright up`): everything that Millwright has, joined in one process, in one folder.
 *
 *     DIR/kubeconfig, pki, apiserver   the API server and its objects        (embedded-server-node.ts)
 *     DIR/registry                     images                                (registry-node.ts)
 *     DIR/nodes/<node>                 machines, and the log of each daemon  (machines-node.ts)
 *     DIR/logs                         what containers have written          (container-logs-node.ts)
 *     DIR/cluster.json, DIR/log        what it remembers, and its own log
 *
 * It decides nothing about machine configs: that is what the parts do that it starts. Whether a part runs is said by the
 * pod that stands for it (`component-instances.ts`), so that `kubectl delete pod`, a drain or a reboot have the effect that
 * they have on a real cluster.
 *
 * Not here: flags, signals and what is printed (`cli`). Never part of production.
 *
 * Start with `embedded-cluster-node.ts`, then `components.ts` and `machines-node.ts`.
 */
export type { Observer } from './observer.ts';
