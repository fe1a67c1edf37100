/**
 * Which container's log to request, and the query for it.
 */

import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { objectsAt, stringAt } from '../../base/json-fields.ts';
import { annotationOf } from '../../kubernetes/meta/index.ts';

type ContainerChoice = {
  readonly container: string;
  /** Reports the default that was used and the alternatives. */
  readonly note: string | undefined;
};

/** The named container, else the default of the pod's annotation, else the first. */
export function chooseContainer(pod: JsonObject, named: string | undefined): ContainerChoice | undefined {
  if (named !== undefined) return { container: named, note: undefined };
  const { containers, others } = containersOf(pod);
  const main = annotationOf(pod, DEFAULT_CONTAINER);
  if (main !== undefined && containers.includes(main)) return { container: main, note: undefined };
  const [first] = containers;
  if (first === undefined) return undefined;
  const all = [...containers, ...others];
  const note = `Defaulted container ${JSON.stringify(first)} out of: ${all.join(', ')}`;
  return { container: first, note: all.length > 1 ? note : undefined };
}

const DEFAULT_CONTAINER = 'kubectl.kubernetes.io/default-container';

function containersOf(pod: JsonObject) {
  const names = (field: string) =>
    objectsAt(pod, 'spec', field)
      .map((container) => stringAt(container, 'name'))
      .filter((name) => name !== '');
  return {
    containers: names('containers'),
    others: [
      ...names('ephemeralContainers').map((name) => `${name} (ephem)`),
      ...names('initContainers').map((name) => `${name} (init)`),
    ],
  };
}

/** The pod selector of a workload such as a Deployment; undefined if it has none. */
export function podSelector({ spec }: JsonObject): string | undefined {
  const selector = isJsonObject(spec) ? spec.selector : undefined;
  const labels = isJsonObject(selector) ? selector.matchLabels : undefined;
  if (!isJsonObject(labels) || Object.keys(labels).length === 0) return undefined;
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

export type LogRequest = {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** The last lines only; -1 for all. */
  readonly tailLines: number;
  readonly sinceMs: number | undefined;
};

export function logQuery({ follow, previous, timestamps, tailLines, sinceMs }: LogRequest) {
  return {
    follow: follow ? 'true' : undefined,
    previous: previous ? 'true' : undefined,
    timestamps: timestamps ? 'true' : undefined,
    tailLines: tailLines < 0 ? undefined : tailLines,
    // The server counts in seconds, and requires at least one.
    sinceSeconds: sinceMs === undefined ? undefined : Math.max(1, Math.ceil(sinceMs / 1000)),
  };
}
