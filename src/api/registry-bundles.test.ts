import { describe, expect, it } from 'vitest';
import { registryOfBundle } from './registry-bundles.ts';

describe('registryOfBundle', () => {
  it.each([
    ['registry.example.com', 'registry.example.com'],
    ['registry.example.com..5000', 'registry.example.com:5000'],
    ['image-registry.openshift-image-registry.svc..5000', 'image-registry.openshift-image-registry.svc:5000'],
    ['10.0.0.1..443', '10.0.0.1:443'],
    ['localhost..5443', 'localhost:5443'],
    ['Registry', 'Registry'],
    // The ControllerConfig may name it either way.
    ['registry.example.com:5000', 'registry.example.com:5000'],
  ])('reads %s as %s', (file, registry) => {
    expect(registryOfBundle(file)).toBe(registry);
  });

  it.each([
    ...['', '.', '..', '...', '....', '/', 'a/b', '../etc', '..', 'a/../../b', 'a\0', 'a\n', ' a'],
    ...['.a', 'a.', '-a', 'a-', 'a..', 'a..0', 'a..65536', 'a..123456', 'a..b', 'a..1..2', 'a_b', '[::1]'],
    ...['ca.crt ', `${'a'.repeat(240)}..5000`],
  ])('refuses %j', (file) => {
    expect(registryOfBundle(file)).toBeUndefined();
  });
});
