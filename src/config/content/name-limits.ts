/**
 * Names that are too long for a machine: neither Ignition nor a daemon can write such a file.
 */
import type { Problem } from '../../base/errors.ts';
import { byteLength } from '../../base/json.ts';
import {
  isPathWithinLimits,
  MAX_FILE_NAME_BYTES,
  MAX_PATH_BYTES,
  quoted,
  tooLongName,
} from '../../base/text/index.ts';
import type { IgnitionConfig } from '../ignition/index.ts';

/** A file is written under a temporary name first, and the root of the machine may be mounted below another one. */
const SPARE_BYTES = 31;
/** Drop-ins are in a folder that is named after the unit. */
const DROPINS_SUFFIX = '.d';

/** Paths are those of the Ignition config. */
export function nameLimitProblems({ storage, systemd }: IgnitionConfig): readonly Problem[] {
  const problems: Problem[] = [];
  const add = (path: string, message: string | undefined) => {
    if (message !== undefined) problems.push({ path, message });
  };
  for (const section of ['files', 'directories', 'links'] as const) {
    (storage?.[section] ?? []).forEach(({ path }, index) => {
      add(`storage.${section}[${index}].path`, pathProblem(path));
    });
  }
  (systemd?.units ?? []).forEach(({ name, dropins = [] }, index) => {
    const place = `systemd.units[${index}]`;
    const spareBytes = dropins.length === 0 ? 0 : DROPINS_SUFFIX.length;
    add(`${place}.name`, nameProblem('unit name', name, spareBytes));
    dropins.forEach((dropin, at) => {
      add(`${place}.dropins[${at}].name`, nameProblem('drop-in name', dropin.name));
    });
  });
  return problems;
}

function pathProblem(path: string): string | undefined {
  if (isPathWithinLimits(path, SPARE_BYTES)) return undefined;
  const name = tooLongName(path);
  return name === undefined
    ? tooLong('path', path, MAX_PATH_BYTES - SPARE_BYTES)
    : nameProblem('file name', name);
}

function nameProblem(what: string, name: string, spareBytes = 0): string | undefined {
  const limit = MAX_FILE_NAME_BYTES - spareBytes;
  return byteLength(name) <= limit ? undefined : tooLong(what, name, limit);
}

function tooLong(what: string, text: string, limit: number): string {
  return `${what} ${shortened(text)} is too long: it has ${byteLength(text)} bytes, and a machine takes ${limit} at most`;
}

const SHOWN_CHARACTERS = 40;

function shortened(text: string): string {
  return quoted(`${[...text].slice(0, SHOWN_CHARACTERS).join('')}…`);
}
