/**
 * Converts a config of version 3.5.0 to an older version, for machines whose Ignition does not know 3.5.
 *
 * Nothing gets lost: what the older version cannot express is a problem with its path, and fields that it does not have are
 * dropped only where they say what is the case without them.
 */
import { invalid, joinPath, type Outcome, ok, type Problem } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { configShape, type IgnitionConfig } from './config.ts';
import { toVersion2 } from './down-convert-2.ts';
import { encodeIgnition } from './encode-ignition.ts';
import { lacksField, olderValueProblems } from './older-values.ts';
import type { Shape } from './shape.ts';
import { lackingVersion, lacks, type Target, type TargetVersion, targetOf } from './target-version.ts';

/** The config as JSON. Its kernel arguments are a problem before 3.3: see `withoutKernelArguments`. */
export function downConvert(config: IgnitionConfig, version: TargetVersion): Outcome<JsonObject> {
  const target = targetOf(version);
  const problems: Problem[] = [];
  const reduced = reduce(configShape, config, '', { target, problems }) as IgnitionConfig;
  problems.push(...olderValueProblems(config, target));
  if (problems.length > 0) return invalid(problems);
  const older = { ...reduced, ignition: { ...reduced.ignition, version } };
  return target.major === 2 ? toVersion2(older) : ok(encodeIgnition(older));
}

type Reduction = { readonly target: Target; readonly problems: Problem[] };

/** The value with the fields of the target alone. */
function reduce(shape: Shape, value: unknown, path: string, reduction: Reduction): unknown {
  if (shape.kind === 'list') {
    const items = value as readonly unknown[] | undefined;
    return items?.map((item, index) => reduce(shape.item, item, `${path}[${index}]`, reduction));
  }
  if (shape.kind !== 'struct' || value === undefined) return value;
  const given = value as { readonly [name: string]: unknown };
  const kept: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(shape.fields)) {
    if (given[name] === undefined) continue;
    const inner = joinPath(path, name);
    // One that says something is a problem of its own.
    if (lacksField(inner, reduction.target)) continue;
    if (!lacks(reduction.target, field.since)) kept[name] = reduce(field, given[name], inner, reduction);
    else if (!isNeutral(name, given[name])) {
      const message = unsupported(inner, lackingVersion(reduction.target, field.since));
      reduction.problems.push({ path: inner, message, reason: 'FieldValueNotSupported' });
    }
  }
  return kept;
}

/** Whether a value of a field says what is the case without the field. */
function isNeutral(name: string, value: unknown): boolean {
  if (name === 'shouldExist') return value === true;
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).every(([inner, item]) => isNeutral(inner, item));
  }
  return value === false || value === '';
}

/** Upstream's names of what a version lacks, by path; others are named by their path. */
const FEATURES: { readonly [path: string]: (version: string) => string } = {
  kernelArguments: (version) => `KernelArguments is not supported on ${version}`,
  'storage.luks': (version) => `LUKS is not supported on ${version}`,
  'passwd.users.shouldExist': (version) => `ShouldExist in Passwd.Users is not supported on ${version}`,
  'passwd.groups.shouldExist': (version) => `ShouldExist in Passwd.Groups is not supported on ${version}`,
  'storage.disks.partitions.resize': (version) =>
    `Resize in Storage.Disks.Partitions is not supported on ${version}`,
  'ignition.proxy': (version) => `HTTP proxies in Ignition.Proxy are not supported on ${version}`,
  'storage.filesystems.mountOptions': (version) =>
    `MountOptions in Storage.Filesystems is not supported on ${version}`,
  'storage.files.contents.httpHeaders': (version) =>
    `HTTPHeaders in Storage.Files.Contents are not supported on ${version}`,
  'storage.files.append.httpHeaders': (version) =>
    `HTTPHeaders in Storage.Files.Append.* are not supported on ${version}`,
  'ignition.config.merge.httpHeaders': (version) =>
    `HTTPHeaders in Ignition.Config.Merge are not supported on ${version}`,
  'ignition.config.replace.httpHeaders': (version) =>
    `HTTPHeaders in Ignition.Config.Replace are not supported on ${version}`,
  'ignition.security.tls.certificateAuthorities.httpHeaders': (version) =>
    `HTTPHeaders in Ignition.Security.TLS.CertificateAuthorities are not supported on ${version}`,
  'storage.luks.cex': (version) => `'Cex' type is not supported in spec v${version}`,
  'storage.luks.discard': (version) => `luks discard is not supported in spec v${version}`,
  'storage.luks.openOptions': (version) => `luks openOptions is not supported in spec v${version}`,
  'storage.luks.clevis.tang.advertisement': (version) =>
    `tang offline provisioning is not supported in spec v${version}`,
};

function unsupported(path: string, version: string): string {
  const plain = path.replace(/\[\d+\]/g, '');
  const feature = Object.hasOwn(FEATURES, plain) ? FEATURES[plain] : undefined;
  return feature?.(version) ?? `${plain} is not supported on ${version}`;
}
