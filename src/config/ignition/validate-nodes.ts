/**
 * Validation of files, directories and links.
 */
import type { Directory, File, Link, Storage } from './config.ts';
import { MAX_MODE } from './mode.ts';
import { fail, type Report, warn } from './report.ts';
import { resourceProblems } from './validate-resource.ts';

/** `unitPaths`: the paths of the units of the same config. */
export function validateNodes(storage: Storage, unitPaths: ReadonlySet<string>, report: Report): void {
  const linkPaths = new Set((storage.links ?? []).map((link) => link.path));
  const directoryPaths = new Set((storage.directories ?? []).map((directory) => directory.path));
  const context = { linkPaths, directoryPaths, unitPaths };
  storage.files?.forEach((file, index) => {
    validateFile(file, `storage.files[${index}]`, context, report);
  });
  storage.directories?.forEach((directory, index) => {
    const path = `storage.directories[${index}]`;
    validateNode(
      directory,
      path,
      { ...context, linkMessage: 'directory path includes link in config' },
      report,
    );
    fail(report, `${path}.mode`, modeProblem(directory.mode));
  });
  storage.links?.forEach((link, index) => {
    validateLink(link, `storage.links[${index}]`, context, report);
  });
}

type Context = {
  readonly linkPaths: ReadonlySet<string>;
  readonly directoryPaths: ReadonlySet<string>;
  readonly unitPaths: ReadonlySet<string>;
};

function validateFile(file: File, path: string, context: Context, report: Report): void {
  validateNode(file, path, { ...context, linkMessage: 'file path includes link in config' }, report);
  fail(report, `${path}.mode`, modeProblem(file.mode));
  if (file.overwrite === true && file.contents?.source === undefined) {
    fail(report, `${path}.overwrite`, 'overwrite must be false if source is unspecified');
  }
  if (file.contents !== undefined) resourceProblems(file.contents, `${path}.contents`, report);
  file.append?.forEach((resource, index) => {
    resourceProblems(resource, `${path}.append[${index}]`, report);
  });
}

function validateLink(link: Link, path: string, context: Context, report: Report): void {
  validateNode(link, path, { ...context, linkMessage: 'link path includes link in config' }, report);
  if (link.target === undefined || link.target === '') {
    fail(report, `${path}.target`, 'link target is required');
    return;
  }
  if (link.hard !== true) return;
  const target = link.target.startsWith('/') ? link.target : `${parentOf(link.path)}/${link.target}`;
  if (context.directoryPaths.has(simplifiedPath(target)))
    fail(report, path, 'hard link target is a directory');
  for (const who of ['user', 'group'] as const) {
    if (link[who] !== undefined) warn(report, `${path}.${who}`, 'user/group ignored for hard link');
  }
}

function validateNode(
  node: File | Directory | Link,
  path: string,
  context: Context & { readonly linkMessage: string },
  report: Report,
): void {
  fail(report, `${path}.path`, pathProblem(node.path));
  for (const who of ['user', 'group'] as const) {
    const owner = node[who];
    if (owner?.id !== undefined && owner.name !== undefined && owner.name !== '') {
      fail(report, `${path}.${who}`, 'cannot set both id and name');
    }
  }
  if (liesBelow(node.path, context.linkPaths)) fail(report, path, context.linkMessage);
  if (context.unitPaths.has(node.path)) {
    fail(report, `${path}.path`, 'path conflicts with systemd unit or dropin');
  }
}

/** The problem with a path, if any. */
export function pathProblem(path: string): string | undefined {
  if (path === '') return 'path not specified';
  if (!path.startsWith('/')) return 'path not absolute';
  return simplifiedPath(path) === path ? undefined : 'path is not fully simplified';
}

function modeProblem(mode: number | undefined): string | undefined {
  return mode !== undefined && (mode < 0 || mode > MAX_MODE) ? 'illegal file mode' : undefined;
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

/** An absolute path without `.`, `..`, doubled or trailing slashes. */
export function simplifiedPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

function liesBelow(path: string, links: ReadonlySet<string>): boolean {
  if (links.size === 0) return false;
  for (let parent = parentOf(path); parent !== ''; parent = parentOf(parent)) {
    if (links.has(parent)) return true;
  }
  return false;
}
