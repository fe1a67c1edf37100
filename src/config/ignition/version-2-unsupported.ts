/**
 * Features of version 2 that version 3 does not have.
 */
import type { Problem } from '../../base/errors.ts';
import { fileModeProblem, MAX_MODE } from './mode.ts';
import type { Version2Config, Version2File } from './version-2.ts';

export function unsupportedInVersion3({ networkd, passwd, storage }: Version2Config): readonly Problem[] {
  const problems: Problem[] = [];
  const reject = (path: string, message: string | undefined) => {
    if (message !== undefined) problems.push({ path, message, reason: 'FieldValueInvalid' });
  };
  if (networkd?.units !== undefined) {
    reject('networkd.units', 'config includes deprecated networkd section - use Files instead');
  }
  passwd?.users?.forEach(({ name }, index) => {
    const message = `unexpected user with name: ${name}. Only core user is supported`;
    reject(`passwd.users[${index}].name`, name === 'core' ? undefined : message);
  });
  storage?.filesystems?.forEach(({ name }, index) => {
    reject(`storage.filesystems[${index}].name`, name === 'root' ? undefined : noMapping(name ?? ''));
  });
  storage?.disks?.forEach(({ partitions }, index) => {
    const message =
      'size is deprecated; use sizeMiB in a version 3 config: version 2 counts partitions in sectors';
    reject(`storage.disks[${index}].partitions`, partitions === undefined ? undefined : message);
  });
  for (const section of ['files', 'directories', 'links'] as const) {
    storage?.[section]?.forEach(({ filesystem }, index) => {
      reject(`storage.${section}[${index}].filesystem`, filesystemProblem(filesystem));
    });
  }
  storage?.files?.forEach((file, index) => {
    reject(`storage.files[${index}].mode`, modeProblem(file));
    if (file.append === true && file.overwrite === true) {
      reject(`storage.files[${index}].append`, 'cannot set both append and overwrite to true');
    }
  });
  return problems;
}

function filesystemProblem(name: string | undefined): string | undefined {
  if (!name) return 'no filesystem specified';
  return name === 'root' ? undefined : noMapping(name);
}

function noMapping(name: string): string {
  return `Config defined filesystem ${JSON.stringify(name)} but no mapping was defined. Please specify a path to be used as the filesystem mountpoint.`;
}

/** Invalid modes are left to the rules of version 3. */
function modeProblem(file: Version2File): string | undefined {
  return (file.mode ?? 0) > MAX_MODE ? undefined : fileModeProblem(file);
}
