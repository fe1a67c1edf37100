/**
 * Merges the layers of an image into one tree: one entry for each path.
 *
 * Each layer is applied over the ones below it. `.wh.name` removes that name of lower layers,
 * `.wh..wh..opq` all of their entries in that folder. A path through a symbolic link is resolved
 * within the image, as on a running machine. Hard links become files with the same content.
 */
import { invalid, type Outcome, ok } from '../base/errors.ts';
import { compareBytes } from '../base/json.ts';
import { parentOf } from './tar-paths.ts';
import type { TarEntry } from './untar.ts';

type TreeEntry = {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly mtime: number;
} & (
  | { readonly kind: 'file'; readonly content: Uint8Array }
  | { readonly kind: 'folder' }
  | { readonly kind: 'symlink'; readonly target: string }
  | { readonly kind: 'special' }
);

/** By path, sorted by bytes, so that folders precede their content. The root itself is not included. */
export type FileTree = ReadonlyMap<string, TreeEntry>;

/** Each list of entries is a layer, lowest first. */
export function mergeLayers(layers: readonly (readonly TarEntry[])[]): Outcome<FileTree> {
  const tree = new TreeBuilder();
  for (const [number, layer] of layers.entries()) {
    const problem = tree.addLayer(layer);
    if (problem !== undefined) return invalid([{ path: `layer ${number}`, message: problem }]);
  }
  return ok(tree.entries());
}

const WHITEOUT = '.wh.';
const OPAQUE = '.wh..wh..opq';
/** The limit of Linux for chained links. */
const MAX_LINKS = 40;
const MADE_FOLDER: TreeEntry = { kind: 'folder', mode: 0o755, uid: 0, gid: 0, mtime: 0 };

class TreeBuilder {
  readonly #root: Folder = newFolder(MADE_FOLDER);

  /** Returns the problem; undefined where there is none. */
  addLayer(entries: readonly TarEntry[]): string | undefined {
    // Whiteouts apply to lower layers only, independent of their position: so they are applied first.
    for (const entry of entries) {
      const problem = isWhiteout(entry.path) ? this.#takeAway(entry.path) : undefined;
      if (problem !== undefined) return problem;
    }
    for (const entry of entries) {
      if (isWhiteout(entry.path)) continue;
      const problem = this.#put(entry);
      if (problem !== undefined) return `${JSON.stringify(entry.path)}: ${problem}`;
    }
    return undefined;
  }

  entries(): FileTree {
    const found: [string, TreeEntry][] = [];
    const visit = (folder: Folder, prefix: string): void => {
      for (const [name, node] of folder.children) {
        found.push([prefix + name, node.entry]);
        if (isFolder(node)) visit(node, `${prefix}${name}/`);
      }
    };
    visit(this.#root, '');
    return new Map(found.sort(([a], [b]) => compareBytes(a, b)));
  }

  #takeAway(path: string): string | undefined {
    const name = nameOf(path);
    const folder = this.#find(parentOf(path));
    if (folder === undefined || !isFolder(folder)) return undefined;
    if (name === OPAQUE) folder.children.clear();
    else if (name.startsWith(`${WHITEOUT}.wh.`))
      return `${JSON.stringify(path)}: an unknown kind of whiteout`;
    else folder.children.delete(name.slice(WHITEOUT.length));
    return undefined;
  }

  #put(entry: TarEntry): string | undefined {
    const { path } = entry;
    if (path === '') {
      if (entry.kind !== 'folder') return 'the root is not a folder';
      return undefined;
    }
    const folder = this.#folderFor(parentOf(path));
    if (typeof folder === 'string') return folder;
    const name = nameOf(path);
    const node = this.#nodeOf(entry, folder.children.get(name));
    if (typeof node === 'string') return node;
    folder.children.set(name, node);
    return undefined;
  }

  #nodeOf(entry: TarEntry, before: Node | undefined): Node | string {
    const { mode, uid, gid, mtime } = entry;
    const common = { mode, uid, gid, mtime };
    switch (entry.kind) {
      case 'folder': {
        const made: TreeEntry = { ...common, kind: 'folder' };
        return before !== undefined && isFolder(before) ? { ...before, entry: made } : newFolder(made);
      }
      case 'file':
        return { entry: { ...common, kind: 'file', content: entry.content } };
      case 'symlink':
        return { entry: { ...common, kind: 'symlink', target: entry.target } };
      case 'special':
        return { entry: { ...common, kind: 'special' } };
      case 'hardlink': {
        const parent = this.#find(parentOf(entry.target));
        const found =
          parent !== undefined && isFolder(parent) ? parent.children.get(nameOf(entry.target)) : undefined;
        if (found === undefined) return `it is another name for ${entry.target}, which is not there`;
        return isFolder(found) ? `it is another name for the folder ${entry.target}` : { entry: found.entry };
      }
    }
  }

  /** Creates missing parent folders. */
  #folderFor(path: string): Folder | string {
    const found = this.#walk(path, (folder, name) => {
      const made = newFolder(MADE_FOLDER);
      folder.children.set(name, made);
      return made;
    });
    if (typeof found === 'string') return found;
    if (found === undefined || !isFolder(found)) return `${path} is not a folder`;
    return found;
  }

  #find(path: string): Node | undefined {
    const found = this.#walk(path, () => undefined);
    return typeof found === 'string' ? undefined : found;
  }

  /** Resolves links within the root, including the last one. */
  #walk(
    path: string,
    missing: (folder: Folder, name: string) => Folder | undefined,
  ): Node | string | undefined {
    let trail: Folder[] = [this.#root];
    let rest = path.split('/');
    let links = 0;
    while (rest.length > 0) {
      const [name = '', ...behind] = rest;
      rest = behind;
      const folder = trail.at(-1) ?? this.#root;
      if (name === '' || name === '.') continue;
      if (name === '..') {
        if (trail.length > 1) trail.pop();
        continue;
      }
      const node = folder.children.get(name) ?? missing(folder, name);
      if (node === undefined) return undefined;
      if (isFolder(node)) {
        trail.push(node);
        continue;
      }
      if (node.entry.kind !== 'symlink')
        return rest.every((part) => part === '') ? node : `${name} is not a folder`;
      links += 1;
      if (links > MAX_LINKS) return 'too many links lead to one another';
      if (node.entry.target.startsWith('/')) trail = [this.#root];
      rest = [...node.entry.target.split('/'), ...rest];
    }
    return trail.at(-1);
  }
}

type Node = { readonly entry: TreeEntry; readonly children?: Map<string, Node> };
type Folder = Node & { readonly children: Map<string, Node> };

function newFolder(entry: TreeEntry): Folder {
  return { entry, children: new Map() };
}

function isFolder(node: Node): node is Folder {
  return node.children !== undefined;
}

function isWhiteout(path: string): boolean {
  return nameOf(path).startsWith(WHITEOUT);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
