/**
 * Which containers' logs are meant, and what to ask for them.
 */

import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { objectsAt, stringAt } from '../../base/json-fields.ts';
import { annotationOf } from '../../kubernetes/meta/index.ts';

type ContainerChoice = {
  readonly container: string;
  /** For who did not choose: which one it is, and what there is beside it. */
  readonly note: string | undefined;
};

/** The one that is named; else the one that the pod says is the main one; else the first. */
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

/** The labels by which a workload, such as a Deployment, knows its pods; undefined where it does not say. */
export function podSelector({ spec }: JsonObject): string | undefined {
  const selector = isJsonObject(spec) ? spec.selector : undefined;
  const labels = isJsonObject(selector) ? selector.matchLabels : undefined;
  if (!isJsonObject(labels) || Object.keys(labels).length === 0) return undefined;
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

export type LogWish = {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** The last lines only; -1 for all. */
  readonly tailLines: number;
  readonly sinceMs: number | undefined;
};

export function logQuery({ follow, previous, timestamps, tailLines, sinceMs }: LogWish) {
  return {
    follow: follow ? 'true' : undefined,
    previous: previous ? 'true' : undefined,
    timestamps: timestamps ? 'true' : undefined,
    tailLines: tailLines < 0 ? undefined : tailLines,
    // The server counts in seconds, and takes no less than one.
    sinceSeconds: sinceMs === undefined ? undefined : Math.max(1, Math.ceil(sinceMs / 1000)),
  };
}
