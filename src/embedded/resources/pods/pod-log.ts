/**
 * The log subresource of pods: selects the container and validates the options.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { objectsAt, stringAt } from '../../../base/json-fields.ts';
import { badRequest, invalid as invalidObject, type StatusError } from '../../status/index.ts';
import { forbidden, invalid, negativeProblems } from '../field-problems.ts';

export type LogQuery = {
  readonly container?: string;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly sinceSeconds?: number;
  readonly sinceTime?: string;
  readonly stream?: string;
};

type LogTarget =
  | { readonly kind: 'container'; readonly name: string }
  /** The pod is not scheduled: the log is empty, and the response is a 204. */
  | { readonly kind: 'nowhere' };

export function logTargetOf(pod: JsonObject, query: LogQuery): LogTarget | StatusError {
  const podName = stringAt(pod, 'metadata', 'name');
  const problems = queryProblems(query);
  if (problems.length > 0) return invalidObject({ group: '', kind: 'PodLogOptions' }, podName, problems);
  const names = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((kind) =>
    objectsAt(pod, 'spec', kind).map((container) => stringAt(container, 'name')),
  );
  const name = query.container ?? (names.length === 1 ? names[0] : undefined);
  if (name === undefined || name === '') {
    const choice = `[${names.join(' ')}]`;
    return badRequest(`a container name must be specified for pod ${podName}, choose one of: ${choice}`);
  }
  if (!names.includes(name)) return badRequest(`container ${name} is not valid for pod ${podName}`);
  return stringAt(pod, 'spec', 'nodeName') === '' ? { kind: 'nowhere' } : { kind: 'container', name };
}

function queryProblems(query: LogQuery): readonly Problem[] {
  return [
    ...negativeProblems('tailLines', query.tailLines),
    ...atLeastOneProblems('limitBytes', query.limitBytes),
    ...(query.sinceSeconds !== undefined && query.sinceTime !== undefined
      ? [forbidden('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified')]
      : atLeastOneProblems('sinceSeconds', query.sinceSeconds)),
    ...(query.stream === undefined ? [] : [forbidden('stream', 'may not be specified')]),
  ];
}

function atLeastOneProblems(path: string, value: number | undefined): readonly Problem[] {
  return value === undefined || value > 0 ? [] : [invalid(path, String(value), 'must be greater than 0')];
}
