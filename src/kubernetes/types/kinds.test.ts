/**
 * What a server can do with built-in objects by their schemas alone.
 */
import { describe, expect, expectTypeOf, it } from 'vitest';
import { isObject } from '../../base/json.ts';
import type { StructuralSchema } from '../schema/index.ts';
import { applyDefaults, prune, validate } from '../validation/index.ts';
import { roleBinding } from './authorization/role-binding.ts';
import { daemonSet } from './daemon-set.ts';
import { type Deployment, deployment } from './deployment.ts';
import { job } from './job.ts';
import { bodies, builtins, findBody, findBuiltin } from './kinds.ts';
import { node } from './node.ts';
import { type Pod, pod } from './pod.ts';
import { podDisruptionBudget } from './pod-disruption-budget.ts';
import type { Container } from './pods/pod-container.ts';
import type { PodSpec } from './pods/pod-spec.ts';
import { service } from './service.ts';

/** The validation errors of an object after defaulting. */
function problemsOf(schema: StructuralSchema, object: object) {
  return validate(schema, applyDefaults(schema, object)).map(({ path, message }) => `${path}: ${message}`);
}

const metadata = { name: 'a' };

describe('a built-in kind', () => {
  it.each([
    ['apps/v1', 'Pod'],
    ['v1', 'pod'],
    ['v1', 'Eviction'],
    ['core/v1', 'Pod'],
    ['', ''],
  ])('is not found as %s %s', (apiVersion, kind) => {
    expect(findBuiltin(apiVersion, kind)).toBeUndefined();
  });

  it('is found by apiVersion and kind', () => {
    expect(findBuiltin('v1', 'Pod')).toBe(pod);
    expect(findBuiltin('policy/v1', 'PodDisruptionBudget')).toBe(podDisruptionBudget);
    expect(findBuiltin('v1', 'Event')).not.toBe(findBuiltin('events.k8s.io/v1', 'Event'));
    expect(findBody('policy/v1', 'Eviction')).toMatchObject({ kind: 'Eviction' });
    expect(findBody('v1', 'Pod')).toBe(pod);
  });

  it('has a path of its own', () => {
    const paths = builtins.map(({ group, version, plural }) => `${group}/${version}/${plural}`);
    expect(new Set(paths).size).toBe(paths.length);
  });

  it('can be listed if it is stored', () => {
    const lists = builtins.filter(({ listKind }) => listKind !== undefined);
    expect(lists.every(({ verbs }) => verbs.includes('list'))).toBe(true);
    expect(builtins.filter(({ verbs }) => verbs.includes('list'))).toEqual(lists);
  });

  it('has a status subresource if it has a status and is stored', () => {
    const kept = builtins.filter(({ listKind }) => listKind !== undefined);
    for (const { kind, schema, subresources } of kept) {
      const hasDoor = subresources.some(({ name }) => name === 'status');
      expect(hasDoor, kind).toBe(schema.properties?.status !== undefined);
    }
  });

  it('has subresources of known kinds or of stream options', () => {
    for (const { takes } of builtins.flatMap(({ subresources }) => subresources)) {
      const apiVersion = takes.group === '' ? takes.version : `${takes.group}/${takes.version}`;
      const isKnown = findBody(apiVersion, takes.kind) !== undefined;
      expect(isKnown || takes.kind.endsWith('Options'), takes.kind).toBe(true);
    }
  });
});

describe('a schema of a built-in kind', () => {
  const all = [...builtins, ...bodies];

  it.each(all)('of $group $kind has valid defaults', ({ schema }) => {
    const check = (part: StructuralSchema): void => {
      const isObjectWithDemands = isObject(part.default) && part.type === 'object';
      if (part.default !== undefined && !isObjectWithDemands) {
        expect(validate(part, part.default)).toEqual([]);
      }
      if (part.items !== undefined) check(part.items);
      if (isObject(part.additionalProperties)) check(part.additionalProperties);
      Object.values(part.properties ?? {}).forEach(check);
    };
    check(schema);
  });

  it.each(all)('of $group $kind has list map keys that are fields of its items', ({ schema }) => {
    const check = (part: StructuralSchema): void => {
      const keys = part['x-kubernetes-list-map-keys'] ?? [];
      expect(Object.keys(part.items?.properties ?? {})).toEqual(expect.arrayContaining([...keys]));
      if (part.items !== undefined) check(part.items);
      if (isObject(part.additionalProperties)) check(part.additionalProperties);
      Object.values(part.properties ?? {}).forEach(check);
    };
    check(schema);
  });

  it('is plain JSON', () => {
    for (const { schema } of all) expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });

  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a' }] } };
  const selector = { matchLabels: { a: 'b' } };

  it.each([
    [pod, {}, ['spec.containers: Required value']],
    [pod, { spec: { containers: [{}] } }, ['spec.containers[0].name: Required value']],
    [
      pod,
      { spec: { containers: [{ name: 'a', volumeMounts: [{ name: 'v' }] }] } },
      ['spec.containers[0].volumeMounts[0].mountPath: Required value'],
    ],
    [
      pod,
      { spec: { containers: [{ name: 'a' }], restartPolicy: 'Sometimes' } },
      [
        'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "Never", "OnFailure"',
      ],
    ],
    [deployment, { spec: { selector } }, ['spec.template.spec.containers: Required value']],
    [deployment, { spec: { template } }, ['spec.selector: Required value']],
    [node, { spec: { taints: [{ key: 'a' }] } }, ['spec.taints[0].effect: Required value']],
    [service, { spec: { ports: [{ name: 'http' }] } }, ['spec.ports[0].port: Required value']],
    [roleBinding, { roleRef: { kind: 'Role' } }, ['roleRef.name: Required value']],
  ] as const)('of $0.kind refuses %j', (kind, fields, problems) => {
    expect(problemsOf(kind.schema, { metadata, ...fields })).toEqual(problems);
  });

  /** Kinds without required fields. */
  it.each(
    [
      ['v1', 'Binding', 'ConfigMap', 'Endpoints', 'Event', 'Namespace', 'Node', 'Secret', 'Service'],
      ['v1', 'ServiceAccount'],
      ['policy/v1', 'Eviction', 'PodDisruptionBudget'],
      ['authentication.k8s.io/v1', 'SelfSubjectReview', 'TokenRequest', 'TokenReview'],
      ['authorization.k8s.io/v1', 'LocalSubjectAccessReview', 'SelfSubjectAccessReview'],
      ['authorization.k8s.io/v1', 'SelfSubjectRulesReview', 'SubjectAccessReview'],
      ['autoscaling/v1', 'Scale'],
      ['coordination.k8s.io/v1', 'Lease'],
      ['rbac.authorization.k8s.io/v1', 'ClusterRole', 'Role'],
      ['admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
    ].flatMap(([apiVersion = '', ...kinds]) => kinds.map((kind) => [apiVersion, kind] as const)),
  )('of %s %s accepts an object with only a name', (apiVersion, kind) => {
    const schema = findBody(apiVersion, kind)?.schema ?? {};
    expect(schema.properties).toBeDefined();
    expect(problemsOf(schema, { apiVersion, kind, metadata })).toEqual([]);
  });

  it('accepts quantities as strings and numbers', () => {
    const containers = (cpu: unknown) => [{ name: 'a', resources: { requests: { cpu } } }];
    for (const cpu of ['500m', '2', 2, 0.5, '1.5Gi']) {
      expect(problemsOf(pod.schema, { metadata, spec: { containers: containers(cpu) } })).toEqual([]);
    }
    expect(problemsOf(pod.schema, { metadata, spec: { containers: containers(true) } })).not.toEqual([]);
  });

  it('fills in the zero values of an empty node', () => {
    expect(applyDefaults(node.schema, { metadata })).toMatchObject({
      spec: {},
      status: {
        daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
        nodeInfo: { bootID: '', osImage: '', kubeletVersion: '' },
      },
    });
  });

  it('fills in the static defaults of a pod', () => {
    const containers = [{ name: 'a', ports: [{ containerPort: 80 }] }];
    expect(applyDefaults(pod.schema, { metadata, spec: { containers } })).toEqual({
      metadata,
      spec: { containers: [{ name: 'a', ports: [{ containerPort: 80, protocol: 'TCP' }], resources: {} }] },
      status: {},
    });
  });

  it('finds unknown fields, also deeply nested ones', () => {
    const spec = { selector, template: { spec: { containers: [{ name: 'a', imagePolicy: 'Never' }] } } };
    for (const { schema } of [deployment, daemonSet, job]) {
      const { unknownFields } = prune(schema, { metadata, spec });
      expect(unknownFields).toContain('spec.template.spec.containers[0].imagePolicy');
    }
  });
});

describe('the type of a built-in object', () => {
  it('follows from its schema', () => {
    expectTypeOf<Pod['spec']>().toEqualTypeOf<PodSpec>();
    expectTypeOf<Pod['spec']['containers']>().toEqualTypeOf<readonly Container[]>();
    expectTypeOf<NonNullable<Pod['status']>['phase']>().toEqualTypeOf<
      'Failed' | 'Pending' | 'Running' | 'Succeeded' | 'Unknown' | undefined
    >();
    expectTypeOf<Deployment['spec']['template']['spec']>().toEqualTypeOf<PodSpec>();
  });

  it('requires the fields that the server requires, and no others', () => {
    const small: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'a' }] },
    };
    expect(problemsOf(pod.schema, small)).toEqual([]);
    // @ts-expect-error: a container has a name.
    const nameless: Container = { image: 'a' };
    expect(nameless).toBeDefined();
  });
});
