/**
 * What any program that talks to Kubernetes needs. Nothing here knows of machine configs.
 *
 *     schema/      structural schemas as values, from which TypeScript types follow
 *     meta/        kinds, object metadata, the forms of names; the CRD of a kind
 *     types/       the kinds that Kubernetes brings itself: Pod, Node, Lease, …
 *     selectors/   label and field selectors
 *     cel/         the expression language of CRD rules and admission policies
 *     validation/  does an object fit its schema: defaults, pruning, messages as kube-apiserver words them
 *     metrics/     counters, gauges and histograms, and Prometheus' text format
 *     client/      transport, caches, work queue, controller loop, leader election, events
 */
