/** Recorded from kube-apiserver 1.33. */
import { describe, expect, it } from 'vitest';
import { created, updated } from '../../../../test/resource-writes.ts';
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

describe('annotations of a pod', () => {
  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    [
      'a profile that there is not',
      { [POD]: 'x' },
      {},
      [`metadata.annotations.${POD} FieldValueInvalid: Invalid value: "x": must be a valid seccomp profile`],
    ],
    [
      'no profile at all',
      { [POD]: '' },
      {},
      [`metadata.annotations.${POD} FieldValueInvalid: Invalid value: "": must be a valid seccomp profile`],
    ],
    [
      'a profile outside of the folder',
      { [POD]: 'localhost/../a' },
      {},
      [`metadata.annotations.${POD} FieldValueInvalid: Invalid value: "../a": must not contain '..'`],
    ],
    [
      'a profile anywhere on the node',
      { [POD]: 'localhost//a' },
      {},
      [`metadata.annotations.${POD} FieldValueInvalid: Invalid value: "/a": must be a relative path`],
    ],
    [
      'profiles of containers, also of those that are not there',
      { [`${CONTAINER}c`]: 'x', [`${CONTAINER}d`]: 'y' },
      {},
      [
        `metadata.annotations.${CONTAINER}c FieldValueInvalid: Invalid value: "x": must be a valid seccomp profile`,
        `metadata.annotations.${CONTAINER}d FieldValueInvalid: Invalid value: "y": must be a valid seccomp profile`,
      ],
    ],
    [
      'a type that is not that of the field',
      { [POD]: 'localhost/a' },
      { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } },
      [
        'spec.securityContext.seccompProfile.type FieldValueForbidden: Forbidden: seccomp type in annotation and field must match',
      ],
    ],
    [
      'a profile that is not that of the field',
      { [`${CONTAINER}c`]: 'localhost/a' },
      withProfile('seccompProfile', { type: 'Localhost', localhostProfile: 'b' }),
      [
        'spec.containers[0].securityContext.seccompProfile.localhostProfile FieldValueForbidden: Forbidden: seccomp profile in annotation and field must match',
      ],
    ],
    [
      'a profile of AppArmor that there is not, for a container that there is not',
      { [`${APPARMOR}d`]: 'y' },
      {},
      [
        `metadata.annotations[${APPARMOR}d] FieldValueInvalid: Invalid value: "d": container not found`,
        `metadata.annotations[${APPARMOR}d] FieldValueInvalid: Invalid value: "y": invalid AppArmor profile name: "y"`,
      ],
    ],
    [
      'a type of AppArmor that is not that of the field',
      { [`${APPARMOR}c`]: 'localhost/x' },
      withProfile('appArmorProfile', { type: 'Unconfined' }),
      [
        'spec.containers[0].securityContext.appArmorProfile.type FieldValueForbidden: Forbidden: apparmor type in annotation and field must match',
      ],
    ],
    [
      'a mirror without a node',
      { [MIRROR]: 'x' },
      {},
      [
        `metadata.annotations[${MIRROR}] FieldValueInvalid: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set`,
      ],
    ],
  ])('are refused with the words of the server: %s', (_, annotations, spec, causes) => {
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

  it('give no warning where the field says the same', () => {
    const spec = { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } };
    expect(created(podStrategy, pod({ [POD]: 'runtime/default' }, spec))).toMatchObject({
      causes: [],
      warnings: [],
    });
  });

  it('are checked in templates, too', () => {
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

  it('that a pod was started with stay', () => {
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
