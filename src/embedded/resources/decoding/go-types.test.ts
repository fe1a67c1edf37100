import { describe, expect, it } from 'vitest';
import type { StructuralSchema } from '../../../kubernetes/schema/index.ts';
import { bodies, builtins } from '../../../kubernetes/types/index.ts';
import { goTypeOf, structNameOf } from './go-types.ts';

function schemaAt(kind: string, path: string): StructuralSchema {
  let schema: StructuralSchema = [...builtins, ...bodies].find((one) => one.kind === kind)?.schema ?? {};
  for (const field of path.split('.')) {
    const next: StructuralSchema | undefined = (schema.items ?? schema).properties?.[field];
    expect(next, `${kind}.${path}`).toBeDefined();
    schema = next ?? {};
  }
  return schema;
}

describe('the Go type of a field', () => {
  it.each([
    ['ConfigMap', 'data', 'map[string]string', false],
    ['ConfigMap', 'binaryData', 'map[string][]uint8', false],
    ['ConfigMap', 'immutable', 'bool', true],
    ['Pod', 'metadata', 'v1.ObjectMeta', false],
    ['Pod', 'metadata.uid', 'types.UID', false],
    ['Pod', 'metadata.creationTimestamp', 'v1.Time', false],
    ['Pod', 'spec', 'v1.PodSpec', false],
    ['Pod', 'spec.containers', '[]v1.Container', false],
    ['Pod', 'spec.initContainers.restartPolicy', 'v1.ContainerRestartPolicy', true],
    ['Pod', 'spec.containers.resources.limits', 'v1.ResourceList', false],
    ['Pod', 'spec.containers.ports.hostPort', 'int32', false],
    ['Pod', 'spec.volumes.projected.sources.configMap', 'v1.ConfigMapProjection', false],
    ['Pod', 'spec.terminationGracePeriodSeconds', 'int64', true],
    ['Pod', 'spec.hostNetwork', 'bool', false],
    ['Deployment', 'spec.replicas', 'int32', true],
    ['Deployment', 'spec.template.spec.containers', '[]v1.Container', false],
    ['Deployment', 'status.conditions', '[]v1.DeploymentCondition', false],
    ['Lease', 'spec.renewTime', 'v1.MicroTime', false],
    ['Service', 'spec.ipFamilies', '[]v1.IPFamily', false],
    ['TokenReview', 'status.user.extra', 'map[string]v1.ExtraValue', false],
  ])('%s.%s is %s', (kind, path, type, isPointer) => {
    const schema = schemaAt(kind, path);
    expect(goTypeOf(schema)).toBe(type);
    expect(schema['x-go-pointer'] === true).toBe(isPointer);
  });

  it.each([
    ['Pod', 'spec.containers', 'v1.Container'],
    ['Pod', 'metadata.labels', 'string'],
    ['TokenReview', 'status.user.extra', 'v1.ExtraValue'],
    ['Node', 'status.capacity', 'resource.Quantity'],
  ])('%s.%s is made of %s', (kind, path, item) => {
    const { items, additionalProperties } = schemaAt(kind, path);
    expect(goTypeOf(items ?? (additionalProperties as StructuralSchema))).toBe(item);
  });

  it('is known of every object of every kind', () => {
    const visit = (schema: StructuralSchema, path: string): void => {
      const { properties, items, additionalProperties } = schema;
      if (schema.type === 'object' && typeof additionalProperties !== 'object') {
        expect(schema['x-go-type'], path).toMatch(/^[a-z]+\.[A-Z]\w+$/);
      }
      for (const [name, field] of Object.entries(properties ?? {})) visit(field, `${path}.${name}`);
      if (items !== undefined) visit(items, `${path}[]`);
      if (typeof additionalProperties === 'object') visit(additionalProperties, `${path}{}`);
    };
    for (const { kind, schema } of [...builtins, ...bodies]) visit(schema, kind);
  });
});

describe('the name of a struct', () => {
  it('has no package', () => {
    expect(structNameOf(schemaAt('Pod', 'spec'))).toBe('PodSpec');
  });
});
