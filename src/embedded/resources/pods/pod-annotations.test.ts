/** Recorded from kube-apiserver 1.33. */
import { describe, expect, it } from 'vitest';
import { created, updated } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { deploymentStrategy } from '../workloads/deployment.ts';
import { podStrategy } from './pod.ts';

const POD = 'seccomp.security.alpha.kubernetes.io/pod';
const CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';
const APPARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const MIRROR = 'kubernetes.io/config.mirror';

const container = { name: 'c', image: 'i' };
const pod = (annotations: JsonObject, spec: JsonObject = {}): JsonObject => ({
  metadata: { name: 'p', annotations },
  spec: { containers: [container], ...spec },
});
const withProfile = (kind: string, profile: JsonObject): JsonObject => ({
  containers: [{ ...container, securityContext: { [kind]: profile } }],
});

describe('the validation of pod annotations', () => {
  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    [
      'an unknown seccomp profile',
      { [POD]: 'x' },
      {},
      [`metadata.annotations.${POD} FieldValueInvalid: Invalid value: "x": must be a valid seccomp profile`],
    ],
    [
      'an empty seccomp profile',
      { [POD]: '' },
      {},
      [`metadata.annotations.${POD} FieldValueInvalid: Invalid value: "": must be a valid seccomp profile`],
    ],
    [
      'a localhost profile outside of its directory',
      { [POD]: 'localhost/../a' },
      {},
      [`metadata.annotations.${POD} FieldValueInvalid: Invalid value: "../a": must not contain '..'`],
    ],
    [
      'a localhost profile with an absolute path',
      { [POD]: 'localhost//a' },
      {},
      [`metadata.annotations.${POD} FieldValueInvalid: Invalid value: "/a": must be a relative path`],
    ],
    [
      'profiles of containers, also of unknown ones',
      { [`${CONTAINER}c`]: 'x', [`${CONTAINER}d`]: 'y' },
      {},
      [
        `metadata.annotations.${CONTAINER}c FieldValueInvalid: Invalid value: "x": must be a valid seccomp profile`,
        `metadata.annotations.${CONTAINER}d FieldValueInvalid: Invalid value: "y": must be a valid seccomp profile`,
      ],
    ],
    [
      'a type that contradicts the field',
      { [POD]: 'localhost/a' },
      { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } },
      [
        'spec.securityContext.seccompProfile.type FieldValueForbidden: Forbidden: seccomp type in annotation and field must match',
      ],
    ],
    [
      'a localhost profile that contradicts the field',
      { [`${CONTAINER}c`]: 'localhost/a' },
      withProfile('seccompProfile', { type: 'Localhost', localhostProfile: 'b' }),
      [
        'spec.containers[0].securityContext.seccompProfile.localhostProfile FieldValueForbidden: Forbidden: seccomp profile in annotation and field must match',
      ],
    ],
    [
      'an unknown AppArmor profile for an unknown container',
      { [`${APPARMOR}d`]: 'y' },
      {},
      [
        `metadata.annotations[${APPARMOR}d] FieldValueInvalid: Invalid value: "d": container not found`,
        `metadata.annotations[${APPARMOR}d] FieldValueInvalid: Invalid value: "y": invalid AppArmor profile name: "y"`,
      ],
    ],
    [
      'an AppArmor type that contradicts the field',
      { [`${APPARMOR}c`]: 'localhost/x' },
      withProfile('appArmorProfile', { type: 'Unconfined' }),
      [
        'spec.containers[0].securityContext.appArmorProfile.type FieldValueForbidden: Forbidden: apparmor type in annotation and field must match',
      ],
    ],
    [
      'a mirror pod without a node',
      { [MIRROR]: 'x' },
      {},
      [
        `metadata.annotations[${MIRROR}] FieldValueInvalid: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set`,
      ],
    ],
  ])('rejects with the messages of kube-apiserver: %s', (_, annotations, spec, causes) => {
    expect(created(podStrategy, pod(annotations, spec)).causes).toEqual(causes);
  });

  it.each(['runtime/default', 'docker/default', 'unconfined', 'localhost/', 'localhost/a/b'])(
    'may name the profile %s, with a warning that it does nothing',
    (profile) => {
      expect(created(podStrategy, pod({ [POD]: profile }))).toMatchObject({
        causes: [],
        warnings: [
          `metadata.annotations[${POD}]: non-functional in v1.27+; use the "seccompProfile" field instead`,
        ],
      });
    },
  );

  it('does not warn if the field has the same value', () => {
    const spec = { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } };
    expect(created(podStrategy, pod({ [POD]: 'runtime/default' }, spec))).toMatchObject({
      causes: [],
      warnings: [],
    });
  });

  it('applies to pod templates', () => {
    const template = {
      metadata: { labels: { a: 'b' }, annotations: { [POD]: 'x' } },
      spec: { containers: [container] },
    };
    const sent = { metadata: { name: 'd' }, spec: { selector: { matchLabels: { a: 'b' } }, template } };
    expect(created(deploymentStrategy, sent)).toMatchObject({
      causes: [
        `spec.template.annotations.${POD} FieldValueInvalid: Invalid value: "x": must be a valid seccomp profile`,
      ],
      warnings: [
        `spec.template.metadata.annotations[${POD}]: non-functional in v1.27+; use the "seccompProfile" field instead`,
      ],
    });
  });

  it('makes them immutable', () => {
    const old = created(podStrategy, pod({ [`${APPARMOR}c`]: 'localhost/x' })).object;
    const change = (annotations: JsonObject) =>
      updated(podStrategy, old, { ...old, metadata: { name: 'p', annotations } }).causes;
    expect(change({})).toEqual([
      `metadata.annotations[${APPARMOR}c] FieldValueForbidden: Forbidden: may not remove or update AppArmor annotations`,
    ]);
    expect(change({ [`${APPARMOR}c`]: 'localhost/x', [MIRROR]: 'x' })).toEqual([
      `metadata.annotations[${MIRROR}] FieldValueInvalid: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set`,
      `metadata.annotations[${MIRROR}] FieldValueForbidden: Forbidden: may not add mirror pod annotation`,
    ]);
    expect(change({ [`${APPARMOR}c`]: 'localhost/x', other: 'y' })).toEqual([]);
  });
});
