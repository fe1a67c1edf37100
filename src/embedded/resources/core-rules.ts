/**
 * The rules of the kinds of the core group, and of events in either of their groups, by resource.
 */
import { configMapRules } from './config-map.ts';
import { coreEventRules, eventsEventRules } from './event.ts';
import { namespaceRules } from './namespace.ts';
import { nodeRules } from './node.ts';
import { podRules } from './pods/pod.ts';
import type { Rules } from './resource.ts';
import { secretRules } from './secret.ts';
import { serviceAccountRules } from './service-account.ts';
import { endpointsRules } from './services/endpoints.ts';
import { serviceRules } from './services/service.ts';

export const coreRules: Readonly<Record<string, Rules>> = {
  configmaps: configMapRules,
  endpoints: endpointsRules,
  events: coreEventRules,
  'events.events.k8s.io': eventsEventRules,
  namespaces: namespaceRules,
  nodes: nodeRules,
  pods: podRules,
  secrets: secretRules,
  serviceaccounts: serviceAccountRules,
  services: serviceRules,
};
