/**
 * The rules of the kinds of the core group, and of events in either of their groups, by resource.
 */
import { configMapStrategy } from './config-map.ts';
import { coreEventStrategy, eventsEventStrategy } from './event.ts';
import { namespaceStrategy } from './namespace.ts';
import { nodeStrategy } from './node.ts';
import { podStrategy } from './pods/pod.ts';
import type { Strategy } from './resource.ts';
import { secretStrategy } from './secret.ts';
import { serviceAccountStrategy } from './service-account.ts';
import { endpointsStrategy } from './services/endpoints.ts';
import { serviceStrategy } from './services/service.ts';

export const coreStrategies: Readonly<Record<string, Strategy>> = {
  configmaps: configMapStrategy,
  endpoints: endpointsStrategy,
  events: coreEventStrategy,
  'events.events.k8s.io': eventsEventStrategy,
  namespaces: namespaceStrategy,
  nodes: nodeStrategy,
  pods: podStrategy,
  secrets: secretStrategy,
  serviceaccounts: serviceAccountStrategy,
  services: serviceStrategy,
};
