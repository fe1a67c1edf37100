/**
 * Validation of the security contexts of pods and containers.
 */

import type { Problem } from '../../../base/errors.ts';
import { byteLength, type JsonObject } from '../../../base/json.ts';
import {
  listAt,
  objectAt,
  objectsAt,
  optionalNumberAt,
  stringAt,
  valueAt,
} from '../../../base/json-fields.ts';
import { quoted } from '../../../base/text/index.ts';
import { duplicate, forbidden, invalid, invalidText, required, unsupportedText } from '../field-problems.ts';
import { rangeText } from '../services/ports.ts';

const MAX_ID = 2 ** 31 - 1;

/** Validates the security context of a container. */
export function securityContextProblems(context: JsonObject | undefined, path: string): readonly Problem[] {
  if (context === undefined) return [];
  return [
    ...['runAsUser', 'runAsGroup'].flatMap((field) =>
      idProblems(`${path}.${field}`, optionalNumberAt(context, field)),
    ),
    ...procMountProblems(context, `${path}.procMount`),
    ...seccompProblems(objectAt(context, 'seccompProfile'), `${path}.seccompProfile`),
    ...escalationProblems(context, path),
    ...appArmorProblems(objectAt(context, 'appArmorProfile'), `${path}.appArmorProfile`),
  ];
}

/** Validates the security context of a pod and the host namespaces in its spec. */
export function podSecurityProblems(spec: JsonObject, path: string): readonly Problem[] {
  const context = objectAt(spec, 'securityContext') ?? {};
  const at = `${path}.securityContext`;
  const groups = listAt(context, 'supplementalGroups');
  return [
    ...['fsGroup', 'runAsUser', 'runAsGroup'].flatMap((field) =>
      idProblems(`${at}.${field}`, optionalNumberAt(context, field)),
    ),
    ...groups.flatMap((group, index) =>
      idProblems(`${at}.supplementalGroups[${index}]`, typeof group === 'number' ? group : undefined),
    ),
    ...(spec.shareProcessNamespace === true && spec.hostPID === true
      ? [
          invalid(
            `${at}.shareProcessNamespace`,
            'true',
            'ShareProcessNamespace and HostPID cannot both be enabled',
          ),
        ]
      : []),
    ...sysctlProblems(context, `${at}.sysctls`),
    ...oneOfProblems(context, `${at}.fsGroupChangePolicy`, 'fsGroupChangePolicy', [
      'Always',
      'OnRootMismatch',
    ]),
    ...seccompProblems(objectAt(context, 'seccompProfile'), `${at}.seccompProfile`),
    ...appArmorProblems(objectAt(context, 'appArmorProfile'), `${at}.appArmorProfile`),
    ...oneOfProblems(context, `${at}.supplementalGroupsPolicy`, 'supplementalGroupsPolicy', [
      'Merge',
      'Strict',
    ]),
  ];
}

/** A pod with a user namespace cannot share other namespaces with the host. */
export function hostUsersProblems(spec: JsonObject, path: string): readonly Problem[] {
  if (spec.hostUsers !== false) return [];
  const detail = 'when `pod.Spec.HostUsers` is false';
  return [
    ...(spec.hostNetwork === true ? [forbidden(`${path}.hostNetwork`, detail)] : []),
    ...(spec.hostPID === true ? [forbidden(`${path}.HostPID`, detail)] : []),
    ...(spec.hostIPC === true ? [forbidden(`${path}.HostIPC`, detail)] : []),
  ];
}

function idProblems(path: string, id: number | undefined): readonly Problem[] {
  if (id === undefined || (id >= 0 && id <= MAX_ID)) return [];
  return [invalid(path, String(id), rangeText(0, MAX_ID))];
}

function procMountProblems(context: JsonObject, path: string): readonly Problem[] {
  return oneOfProblems(context, path, 'procMount', ['Default', 'Unmasked']);
}

function oneOfProblems(
  context: JsonObject,
  path: string,
  field: string,
  supported: readonly string[],
): readonly Problem[] {
  const value = valueAt(context, field);
  if (typeof value !== 'string' || supported.includes(value)) return [];
  return [unsupportedText(path, value, supported)];
}

const PROFILES = ['Localhost', 'RuntimeDefault', 'Unconfined'];

function seccompProblems(profile: JsonObject | undefined, path: string): readonly Problem[] {
  if (profile === undefined) return [];
  const type = stringAt(profile, 'type');
  if (type === '') return [required(`${path}.type`, 'type is required when seccompProfile is set')];
  if (!PROFILES.includes(type)) return [unsupportedText(`${path}.type`, type, PROFILES)];
  const isNamed = valueAt(profile, 'localhostProfile') !== undefined;
  const at = `${path}.localhostProfile`;
  if (type === 'Localhost' && !isNamed) return [required(at, 'must be set when seccomp type is Localhost')];
  if (type === 'Localhost' || !isNamed) return [];
  return [
    invalidText(at, stringAt(profile, 'localhostProfile'), 'can only be set when seccomp type is Localhost'),
  ];
}

function appArmorProblems(profile: JsonObject | undefined, path: string): readonly Problem[] {
  if (profile === undefined) return [];
  const type = stringAt(profile, 'type');
  const name = valueAt(profile, 'localhostProfile');
  const at = `${path}.localhostProfile`;
  switch (type) {
    case 'Localhost': {
      if (typeof name !== 'string') return [required(at, 'must be set when AppArmor type is Localhost')];
      if (name.trim() !== name) return [invalidText(at, name, 'must not be padded with whitespace')];
      return name === '' ? [required(at, 'must be set when AppArmor type is Localhost')] : [];
    }
    case 'RuntimeDefault':
    case 'Unconfined':
      if (typeof name !== 'string') return [];
      return [invalidText(at, name, 'can only be set when AppArmor type is Localhost')];
    case '':
      return [required(`${path}.type`, 'type is required when appArmorProfile is set')];
    default:
      return [unsupportedText(`${path}.type`, type, PROFILES)];
  }
}

/** kube-apiserver prints the whole struct with pointers that differ every time; we omit it. */
function escalationProblems(context: JsonObject, path: string): readonly Problem[] {
  if (context.allowPrivilegeEscalation !== false) return [];
  const cannot = (what: string): readonly Problem[] => [
    invalid(path, undefined, `cannot set \`allowPrivilegeEscalation\` to false and ${what}`),
  ];
  if (context.privileged === true) return cannot('`privileged` to true');
  const added = listAt(context, 'capabilities', 'add');
  return added.includes('CAP_SYS_ADMIN') ? cannot('`capabilities.Add` CAP_SYS_ADMIN') : [];
}

const SYSCTL_PART = /^[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const MAX_SYSCTL_BYTES = 253;
const NOT_A_SYSCTL =
  'must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';

function sysctlProblems(context: JsonObject, path: string): readonly Problem[] {
  const names = new Set<string>();
  return objectsAt(context, 'sysctls').flatMap((sysctl, index) => {
    const at = `${path}[${index}].name`;
    const name = stringAt(sysctl, 'name');
    if (name === '') return [required(at)];
    const isName =
      byteLength(name) <= MAX_SYSCTL_BYTES && name.split(/[./]/).every((part) => SYSCTL_PART.test(part));
    if (!isName) return [invalidText(at, name, NOT_A_SYSCTL)];
    if (names.has(name)) return [duplicate(at, quoted(name))];
    names.add(name);
    return [];
  });
}
