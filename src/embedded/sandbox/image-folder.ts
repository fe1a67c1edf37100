/**
 * The source directory of an OS image: plain files, and `image.json` with attributes that files cannot express.
 */
import { invalid, type Outcome, ok, type Problem } from '../../base/errors.ts';
import { isObject, own, parseJson } from '../../base/json.ts';
import { isDateTime } from '../../base/text/index.ts';
import { pathProblem, symlinkProblem } from '../../images/index.ts';

export type ImageFolder = {
  readonly description: ImageDescription;
  /** The files of `rootfs/`, by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
};

export type ImageDescription = {
  readonly version: string;
  /** RFC 3339: the time of the image and all its files. */
  readonly created: string;
  /** Without the architecture. */
  readonly kernel: string;
  /** Architecture names in packages: amd64 is x86_64. */
  readonly architectures: Texts;
  readonly labels: Texts;
  /** Modes other than 0644, and 0755 of directories, in octal. */
  readonly modes: Texts;
  /** Empty directories. */
  readonly folders: readonly string[];
  readonly symlinks: Texts;
  /** Commands of the shell, which become links to it in /usr/bin. */
  readonly applets: readonly string[];
};

type Texts = { readonly [key: string]: string };

/** The directory beside it that an image is based on: all of that one counts which it does not have itself. */
export function baseOf(text: string): string | undefined {
  const document = parseJson(text);
  const base = isObject(document) ? own(document, 'base') : undefined;
  return typeof base === 'string' && /^[a-z0-9-]+$/.test(base) ? base : undefined;
}

/** Parses `image.json`, over that of its base. */
export function parseImageDescription(text: string, base = '{}'): Outcome<ImageDescription> {
  const [inherited, given] = [parseJson(base), parseJson(text)];
  if (!isObject(given) || !isObject(inherited))
    return invalid([{ path: '', message: 'is not a JSON object' }]);
  const document = { ...inherited, ...given };
  const problems: Problem[] = [];
  const reject = (path: string, message: string) => problems.push({ path, message });
  const stringAt = (key: string): string => {
    const value = own(document, key);
    if (typeof value === 'string' && value !== '') return value;
    reject(key, 'is not a string');
    return '';
  };
  const stringsAt = (key: string): Texts => {
    const value = own(document, key) ?? {};
    if (isObject(value) && Object.values(value).every((item) => typeof item === 'string')) {
      // All are strings, as checked above.
      return value as Texts;
    }
    reject(key, 'is not an object of strings');
    return {};
  };
  const listAt = (key: string): readonly string[] => {
    const listed = own(document, key) ?? [];
    return Array.isArray(listed) ? listed.filter((item) => typeof item === 'string') : [];
  };
  const description: ImageDescription = {
    version: stringAt('version'),
    created: stringAt('created'),
    kernel: stringAt('kernel'),
    architectures: stringsAt('architectures'),
    labels: stringsAt('labels'),
    modes: stringsAt('modes'),
    folders: listAt('folders'),
    symlinks: stringsAt('symlinks'),
    applets: listAt('applets'),
  };
  if (!isDateTime(description.created)) reject('created', 'is not a time');
  for (const [path, mode] of Object.entries(description.modes)) {
    if (!/^[0-7]{4}$/.test(mode)) reject(`modes[${JSON.stringify(path)}]`, 'is not four octal digits');
  }
  for (const path of description.folders) {
    const problem = pathProblem(path);
    if (problem !== undefined) reject('folders', problem);
  }
  for (const name of description.applets) {
    if (name.includes('/') || pathProblem(name) !== undefined)
      reject('applets', `${name} is not a file name`);
  }
  for (const [path, target] of Object.entries(description.symlinks)) {
    const problem = pathProblem(path) ?? symlinkProblem(path, target);
    if (problem !== undefined) reject(`symlinks[${JSON.stringify(path)}]`, problem);
  }
  return problems.length > 0 ? invalid(problems) : ok(description);
}
