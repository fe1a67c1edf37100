/**
 * Validation of the merged config: problems that no single source has.
 */
import type { MachineConfigPool } from '../../api/index.ts';
import { inConfig, pathConflictProblems, type SourceProblem, unpackedSizeProblem } from '../content/index.ts';
import { ignitionProblems, itemAtPath, wrongHash } from '../ignition/index.ts';
import type { MergedSources } from './merge-sources.ts';
import type { Origin, OriginKind } from './origins.ts';

type MergedFindings = {
  readonly problems: readonly SourceProblem[];
  readonly warnings: readonly SourceProblem[];
};

export function checkMerged(input: {
  readonly pool: MachineConfigPool;
  readonly merged: MergedSources;
  readonly isImageOverridden: boolean;
}): MergedFindings {
  const { pool, merged, isImageOverridden } = input;
  const { spec, origins } = merged;
  const problems: SourceProblem[] = [];
  const imageSource = findOrigin(origins, 'setting', 'osImageURL')?.source;
  if (spec.kernelType !== 'default' && spec.extensions.includes('kernel-devel')) {
    const message = `installing kernel-devel extension is not supported with kernelType: ${spec.kernelType}`;
    problems.push({
      path: 'spec.extensions',
      message,
      ...from(findOrigin(origins, 'extension', 'kernel-devel')?.source),
    });
  }
  if (isImageOverridden && pool.spec.osImageStream !== undefined) {
    const message =
      'cannot override MachineConfig osImageURL and set MachineConfigPool spec.osImageStream.name simultaneously';
    problems.push({ path: 'spec.osImageURL', message, ...from(imageSource) });
  }
  problems.push(...contentProblems(merged));
  const warnings = [...configWarnings(merged), ...hashWarnings(merged)];
  return { problems, warnings };
}

/** Packed contents that are too large only together, and files that are folders of others. */
function contentProblems({ config, origins }: MergedSources): readonly SourceProblem[] {
  const size = unpackedSizeProblem(config);
  return [...(size === undefined ? [] : [size]), ...pathConflictProblems(config)].map((problem) => {
    const item = itemAtPath(config, problem.path);
    const source = item === undefined ? undefined : findOrigin(origins, item.kind, item.name)?.source;
    return { ...inConfig(problem), ...from(source) };
  });
}

/** Each source is valid by itself; merged they may still be something that a new node cannot boot with. */
function configWarnings({ config, origins }: MergedSources): SourceProblem[] {
  return ignitionProblems(config).map((problem) => {
    const item = itemAtPath(config, problem.path);
    const message = `${problem.message}, once all are merged: a new node would refuse the config`;
    const source = item === undefined ? undefined : findOrigin(origins, item.kind, item.name)?.source;
    return { path: `spec.config.${problem.path}`, message, ...from(source) };
  });
}

/** Contents that do not match the hash that another source sets; those of one source are refused (`checkSource`). */
function hashWarnings({ config, origins }: MergedSources): SourceProblem[] {
  return (config.storage?.files ?? []).flatMap((file, index) => {
    if (file.contents === undefined || wrongHash(file.contents) === undefined) return [];
    const origin = findOrigin(origins, 'file', file.path);
    const message = `the contents of ${file.path} do not have the hash that verification.hash demands: a new node would refuse the file. Set verification.hash along with the contents`;
    return [
      {
        path: `spec.config.storage.files[${index}].contents.verification.hash`,
        message,
        ...from(origin?.source),
      },
    ];
  });
}

function findOrigin(origins: readonly Origin[], kind: OriginKind, name: string): Origin | undefined {
  return origins.find((origin) => origin.kind === kind && origin.name === name);
}

function from(source: string | undefined): { readonly source?: string } {
  return source === undefined || source === '' ? {} : { source };
}
