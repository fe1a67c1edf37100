/**
 * Parses any JSON value into a config of version 3.5.0, or returns its problems.
 */

import { invalid, type Outcome, ok, type Problem } from '../../base/errors.ts';
import { valueAt } from '../../base/json-fields.ts';
import { configShape, IGNITION_VERSION, type IgnitionConfig } from './config.ts';
import { type Decoding, decode } from './decode.ts';
import type { Report } from './report.ts';
import { translateVersion2 } from './translate-version-2.ts';
import { validateIgnition } from './validate-ignition.ts';

/** The supported versions as upstream's messages list them; 2.0 and 2.1 are supported too. */
const SUPPORTED_VERSIONS = '2.2,3.0,3.1,3.2,3.3,3.4,3.5';

/** The versions of a config. */
type SpecVersion = { readonly major: number; readonly minor: number };

/** Never throws. Paths are those of the given config. */
export function parseIgnition(value: unknown): Outcome<IgnitionConfig> {
  const version = versionOf(value);
  if (typeof version === 'string') return invalid([{ path: 'ignition.version', message: version }]);
  const { major, minor } = version;
  return major === 2 ? translateVersion2(value, minor) : parseVersion3(value, minor);
}

/** The message of a condition, in upstream's wording. */
export function parseFailureText(value: unknown, problems: readonly Problem[]): string {
  const version = versionOf(value);
  if (typeof version === 'string') return version;
  const major = version.major === 2 ? 'Ignition spec v2' : 'Ignition config spec v3';
  const entries = problems.map(({ path, message }) => `error at ${reportPath(path)}: ${message}\n`);
  return `parsing ${major} failed with error: config is not valid\nReport: ${entries.join('')}`;
}

/** `storage.files[3].path` in the form of Ignition's reports: `$.storage.files.3.path`. */
function reportPath(path: string): string {
  return `$.${path.replace(/\[(\d+)\]/g, '.$1')}`;
}

/** The version of a config, or the error message if it is unsupported. */
export function versionOf(value: unknown): SpecVersion | string {
  const version = valueAt(value, 'ignition', 'version');
  const parts = typeof version === 'string' ? SEMVER.exec(version) : null;
  if (parts === null) return versionText('invalid');
  const [major = 0, minor = 0, patch = 0] = parts.slice(1, 4).map(Number);
  const isRelease = parts[4] === undefined && patch === 0;
  const isKnown = isRelease && ((major === 2 && minor <= 2) || (major === 3 && minor <= 5));
  return isKnown ? { major, minor } : versionText('unknown');
}

const SEMVER = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})([-+][0-9A-Za-z.+-]+)?$/;

function versionText(what: 'invalid' | 'unknown'): string {
  return `parsing Ignition config failed: ${what} version. Supported spec versions: ${SUPPORTED_VERSIONS}`;
}

function parseVersion3(value: unknown, minor: number): Outcome<IgnitionConfig> {
  const decoding: Decoding = { major: 3, minor, problems: [], warnings: [] };
  // Its version was found, so it is an object with an `ignition` section.
  const config = decode(configShape, value, '', decoding) as IgnitionConfig;
  const problems = [...decoding.problems, ...contentProblems(config, decoding)];
  if (problems.length > 0) return invalid(problems);
  return ok(lift(config, minor), decoding.warnings);
}

/**
 * Problems besides wrong types. An item that lost a part because of its type is not validated further: what seems
 * missing may just be unreadable.
 */
function contentProblems(config: IgnitionConfig, decoding: Decoding): readonly Problem[] {
  const report: Report = { problems: [], warnings: decoding.warnings };
  validateIgnition(config, report);
  const mistyped = new Set(decoding.problems.map(({ path }) => itemPath(path)));
  return report.problems.filter(({ path }) => !mistyped.has(itemPath(path)));
}

/** `storage.files[3].contents.source` → `storage.files[3]`; `ignition.proxy.httpProxy` → `ignition.proxy`. */
function itemPath(path: string): string {
  return /^\w+(\.\w+(\[\d+\])?)?/.exec(path)?.[0] ?? path;
}

/**
 * Later 3.x versions only add fields, so only the version changes. Ignition also clears the special mode bits of configs
 * before 3.4; here they stay, so that those of a file can be reported (`fileModeProblem`) instead of being half applied.
 */
function lift(config: IgnitionConfig, minor: number): IgnitionConfig {
  if (minor === 5) return config;
  return { ...config, ignition: { ...config.ignition, version: IGNITION_VERSION } };
}
