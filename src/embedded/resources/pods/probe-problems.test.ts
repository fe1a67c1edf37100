/** Recorded from kube-apiserver 1.33. Messages are compared without the examples at their end. */
import { describe, expect, it } from 'vitest';
import { created } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { podStrategy } from './pod.ts';

const ROWS: readonly (readonly [what: string, spec: JsonObject, causes: readonly string[]])[] = [
  [
    'a probe without a handler',
    { containers: [{ name: 'a', image: 'x', livenessProbe: {} }] },
    ['spec.containers[0].livenessProbe FieldValueRequired: Required value: must specify a handler type'],
  ],
  [
    'a probe with two handlers',
    {
      containers: [
        { name: 'a', image: 'x', livenessProbe: { exec: { command: ['x'] }, httpGet: { port: 80 } } },
      ],
    },
    [
      'spec.containers[0].livenessProbe.httpGet FieldValueForbidden: Forbidden: may not specify more than 1 handler type',
    ],
  ],
  [
    'an exec probe without a command',
    { containers: [{ name: 'a', image: 'x', readinessProbe: { exec: {} } }] },
    ['spec.containers[0].readinessProbe.exec.command FieldValueRequired: Required value'],
  ],
  [
    'an HTTP probe with an invalid host',
    {
      containers: [
        {
          name: 'a',
          image: 'x',
          readinessProbe: { httpGet: { port: '', scheme: 'FTP', httpHeaders: [{ name: 'a b', value: '' }] } },
        },
      ],
    },
    [
      'spec.containers[0].readinessProbe.httpGet.port FieldValueInvalid: Invalid value: "": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'spec.containers[0].readinessProbe.httpGet.port FieldValueInvalid: Invalid value: "": must contain at least one letter (a-z)',
      'spec.containers[0].readinessProbe.httpGet.scheme FieldValueNotSupported: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"',
      'spec.containers[0].readinessProbe.httpGet.httpHeaders FieldValueInvalid: Invalid value: "a b": a valid HTTP header must consist of alphanumeric characters or \'-\'',
    ],
  ],
  [
    'an invalid port name',
    { containers: [{ name: 'a', image: 'x', readinessProbe: { httpGet: { port: 'A_B' } } }] },
    [
      'spec.containers[0].readinessProbe.httpGet.port FieldValueInvalid: Invalid value: "A_B": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'spec.containers[0].readinessProbe.httpGet.port FieldValueInvalid: Invalid value: "A_B": must contain at least one letter (a-z)',
    ],
  ],
  [
    'an invalid port number',
    { containers: [{ name: 'a', image: 'x', readinessProbe: { tcpSocket: { port: 70000 } } }] },
    [
      'spec.containers[0].readinessProbe.tcpSocket.port FieldValueInvalid: Invalid value: 70000: must be between 1 and 65535, inclusive',
    ],
  ],
  [
    'a missing port',
    { containers: [{ name: 'a', image: 'x', readinessProbe: { grpc: { port: 0 } } }] },
    [
      'spec.containers[0].readinessProbe.grpc.port FieldValueInvalid: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
  ],
  [
    'negative durations',
    {
      containers: [
        {
          name: 'a',
          image: 'x',
          livenessProbe: {
            exec: { command: ['x'] },
            initialDelaySeconds: -1,
            timeoutSeconds: -1,
            periodSeconds: -1,
            successThreshold: -1,
            failureThreshold: -1,
            terminationGracePeriodSeconds: 0,
          },
        },
      ],
    },
    [
      'spec.containers[0].livenessProbe.initialDelaySeconds FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0',
      'spec.containers[0].livenessProbe.timeoutSeconds FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0',
      'spec.containers[0].livenessProbe.periodSeconds FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0',
      'spec.containers[0].livenessProbe.successThreshold FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0',
      'spec.containers[0].livenessProbe.failureThreshold FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0',
      'spec.containers[0].livenessProbe.terminationGracePeriodSeconds FieldValueInvalid: Invalid value: 0: must be greater than 0',
      'spec.containers[0].livenessProbe.successThreshold FieldValueInvalid: Invalid value: -1: must be 1',
    ],
  ],
  [
    'liveness and startup probes with a success threshold',
    {
      containers: [
        {
          name: 'a',
          image: 'x',
          livenessProbe: { exec: { command: ['x'] }, successThreshold: 2 },
          startupProbe: { exec: { command: ['x'] }, successThreshold: 2 },
          readinessProbe: { exec: { command: ['x'] }, terminationGracePeriodSeconds: 1 },
        },
      ],
    },
    [
      'spec.containers[0].livenessProbe.successThreshold FieldValueInvalid: Invalid value: 2: must be 1',
      'spec.containers[0].readinessProbe.terminationGracePeriodSeconds FieldValueInvalid: Invalid value: 1: must not be set for readinessProbes',
      'spec.containers[0].startupProbe.successThreshold FieldValueInvalid: Invalid value: 2: must be 1',
    ],
  ],
  [
    'a hook without a handler',
    { containers: [{ name: 'a', image: 'x', lifecycle: { postStart: {} } }] },
    [
      'spec.containers[0].lifecycle.postStart FieldValueRequired: Required value: must specify a handler type',
    ],
  ],
  [
    'a hook that sleeps longer than the grace period',
    { containers: [{ name: 'a', image: 'x', lifecycle: { preStop: { sleep: { seconds: 100 } } } }] },
    [
      'spec.containers[0].lifecycle.preStop.sleep FieldValueInvalid: Invalid value: 100: must be non-negative and less than terminationGracePeriodSeconds (30)',
    ],
  ],
];

describe('the validation of probes', () => {
  it.each(ROWS)('rejects with the messages of kube-apiserver: %s', (_, spec, causes) => {
    const found = created(podStrategy, { metadata: { name: 'a' }, spec });
    expect(found.causes.map((cause) => cause.replace(/ \(e\.g\. '.*$/, ''))).toEqual(causes);
  });
});
