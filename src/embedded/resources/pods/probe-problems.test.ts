/** Recorded from kube-apiserver 1.33. Texts are compared up to the examples that they end with. */
import { describe, expect, it } from 'vitest';
import { created } from '../../../../test/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { podStrategy } from './pod.ts';

const ROWS: readonly (readonly [what: string, spec: JsonObject, causes: readonly string[]])[] = [
  [
    'a probe that does nothing',
    { containers: [{ name: 'a', image: 'x', livenessProbe: {} }] },
    ['spec.containers[0].livenessProbe FieldValueRequired: Required value: must specify a handler type'],
  ],
  [
    'a probe that does two things',
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
    'a probe without a command',
    { containers: [{ name: 'a', image: 'x', readinessProbe: { exec: {} } }] },
    ['spec.containers[0].readinessProbe.exec.command FieldValueRequired: Required value'],
  ],
  [
    'a probe of a bad address',
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
    'a probe of a bad port name',
    { containers: [{ name: 'a', image: 'x', readinessProbe: { httpGet: { port: 'A_B' } } }] },
    [
      'spec.containers[0].readinessProbe.httpGet.port FieldValueInvalid: Invalid value: "A_B": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'spec.containers[0].readinessProbe.httpGet.port FieldValueInvalid: Invalid value: "A_B": must contain at least one letter (a-z)',
    ],
  ],
  [
    'a probe of a bad port',
    { containers: [{ name: 'a', image: 'x', readinessProbe: { tcpSocket: { port: 70000 } } }] },
    [
      'spec.containers[0].readinessProbe.tcpSocket.port FieldValueInvalid: Invalid value: 70000: must be between 1 and 65535, inclusive',
    ],
  ],
  [
    'a probe of no port',
    { containers: [{ name: 'a', image: 'x', readinessProbe: { grpc: { port: 0 } } }] },
    [
      'spec.containers[0].readinessProbe.grpc.port FieldValueInvalid: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
  ],
  [
    'a probe with negative times',
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
    'probes that must succeed once',
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
    'a hook that does nothing',
    { containers: [{ name: 'a', image: 'x', lifecycle: { postStart: {} } }] },
    [
      'spec.containers[0].lifecycle.postStart FieldValueRequired: Required value: must specify a handler type',
    ],
  ],
  [
    'a hook that sleeps too long',
    { containers: [{ name: 'a', image: 'x', lifecycle: { preStop: { sleep: { seconds: 100 } } } }] },
    [
      'spec.containers[0].lifecycle.preStop.sleep FieldValueInvalid: Invalid value: 100: must be non-negative and less than terminationGracePeriodSeconds (30)',
    ],
  ],
];

describe('the probes of a container', () => {
  it.each(ROWS)('are refused with the words of the server: %s', (_, spec, causes) => {
    const found = created(podStrategy, { metadata: { name: 'a' }, spec });
    expect(found.causes.map((cause) => cause.replace(/ \(e\.g\. '.*$/, ''))).toEqual(causes);
  });
});
