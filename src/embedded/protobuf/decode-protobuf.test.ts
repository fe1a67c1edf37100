/**
 * Bodies in protobuf. The errors are those of kube-apiserver 1.33.13.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../base/json.ts';
import { decodeProtobuf } from './decode-protobuf.ts';
import { encodeProtobuf } from './encode-protobuf.ts';

/** A field with bytes, a text or fields of its own. */
type Part = readonly [number: number, value: string | readonly number[] | readonly Part[]];

function varint(value: number): readonly number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

function bytesOf(parts: readonly Part[]): readonly number[] {
  return parts.flatMap(([number, value]) => {
    const bytes = contentOf(value);
    return [...varint(number * 8 + 2), ...varint(bytes.length), ...bytes];
  });
}

function contentOf(value: Part[1]): readonly number[] {
  if (typeof value === 'string') return [...new TextEncoder().encode(value)];
  return value.flatMap((one) => (typeof one === 'number' ? [one] : bytesOf([one])));
}

const PREFIX = [0x6b, 0x38, 0x73, 0];

const body = (apiVersion: string, kind: string, ...object: readonly Part[]) =>
  raw(apiVersion, kind, bytesOf(object));

function raw(apiVersion: string, kind: string, object: readonly number[]): Uint8Array {
  const type: Part = [
    1,
    [
      [1, apiVersion],
      [2, kind],
    ],
  ];
  return Uint8Array.from([...PREFIX, ...bytesOf([type, [2, object]])]);
}

const text = (value: string) => Uint8Array.from(contentOf(value));
const NAME: Part = [1, [[1, 'a']]];
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };

/** The object, or what is wrong. */
function decoded(bytes: Uint8Array): JsonObject | string {
  const outcome = decodeProtobuf(bytes, CONFIG_MAP);
  return outcome.kind === 'ok' ? outcome.value.object : (outcome.problems[0]?.message ?? '');
}

const BROKEN_ENVELOPES: readonly (readonly [what: string, bytes: Uint8Array, message: string])[] = [
  ['nothing', new Uint8Array(), 'empty data'],
  ['only the prefix', Uint8Array.from(PREFIX), 'empty body'],
  [
    'other bytes',
    text('nonsense'),
    'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
  ],
  ['a cut number', Uint8Array.from([...PREFIX, 0xff, 0xff]), 'unexpected EOF'],
  ['a cut field', Uint8Array.from([...PREFIX, 0x0a, 0x7f]), 'unexpected EOF'],
  [
    'the end of no group',
    Uint8Array.from([...PREFIX, 0x0c]),
    'proto: Unknown: wiretype end group for non-group',
  ],
  ['no field', Uint8Array.from([...PREFIX, 2, 0]), 'proto: Unknown: illegal tag 0 (wire type 2)'],
  ['no wire type', Uint8Array.from([...PREFIX, 0x2f]), 'proto: illegal wireType 7'],
  [
    'a number for a message',
    Uint8Array.from([...PREFIX, 8, 1]),
    'proto: wrong wireType = 0 for field TypeMeta',
  ],
  ['an endless number', Uint8Array.from([...PREFIX, ...Array(50).fill(0xff)]), 'proto: integer overflow'],
];

const BROKEN_OBJECTS: readonly (readonly [what: string, object: readonly number[], message: string])[] = [
  ['a cut field', [0x0a, 0x7f], 'unexpected EOF'],
  ['a number for metadata', [8, 1], 'proto: wrong wireType = 0 for field ObjectMeta'],
  ['a number for a name', bytesOf([[1, [8, 1]]]), 'proto: wrong wireType = 0 for field Name'],
  [
    'a number for a version',
    bytesOf([[1, [[13, [0x28, 1]]]]]),
    'proto: wrong wireType = 0 for field APIVersion',
  ],
  ['an endless number', [0x20, ...Array(11).fill(0xff)], 'proto: integer overflow'],
  ['the end of no group', [0x0c], 'proto: ConfigMap: wiretype end group for non-group'],
  [
    'the end of no group in metadata',
    bytesOf([[1, [0x0c]]]),
    'proto: ObjectMeta: wiretype end group for non-group',
  ],
  [
    'a length below zero',
    [0x0a, ...Array(9).fill(0xff), 1],
    'proto: negative length found during unmarshaling',
  ],
  ['an open group', [0xa3, 0x06, 8, 1], 'unexpected EOF'],
];

describe('an invalid protobuf body', () => {
  it.each(BROKEN_ENVELOPES)('is refused: %s', (_what, bytes, message) => {
    const outcome = decodeProtobuf(bytes, CONFIG_MAP);
    expect(outcome).toEqual({ kind: 'invalid', problems: [{ path: '', message }] });
  });

  it.each(BROKEN_OBJECTS)('is refused with its kind: %s', (_what, object, message) => {
    const outcome = decodeProtobuf(raw('v1', 'ConfigMap', object));
    expect(outcome).toEqual({ kind: 'invalid', problems: [{ path: '', message }], of: CONFIG_MAP });
  });

  it('is refused if it is nested too deeply', () => {
    let schema: readonly number[] = [];
    // items of items of items: each is a schema within a form within a schema.
    for (let level = 0; level < 200; level++) schema = bytesOf([[24, [[1, schema]]]]);
    const version: Part = [7, [[4, [[1, schema]]]]];
    const bytes = body('apiextensions.k8s.io/v1', 'CustomResourceDefinition', [2, [version]]);
    expect(decoded(bytes)).toBe('nested deeper than 100 levels');
  });

  it('is refused if its JSON is nested too deeply', () => {
    const deep = `${'['.repeat(200)}${']'.repeat(200)}`;
    const bytes = body('v1', 'ConfigMap', [1, [[17, [[7, [[1, deep]]]]]]]);
    expect(decoded(bytes)).toBe('the object is nested deeper than 100 levels');
  });

  it('is refused if it has too many messages', () => {
    const containers = Array.from({ length: 210_000 }, () => [0x12, 0]).flat();
    expect(decoded(body('v1', 'Pod', [2, containers]))).toBe('more than 200000 messages');
  });

  it.each([
    ['a time', body('v1', 'ConfigMap', [1, [[8, [8, ...Array(8).fill(0xff), 1]]]]), 'a time is out of range'],
    ['raw JSON', body('v1', 'ConfigMap', [1, [[17, [[7, [[1, '{']]]]]]]), 'a raw value is not JSON'],
  ])('is refused for an invalid %s', (_what, bytes, message) => {
    expect(decoded(bytes)).toBe(message);
  });
});

describe('the kind of a body', () => {
  it('is the expected one if the envelope has none', () => {
    const named = { metadata: { name: 'a', creationTimestamp: null } };
    for (const [apiVersion, kind] of [
      ['', ''],
      ['v1', ''],
      ['', 'ConfigMap'],
    ] as const) {
      expect(decoded(body(apiVersion, kind, NAME))).toEqual({ ...CONFIG_MAP, ...named });
    }
  });

  it('is missing if there is no expected one', () => {
    const outcome = decodeProtobuf(body('v1', '', NAME));
    expect(outcome).toMatchObject({
      problems: [{ message: `Object 'Kind' is missing in 'runtime.TypeMeta{APIVersion:"v1", Kind:""}'` }],
    });
  });

  it('may be unknown, or differ from the expected one', () => {
    expect(decoded(body('v1', 'Nonsense', NAME))).toEqual({ apiVersion: 'v1', kind: 'Nonsense' });
    expect(decoded(body('v1', 'Secret', NAME))).toMatchObject({ kind: 'Secret', metadata: { name: 'a' } });
  });

  it('of DeleteOptions is the same in every group', () => {
    const bytes = body('apps/v1', 'DeleteOptions', [2, [[1, 'u']]]);
    expect(decoded(bytes)).toEqual({
      apiVersion: 'apps/v1',
      kind: 'DeleteOptions',
      preconditions: { uid: 'u' },
    });
  });
});

describe('an object', () => {
  const objectOf = (...parts: readonly Part[]) => {
    const object = decoded(body('v1', 'ConfigMap', NAME, ...parts));
    return typeof object === 'string' ? object : object.data;
  };

  it('omits empty fields except times that were never set', () => {
    const bytes = body(
      'authorization.k8s.io/v1',
      'SelfSubjectAccessReview',
      [1, []],
      [
        2,
        [
          [
            1,
            [
              [1, 'd'],
              [3, ''],
            ],
          ],
        ],
      ],
    );
    expect(decoded(bytes)).toEqual({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      metadata: { creationTimestamp: null },
      spec: { resourceAttributes: { namespace: 'd' } },
      status: { allowed: false },
    });
  });

  it('may have any key in its maps', () => {
    const entry = (key: string, value: string): Part => [
      2,
      [
        [1, key],
        [2, value],
      ],
    ];
    expect(Object.entries(objectOf(entry('__proto__', 'x'), entry('k', 'v')) ?? {})).toEqual([
      ['__proto__', 'x'],
      ['k', 'v'],
    ]);
    expect(objectOf(entry('k', '\uFEFFv'))).toEqual({ k: '\uFEFFv' });
    expect(objectOf([2, [[1, 'k']]])).toEqual({ k: '' });
    expect(objectOf([2, [[2, 'v']]])).toEqual({ '': 'v' });
  });

  it('may be sent in pieces and with unknown fields', () => {
    const label: Part = [
      11,
      [
        [1, 'x'],
        [2, 'y'],
      ],
    ];
    const group = [0xa3, 0x06, 8, 1, 0xa4, 0x06];
    const parts = [...bytesOf([NAME, [99, 'zz'], [1, [label]]]), ...group];
    expect(decoded(raw('v1', 'ConfigMap', parts))).toMatchObject({
      metadata: { name: 'a', labels: { x: 'y' } },
    });
  });
});

const META = { name: 'a', creationTimestamp: '2024-02-29T12:34:56Z' };

/** Each is JSON as the library writes it; what it leaves out is left out. */
const OBJECTS: readonly JsonObject[] = [
  { apiVersion: 'v1', kind: 'Secret', metadata: META, data: { k: 'dg==', empty: '' }, type: 'Opaque' },
  {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: META,
    involvedObject: { kind: 'Pod', uid: 'u' },
    source: {},
    firstTimestamp: null,
    lastTimestamp: '1969-12-31T23:59:59Z',
    count: -1,
    eventTime: '2024-02-29T12:34:56.000120Z',
    reportingComponent: '',
    reportingInstance: '',
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: META,
    spec: { minAvailable: '50%', maxUnavailable: 0, selector: {} },
    status: {
      disruptedPods: { p: '2024-02-29T12:34:56Z' },
      disruptionsAllowed: 0,
      currentHealthy: 0,
      desiredHealthy: 0,
      expectedPods: 0,
    },
  },
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { ...META, managedFields: [{ manager: 'm', fieldsV1: { 'f:spec': { '.': {} } } }] },
    spec: {
      group: 'x.io',
      names: { plural: 'widgets', kind: 'Widget' },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: false,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              default: { a: [1, null] },
              enum: ['x', 1, true, null],
              maximum: 1.5,
              maxLength: 9007199254740991,
              items: { type: 'string' },
              additionalProperties: false,
              properties: { a: { additionalProperties: { $ref: '#' } } },
              dependencies: { a: ['b'], c: { type: 'object' } },
              'x-kubernetes-list-map-keys': ['k'],
            },
          },
        },
      ],
    },
    status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { creationTimestamp: null },
    spec: {
      volumes: [{ name: 'v', configMap: { name: 'c', defaultMode: 420 } }],
      containers: [
        {
          name: 'c',
          resources: { limits: { cpu: '100m' } },
          livenessProbe: { httpGet: { port: 8080 }, periodSeconds: 10 },
        },
      ],
      priority: 0,
      hostNetwork: true,
    },
    status: {},
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: META,
    spec: {
      matchConstraints: { resourceRules: [{ operations: ['*'], apiGroups: [''], resources: ['pods'] }] },
      failurePolicy: 'Fail',
    },
    status: {},
  },
  {
    apiVersion: 'v1',
    kind: 'ConfigMapList',
    metadata: { resourceVersion: '5' },
    items: [{ metadata: META }],
  },
  {
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    status: 'Failure',
    details: { name: 'a', causes: [{ message: 'm' }] },
    code: 404,
  },
];

describe('an encoded object', () => {
  it.each(OBJECTS.map((object): [Json | undefined, JsonObject] => [object.kind, object]))(
    'is decoded again: %s',
    (_kind, object) => {
      expect(decoded(encodeProtobuf(object) ?? new Uint8Array())).toEqual(object);
    },
  );

  it('must be of a kind with a protobuf encoding', () => {
    expect(encodeProtobuf({ apiVersion: 'example.com/v1', kind: 'Widget' })).toBeUndefined();
    expect(encodeProtobuf({ apiVersion: 'meta.k8s.io/v1', kind: 'Table' })).toBeUndefined();
    expect(encodeProtobuf({})).toBeUndefined();
  });
});

describe('protobuf', () => {
  it('does not throw for any bytes', () => {
    const [, , , definition] = OBJECTS.map((object) => encodeProtobuf(object) ?? new Uint8Array());
    const whole = definition ?? new Uint8Array();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(whole.length), (bytes, at) => {
        decodeProtobuf(bytes);
        decodeProtobuf(Uint8Array.from([...PREFIX, ...bytes]));
        decodeProtobuf(raw('v1', 'Pod', [...bytes]));
        decodeProtobuf(Uint8Array.from([...whole.slice(0, at), ...bytes, ...whole.slice(at)]));
      }),
      { numRuns: 300 },
    );
  });

  it('does not throw for any JSON', () => {
    const kinds = OBJECTS.map(({ apiVersion, kind }) => ({ apiVersion, kind }));
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fc.jsonValue(), fc.jsonValue(), (kind, spec, metadata) => {
        // The generated values are JSON, which their type does not express.
        const object = { ...kind, metadata, spec, data: spec, status: metadata, items: [spec] } as JsonObject;
        encodeProtobuf(object);
      }),
      { numRuns: 300 },
    );
  });
});
