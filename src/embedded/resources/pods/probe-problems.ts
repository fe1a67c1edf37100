/**
 * Validation of probes and lifecycle hooks of a container.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import {
  numberAt,
  objectAt,
  objectsAt,
  optionalNumberAt,
  stringAt,
  stringsAt,
  valueAt,
} from '../../../base/json-fields.ts';
import {
  forbidden,
  invalid,
  invalidText,
  negativeProblems,
  required,
  unsupportedText,
} from '../field-problems.ts';
import { portOrNameProblems, portProblems } from '../services/ports.ts';

/** `path` is that of the container. */
export function probesProblems(container: JsonObject, path: string): readonly Problem[] {
  const liveness = objectAt(container, 'livenessProbe');
  const readiness = objectAt(container, 'readinessProbe');
  const startup = objectAt(container, 'startupProbe');
  const grace = optionalNumberAt(readiness, 'terminationGracePeriodSeconds');
  return [
    ...probeProblems(liveness, `${path}.livenessProbe`),
    ...uniquenessProblems(liveness, `${path}.livenessProbe`),
    ...probeProblems(readiness, `${path}.readinessProbe`),
    ...(grace === undefined
      ? []
      : [
          invalid(
            `${path}.readinessProbe.terminationGracePeriodSeconds`,
            String(grace),
            'must not be set for readinessProbes',
          ),
        ]),
    ...probeProblems(startup, `${path}.startupProbe`),
    ...uniquenessProblems(startup, `${path}.startupProbe`),
  ];
}

/** `path` is that of the container; `spec` has the termination grace period. */
export function lifecycleProblems(container: JsonObject, spec: JsonObject, path: string): readonly Problem[] {
  const grace = numberAt(spec, 'terminationGracePeriodSeconds');
  return ['postStart', 'preStop'].flatMap((hook) => {
    const handler = objectAt(container, 'lifecycle', hook);
    return handler === undefined ? [] : handlerProblems(handler, `${path}.lifecycle.${hook}`, grace);
  });
}

const SECONDS_AND_COUNTS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

function probeProblems(probe: JsonObject | undefined, path: string): readonly Problem[] {
  if (probe === undefined) return [];
  const grace = optionalNumberAt(probe, 'terminationGracePeriodSeconds');
  return [
    ...handlerProblems(probe, path, 0),
    ...SECONDS_AND_COUNTS.flatMap((field) =>
      negativeProblems(`${path}.${field}`, optionalNumberAt(probe, field)),
    ),
    ...(grace !== undefined && grace <= 0
      ? [invalid(`${path}.terminationGracePeriodSeconds`, String(grace), 'must be greater than 0')]
      : []),
  ];
}

function uniquenessProblems(probe: JsonObject | undefined, path: string): readonly Problem[] {
  const successes = optionalNumberAt(probe, 'successThreshold') ?? 1;
  return successes === 1 ? [] : [invalid(`${path}.successThreshold`, String(successes), 'must be 1')];
}

const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

function handlerProblems(owner: JsonObject, path: string, graceSeconds: number): readonly Problem[] {
  const [first, ...others] = HANDLERS.filter((kind) => valueAt(owner, kind) !== undefined);
  if (first === undefined) return [required(path, 'must specify a handler type')];
  const handler = objectAt(owner, first) ?? {};
  return [
    ...actionProblems(first, handler, `${path}.${first}`, graceSeconds),
    ...others.map((kind) => forbidden(`${path}.${kind}`, 'may not specify more than 1 handler type')),
  ];
}

function actionProblems(
  kind: (typeof HANDLERS)[number],
  action: JsonObject,
  path: string,
  graceSeconds: number,
): readonly Problem[] {
  switch (kind) {
    case 'exec':
      return stringsAt(action, 'command').length === 0 ? [required(`${path}.command`)] : [];
    case 'httpGet':
      return httpProblems(action, path);
    case 'tcpSocket':
      return portOrNameProblems(`${path}.port`, valueAt(action, 'port'));
    case 'grpc':
      return portProblems(`${path}.port`, numberAt(action, 'port'));
    case 'sleep':
      return sleepProblems(numberAt(action, 'seconds'), path, graceSeconds);
  }
}

const SCHEMES = ['HTTP', 'HTTPS'];
const NOT_A_HEADER =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";

function httpProblems(action: JsonObject, path: string): readonly Problem[] {
  const scheme = stringAt(action, 'scheme');
  return [
    ...(stringAt(action, 'path') === '' ? [required(`${path}.path`)] : []),
    ...portOrNameProblems(`${path}.port`, valueAt(action, 'port')),
    ...(SCHEMES.includes(scheme) ? [] : [unsupportedText(`${path}.scheme`, scheme, SCHEMES)]),
    ...objectsAt(action, 'httpHeaders').flatMap((header) => {
      const name = stringAt(header, 'name');
      return /^[-A-Za-z0-9]+$/.test(name) ? [] : [invalidText(`${path}.httpHeaders`, name, NOT_A_HEADER)];
    }),
  ];
}

function sleepProblems(seconds: number, path: string, graceSeconds: number): readonly Problem[] {
  if (seconds >= 0 && seconds <= graceSeconds) return [];
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
  return [invalid(path, String(seconds), detail)];
}
