import { describe, expect, it } from 'vitest';
import type { StructuralSchema } from '../../../kubernetes/schema/index.ts';
import { bodies, builtins } from '../../../kubernetes/types/index.ts';
import { goField, itemTypeOf, structOf } from './go-types.ts';

function schemaAt(
  kind: string,
  path: string,
): { readonly struct: string; readonly schema: StructuralSchema } {
  const root = [...builtins, ...bodies].find((one) => one.kind === kind);
  let struct = kind;
  let schema: StructuralSchema = root?.schema ?? {};
  for (const field of path.split('.').slice(0, -1)) {
    const next: StructuralSchema = schema.properties?.[field] ?? {};
    const { type } = goField(struct, field, next);
    struct = structOf(type);
    schema = next.items ?? next;
  }
  return { struct, schema };
}

function fieldAt(kind: string, path: string) {
  const { struct, schema } = schemaAt(kind, path);
  const field = path.slice(path.lastIndexOf('.') + 1);
  return goField(struct, field, schema.properties?.[field] ?? {});
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
    expect(fieldAt(kind, path)).toEqual({ type, isPointer });
  });

  it.each([
    ['[]v1.Container', 'v1.Container'],
    ['map[string]string', 'string'],
    ['map[string]v1.ExtraValue', 'v1.ExtraValue'],
    ['v1.ExtraValue', 'string'],
    ['v1.ResourceList', 'resource.Quantity'],
  ])('%s is made of %s', (type, item) => {
    expect(itemTypeOf(type)).toBe(item);
  });
});
