/**
 * Values that older versions do not have in fields that they have: special mode bits, formats, schemes of URLs, hashes.
 */
import type { Problem } from '../../base/errors.ts';
import { schemeOf } from '../../base/text/index.ts';
import type { IgnitionConfig } from './config.ts';
import { lackingVersion, lacks, type Target } from './target-version.ts';
import { resourcesOf } from './verify-hash.ts';

const SPECIAL_BITS = 0o7000;

/** What differs between the versions, by the minor version that introduced it. */
const SINCE = { specialBits: 4, arn: 4, noFormat: 3, gs: 2, sha256: 1, compressedReferences: 1 } as const;

/** Whether the target lacks a field that it has elsewhere: resources of files may be compressed in every version, references since 3.1. */
export function lacksField(path: string, target: Target): boolean {
  return (
    path.startsWith('ignition.') && path.endsWith('.compression') && lacks(target, SINCE.compressedReferences)
  );
}

export function olderValueProblems(config: IgnitionConfig, target: Target): readonly Problem[] {
  return [
    ...modeProblems(config, target),
    ...formatProblems(config, target),
    ...resourceProblems(config, target),
  ];
}

function problem(path: string, message: string): Problem {
  return { path, message, reason: 'FieldValueNotSupported' };
}

function modeProblems({ storage }: IgnitionConfig, target: Target): readonly Problem[] {
  if (!lacks(target, SINCE.specialBits)) return [];
  const message = `special mode bits are not supported in spec v${lackingVersion(target, SINCE.specialBits)}`;
  return (['files', 'directories'] as const).flatMap((section) =>
    (storage?.[section] ?? []).flatMap(({ mode = 0 }, index) =>
      (mode & SPECIAL_BITS) === 0 ? [] : [problem(`storage.${section}[${index}].mode`, message)],
    ),
  );
}

function formatProblems({ storage }: IgnitionConfig, target: Target): readonly Problem[] {
  if (!lacks(target, SINCE.noFormat)) return [];
  const message = `format none of a filesystem is not supported on ${lackingVersion(target, SINCE.noFormat)}`;
  return (storage?.filesystems ?? []).flatMap(({ format }, index) =>
    format === 'none' ? [problem(`storage.filesystems[${index}].format`, message)] : [],
  );
}

function resourceProblems(config: IgnitionConfig, target: Target): readonly Problem[] {
  const schemes = [
    { scheme: 'arn', since: SINCE.arn, text: 'arn: scheme for s3 is not supported in spec v' },
    { scheme: 'gs', since: SINCE.gs, text: 'gs: scheme is not supported in spec v' },
  ].filter(({ since }) => lacks(target, since));
  return resourcesOf(config).flatMap(({ path, resource }) => {
    const { source = '', compression = '', verification } = resource;
    const scheme = schemes.find((one) => one.scheme === schemeOf(source));
    const isSha256 = verification?.hash?.startsWith('sha256-') === true;
    const isReference = path.startsWith('ignition.');
    return [
      ...(scheme === undefined
        ? []
        : [problem(`${path}.source`, `${scheme.text}${lackingVersion(target, scheme.since)}`)]),
      ...(isSha256 && lacks(target, SINCE.sha256)
        ? [
            problem(
              `${path}.verification.hash`,
              `sha256 is not supported on ${lackingVersion(target, SINCE.sha256)}: use sha512`,
            ),
          ]
        : []),
      ...(isReference && compression !== '' && lacks(target, SINCE.compressedReferences)
        ? [
            problem(
              `${path}.compression`,
              `Compression in ${upstreamName(path)} is not supported on ${lackingVersion(target, SINCE.compressedReferences)}`,
            ),
          ]
        : []),
    ];
  });
}

/** `ignition.config.merge[0]` → `Ignition.Config.Merge`. */
function upstreamName(path: string): string {
  return path
    .replace(/\[\d+\]/g, '')
    .split('.')
    .map((part) => (part === 'tls' ? 'TLS' : part.slice(0, 1).toUpperCase() + part.slice(1)))
    .join('.');
}
