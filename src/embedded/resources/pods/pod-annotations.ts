/**
 * Pod annotations that predate fields (AppArmor, seccomp). They must be well-formed and must not contradict the fields.
 */

import type { Problem } from '../../../base/errors.ts';
import { compareBytes, type JsonObject, own } from '../../../base/json.ts';
import { objectAt, objectsAt, optionalStringAt, stringAt } from '../../../base/json-fields.ts';
import { quoted } from '../../../base/text/index.ts';
import { forbidden, invalidText } from '../field-problems.ts';
import { descendingPathProblems } from './volume-paths.ts';

export type Annotations = { readonly [key: string]: string };

const MIRROR = 'kubernetes.io/config.mirror';
const POD_SECCOMP = 'seccomp.security.alpha.kubernetes.io/pod';
const CONTAINER_SECCOMP = 'container.seccomp.security.alpha.kubernetes.io/';
const APPARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const LOCAL = 'localhost/';

/** Problems with the annotations at the path, of a pod or template with this spec. */
export function podAnnotationProblems(
  annotations: Annotations,
  spec: JsonObject,
  path: string,
): readonly Problem[] {
  const mirror = own(annotations, MIRROR);
  const isLost = typeof mirror === 'string' && stringAt(spec, 'nodeName') === '';
  const detail = 'must set spec.nodeName if mirror pod annotation is set';
  return [
    ...(isLost ? [invalidText(`${path}[${MIRROR}]`, mirror, detail)] : []),
    ...[...named(annotations, POD_SECCOMP), ...startingWith(annotations, CONTAINER_SECCOMP)].flatMap(
      ([key, value]) => seccompProblems(`${path}.${key}`, value),
    ),
    ...startingWith(annotations, APPARMOR).flatMap(([key, value]) =>
      apparmorProblems(`${path}[${key}]`, { container: key.slice(APPARMOR.length), value, spec }),
    ),
  ];
}

/** Problems with fields of the spec at the path that contradict the annotations. */
export function profileMatchProblems(
  annotations: Annotations,
  spec: JsonObject,
  path: string,
): readonly Problem[] {
  const match = (kind: Profile, owner: JsonObject, at: string, annotation: string) =>
    mismatches({ kind, field: objectAt(owner, 'securityContext', kind.field), at, annotation, annotations });
  return [
    ...match(SECCOMP_PROFILE, spec, path, POD_SECCOMP),
    ...CONTAINER_LISTS.flatMap((list) =>
      objectsAt(spec, list).flatMap((container, index) => {
        const [name, at] = [stringAt(container, 'name'), `${path}.${list}[${index}]`];
        return [
          ...match(SECCOMP_PROFILE, container, at, CONTAINER_SECCOMP + name),
          ...match(APPARMOR_PROFILE, container, at, APPARMOR + name),
        ];
      }),
    ),
  ];
}

/** These annotations are immutable. */
export function podAnnotationUpdateProblems(now: Annotations, before: Annotations): readonly Problem[] {
  const at = (key: string) => `metadata.annotations[${key}]`;
  const guarded = (all: Annotations): readonly Entry[] => [
    ...startingWith(all, APPARMOR),
    ...named(all, MIRROR),
  ];
  const wordOf = (key: string) => (key === MIRROR ? 'mirror pod annotation' : 'AppArmor annotations');
  const isSame = (key: string) => own(now, key) === own(before, key);
  return [
    ...guarded(before)
      .filter(([key]) => !isSame(key))
      .map(([key]) => forbidden(at(key), `may not remove or update ${wordOf(key)}`)),
    ...guarded(now)
      .filter(([key]) => own(before, key) === undefined)
      .map(([key]) => forbidden(at(key), `may not add ${wordOf(key)}`)),
  ];
}

/** Warnings for deprecated annotations at the path. */
export function podAnnotationWarnings(
  annotations: Annotations,
  spec: JsonObject,
  path: string,
): readonly string[] {
  const warn = (entries: readonly Entry[], text: string) =>
    entries.map(([key]) => `${path}[${key}]: ${text}`);
  const hasField = (owner: JsonObject, { field }: Profile) =>
    objectAt(owner, 'securityContext', field) !== undefined;
  const containers = CONTAINER_LISTS.flatMap((list) => objectsAt(spec, list));
  const silent = (kind: Profile, prefix: string) =>
    containers
      .filter((container) => !hasField(container, kind))
      .flatMap((container) => named(annotations, prefix + stringAt(container, 'name')));
  const useSeccomp = 'non-functional in v1.27+; use the "seccompProfile" field instead';
  const useApparmor = 'deprecated since v1.30; use the "appArmorProfile" field instead';
  return [
    ...DEPRECATED_ANNOTATIONS.flatMap(([key, text]) => warn(named(annotations, key), text)),
    ...(hasField(spec, SECCOMP_PROFILE) ? [] : warn(named(annotations, POD_SECCOMP), useSeccomp)),
    ...warn(silent(SECCOMP_PROFILE, CONTAINER_SECCOMP), useSeccomp),
    ...warn(silent(APPARMOR_PROFILE, APPARMOR), useApparmor),
  ];
}

const DEPRECATED_ANNOTATIONS = [
  [
    'scheduler.alpha.kubernetes.io/critical-pod',
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  ],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  [
    'security.alpha.kubernetes.io/unsafe-sysctls',
    'non-functional in v1.11+; use the "sysctls" field instead',
  ],
] as const;

const CONTAINER_LISTS = ['initContainers', 'containers'];
const TYPES_BY_PROFILE: ReadonlyMap<string, string> = new Map([
  ['runtime/default', 'RuntimeDefault'],
  ['docker/default', 'RuntimeDefault'],
  ['unconfined', 'Unconfined'],
]);

function seccompProblems(path: string, value: string): readonly Problem[] {
  if (TYPES_BY_PROFILE.has(value)) return [];
  if (value.startsWith(LOCAL)) return descendingPathProblems(path, value.slice(LOCAL.length));
  return [invalidText(path, value, 'must be a valid seccomp profile')];
}

type Named = { readonly container: string; readonly value: string; readonly spec: JsonObject };

function apparmorProblems(path: string, { container, value, spec }: Named): readonly Problem[] {
  const containers = CONTAINER_LISTS.flatMap((list) => objectsAt(spec, list));
  const isPresent = containers.some((one) => stringAt(one, 'name') === container);
  const isProfile = ['', 'runtime/default', 'unconfined'].includes(value) || value.startsWith(LOCAL);
  return [
    ...(isPresent ? [] : [invalidText(path, container, 'container not found')]),
    ...(isProfile ? [] : [invalidText(path, value, `invalid AppArmor profile name: ${quoted(value)}`)]),
  ];
}

type Profile = { readonly field: string; readonly word: string };
const SECCOMP_PROFILE: Profile = { field: 'seccompProfile', word: 'seccomp' };
const APPARMOR_PROFILE: Profile = { field: 'appArmorProfile', word: 'apparmor' };

type Match = {
  readonly kind: Profile;
  readonly field: JsonObject | undefined;
  readonly at: string;
  readonly annotation: string;
  readonly annotations: Annotations;
};

function mismatches({ kind, field, at, annotation, annotations }: Match): readonly Problem[] {
  const value = optionalStringAt(annotations, annotation);
  if (field === undefined || value === undefined) return [];
  const path = `${at}.securityContext.${kind.field}`;
  const mustMatch = (what: string) => `${kind.word} ${what} in annotation and field must match`;
  const isLocal = value.startsWith(LOCAL);
  if (stringAt(field, 'type') !== (isLocal ? 'Localhost' : TYPES_BY_PROFILE.get(value))) {
    return [forbidden(`${path}.type`, mustMatch('type'))];
  }
  const isOther = isLocal && stringAt(field, 'localhostProfile') !== value.slice(LOCAL.length);
  return isOther ? [forbidden(`${path}.localhostProfile`, mustMatch('profile'))] : [];
}

type Entry = readonly [key: string, value: string];

function named(annotations: Annotations, key: string): readonly Entry[] {
  const value = own(annotations, key);
  return typeof value === 'string' ? [[key, value]] : [];
}

function startingWith(annotations: Annotations, prefix: string): readonly Entry[] {
  return Object.entries(annotations)
    .filter(([key]) => key.startsWith(prefix))
    .sort(([a], [b]) => compareBytes(a, b));
}
