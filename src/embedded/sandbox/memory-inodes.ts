/**
 * The inodes of a disk in memory: the current state, the durable state, and the unsynced changes between them.
 *
 * Every change is applied to the current state and recorded. A sync makes the records of one inode durable. In a power cut
 * each inode loses its records from some point on: all of them, or by a seeded choice. Records of one inode keep their
 * order; those of different inodes are independent, so a name may outlive its content and vice versa. A rename is one
 * record in two directories, and is kept in both or none.
 */
import type { Random } from '../../base/env.ts';
import type { FileKind, Owner } from '../../node/host/index.ts';

export type Inode = {
  readonly kind: FileKind;
  /** Of a symlink. */
  readonly target: string;
  now: InodeState;
  lasting: InodeState;
};

type InodeState = {
  mode: number;
  owner: Owner;
  bytes: Uint8Array;
  readonly entries: Map<string, Inode>;
};

type EntryChange = {
  readonly folder: Inode;
  readonly name: string;
  readonly inode: Inode | undefined;
};
type AttributeChange = Partial<Pick<InodeState, 'mode' | 'owner' | 'bytes'>>;

type Note =
  | { readonly kind: 'entries'; readonly changes: readonly EntryChange[] }
  | { readonly kind: 'attributes'; readonly inode: Inode; readonly change: AttributeChange };

/** Which unsynced changes survive a power cut: none, or a random subset. */
export type Remains = 'nothing' | Pick<Random, 'next'>;

/** Writes back when this many changes are pending, like a real disk. */
const MAX_NOTES = 50_000;

const NO_BYTES = new Uint8Array(0);

export function newInode(kind: FileKind, { mode, target = '' }: { mode: number; target?: string }): Inode {
  const state = (): InodeState => ({ mode, owner: { uid: 0, gid: 0 }, bytes: NO_BYTES, entries: new Map() });
  return { kind, target, now: state(), lasting: state() };
}

export class InodeLog {
  #notes: Note[] = [];

  /** Changes names atomically; durable once one of the directories is synced. */
  changeEntries(changes: readonly EntryChange[]): void {
    for (const change of changes) applyEntry(change, 'now');
    this.#note({ kind: 'entries', changes });
  }

  changeAttributes(inode: Inode, change: AttributeChange): void {
    Object.assign(inode.now, change);
    this.#note({ kind: 'attributes', inode, change });
  }

  /** Makes all changes of this inode durable. */
  sync(inode: Inode): void {
    this.#keep((note) => inodesOf(note).includes(inode));
  }

  /** The number of unsynced changes. */
  get pending(): number {
    return this.#notes.length;
  }

  /** Resets the current state to the durable one. */
  cut(root: Inode, remains: Remains): void {
    if (remains !== 'nothing') this.#keepByChance(remains);
    this.#notes = [];
    recall(root);
  }

  #note(note: Note): void {
    this.#notes.push(note);
    if (this.#notes.length <= MAX_NOTES) return;
    const oldest = this.#notes.shift();
    if (oldest !== undefined) applyNote(oldest);
  }

  /** Makes the chosen records durable, with all earlier ones of the same inodes. */
  #keep(isWanted: (note: Note) => boolean): void {
    const touched = new Set<Inode>();
    const kept = new Set<Note>();
    for (const note of [...this.#notes].reverse()) {
      const inodes = inodesOf(note);
      if (!isWanted(note) && !inodes.some((inode) => touched.has(inode))) continue;
      kept.add(note);
      for (const inode of inodes) touched.add(inode);
    }
    for (const note of this.#notes) if (kept.has(note)) applyNote(note);
    this.#notes = this.#notes.filter((note) => !kept.has(note));
  }

  #keepByChance(random: Pick<Random, 'next'>): void {
    const chances = new Map<Inode, number>();
    const chanceOf = (inode: Inode): number => {
      const chance = chances.get(inode) ?? random.next();
      chances.set(inode, chance);
      return chance;
    };
    const wanted = new Set<Note>();
    for (const note of this.#notes) {
      const [first] = inodesOf(note);
      if (first !== undefined && random.next() < chanceOf(first)) wanted.add(note);
    }
    this.#keep((note) => wanted.has(note));
    const unwritten = new Map<Inode, Uint8Array>();
    for (const note of this.#notes) {
      if (note.kind === 'attributes' && note.change.bytes !== undefined) {
        unwritten.set(note.inode, note.change.bytes);
      }
    }
    for (const [inode, bytes] of unwritten) tear(inode, bytes, random);
  }
}

/** A write may have been partial. */
function tear(inode: Inode, bytes: Uint8Array, random: Pick<Random, 'next'>): void {
  if (random.next() < 0.5) return;
  inode.lasting.bytes = bytes.slice(0, Math.floor(random.next() * bytes.length));
}

function inodesOf(note: Note): readonly Inode[] {
  return note.kind === 'attributes' ? [note.inode] : note.changes.map(({ folder }) => folder);
}

function applyNote(note: Note): void {
  if (note.kind === 'attributes') Object.assign(note.inode.lasting, note.change);
  else for (const change of note.changes) applyEntry(change, 'lasting');
}

function applyEntry({ folder, name, inode }: EntryChange, when: 'now' | 'lasting'): void {
  const { entries } = folder[when];
  if (inode === undefined) entries.delete(name);
  else entries.set(name, inode);
}

/** Depth is bounded by the length of paths. */
function recall(inode: Inode): void {
  const { mode, owner, bytes, entries } = inode.lasting;
  inode.now = { mode, owner, bytes, entries: new Map(entries) };
  for (const child of entries.values()) recall(child);
}
