/** Options of a request from its query, with the messages of kube-apiserver for invalid ones. */
import type { Problem } from '../../../base/errors.ts';
import { byteLength } from '../../../base/json.ts';
import { isPrint, quoted } from '../../../base/text/index.ts';
import { badRequest, invalid, statusError } from '../../status/index.ts';

export class Query {
  readonly #values: URLSearchParams;

  /** Pairs with invalid escapes or a semicolon are ignored, as in Go. */
  constructor(text: string) {
    this.#values = new URLSearchParams(/[;%]/.test(text) ? wellFormedPairs(text) : text);
  }

  text(name: string): string {
    return this.#values.get(name) ?? '';
  }

  all(name: string): readonly string[] {
    return this.#values.getAll(name);
  }

  /** A copy with one more value. */
  with(name: string, value: string): Query {
    const values = new URLSearchParams(this.#values);
    values.set(name, value);
    return new Query(values.toString());
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** Anything but `false` and `0` is true, as in kube-apiserver. */
  flag(name: string): boolean {
    const text = this.#values.get(name);
    return text !== null && !['false', '0'].includes(text.toLowerCase());
  }

  whole(name: string): number | undefined {
    const text = this.#values.get(name);
    if (text === null || text === '') return undefined;
    if (!/^[+-]?\d{1,18}$/.test(text)) {
      throw badRequest(`strconv.ParseInt: parsing ${quoted(text)}: invalid syntax`);
    }
    return Number(text);
  }
}

function wellFormedPairs(text: string): string {
  const pairs = text.split('&').filter((pair) => !pair.includes(';') && !BAD_ESCAPE.test(pair));
  return pairs.join('&');
}

const BAD_ESCAPE = /%(?![0-9a-fA-F]{2})/;

export type WriteOptions = {
  readonly isDryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict';
};

type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions' | 'ListOptions';

const FIELD_VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn'];
const MAX_MANAGER_BYTES = 128;

export function writeOptions(query: Query, kind: OptionsKind): WriteOptions {
  const fieldManager = query.text('fieldManager');
  const fieldValidation = query.text('fieldValidation');
  const dryRun = query.all('dryRun');
  const problems = [
    ...dryRunProblems(dryRun),
    ...managerProblems(fieldManager),
    ...(FIELD_VALIDATIONS.includes(fieldValidation)
      ? []
      : [unsupported('fieldValidation', quoted(fieldValidation), FIELD_VALIDATIONS)]),
  ];
  rejectOptions(kind, problems);
  return {
    isDryRun: dryRun.length > 0,
    fieldManager,
    // Validated above; the default is to warn.
    fieldValidation: fieldValidation === 'Ignore' || fieldValidation === 'Strict' ? fieldValidation : 'Warn',
  };
}

export function rejectOptions(kind: OptionsKind, problems: readonly Problem[]): void {
  if (problems.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', problems);
}

export function dryRunProblems(dryRun: readonly string[]): readonly Problem[] {
  if (dryRun.every((value) => value === 'All')) return [];
  return [unsupported('dryRun', `[]string{${dryRun.map((value) => quoted(value)).join(', ')}}`, ['All'])];
}

function managerProblems(manager: string): readonly Problem[] {
  if (manager.length <= MAX_MANAGER_BYTES && PLAIN.test(manager)) return [];
  const path = 'fieldManager';
  const problems: Problem[] = [];
  if (byteLength(manager) > MAX_MANAGER_BYTES) {
    const message = `Too long: may not be more than ${MAX_MANAGER_BYTES} bytes`;
    problems.push({ path, message, reason: 'FieldValueTooLong' });
  }
  let position = 0;
  for (const character of manager) {
    if (!isPrint(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      const message = `Invalid value: ${quoted(manager)}: invalid character U+${code} (at position ${position})`;
      problems.push({ path, message, reason: 'FieldValueInvalid' });
    }
    position += byteLength(character);
  }
  return problems;
}

/** The common case. */
const PLAIN = /^[\x20-\x7e]*$/;

export function unsupported(path: string, shown: string, values: readonly string[]): Problem {
  const supported = values.map((value) => quoted(value)).join(', ');
  const message = `Unsupported value: ${shown}: supported values: ${supported}`;
  return { path, message, reason: 'FieldValueNotSupported' };
}

export type ListOptions = {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly limit: number;
  readonly continue: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: '' | 'Exact' | 'NotOlderThan';
  readonly isWatch: boolean;
  readonly allowsBookmarks: boolean;
  readonly timeoutSeconds: number | undefined;
  readonly sendsInitialEvents: boolean;
};

const MATCHES = ['Exact', 'NotOlderThan', ''];

export function listOptions(query: Query, isWatch: boolean): ListOptions {
  const match = query.text('resourceVersionMatch');
  const resourceVersion = query.text('resourceVersion');
  const timeoutSeconds = query.whole('timeoutSeconds');
  const limit = query.whole('limit') ?? 0;
  const initial = query.has('sendInitialEvents') ? query.flag('sendInitialEvents') : undefined;
  rejectOptions('ListOptions', [
    ...(isWatch
      ? watchProblems(match, initial)
      : matchProblems(match, resourceVersion, query.text('continue'))),
    ...(isWatch || initial === undefined ? [] : [initialEvents('list')]),
  ]);
  return {
    labelSelector: query.text('labelSelector'),
    fieldSelector: query.text('fieldSelector'),
    limit: Math.max(0, limit),
    continue: query.text('continue'),
    resourceVersion,
    // Validated above.
    resourceVersionMatch: match === 'Exact' || match === 'NotOlderThan' ? match : '',
    isWatch,
    allowsBookmarks: query.flag('allowWatchBookmarks'),
    timeoutSeconds,
    sendsInitialEvents: initial ?? false,
  };
}

function matchProblems(match: string, version: string, token: string): readonly Problem[] {
  if (match === '') return [];
  const path = 'resourceVersionMatch';
  const problems: Problem[] = [];
  if (version === '') problems.push(banned(path, `${path} is forbidden unless resourceVersion is provided`));
  if (token !== '') problems.push(banned(path, `${path} is forbidden when continue is provided`));
  if (!MATCHES.includes(match)) problems.push(unsupported(path, quoted(match), MATCHES));
  else if (match === 'Exact' && version === '0') {
    problems.push(banned(path, `${path} "exact" is forbidden for resourceVersion "0"`));
  }
  return problems;
}

function watchProblems(match: string, initial: boolean | undefined): readonly Problem[] {
  const path = 'resourceVersionMatch';
  if (initial === undefined) {
    return match === ''
      ? []
      : [banned(path, `${path} is forbidden for watch unless sendInitialEvents is provided`)];
  }
  return [
    ...(match === 'NotOlderThan'
      ? []
      : [banned(path, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')]),
    initialEvents('watch unless the WatchList feature gate is enabled'),
  ];
}

/** Behind a feature gate that is off in Kubernetes 1.33. */
function initialEvents(where: string): Problem {
  return banned('sendInitialEvents', `sendInitialEvents is forbidden for ${where}`);
}

function banned(path: string, message: string): Problem {
  return { path, message: `Forbidden: ${message}`, reason: 'FieldValueForbidden' };
}

/** Undefined if no version was given. Only lists report an invalid one as a bad request. */
export function parseVersion(text: string, isList: boolean): number | undefined {
  if (text === '') return undefined;
  if (/^\d{1,16}$/.test(text)) return Number(text);
  const why = `resourceVersion: Invalid value: ${quoted(text)}: strconv.ParseUint: parsing ${quoted(text)}: invalid syntax`;
  throw isList ? badRequest(`invalid resource version: ${why}`) : statusError({ code: 500, message: why });
}
