/**
 * A disk of which one folder is mounted read-only, as /usr is on an image-based OS. Paths have no links here: a link that leads
 * into the folder is resolved before, and one that leads out of it, such as /usr/local, is not within it.
 */
import { type Disk, DiskError, isWithin } from '../../node/host/index.ts';

export function readOnlyBelow(disk: Disk, folder: string): Disk {
  const changing = (paths: readonly string[], change: () => Promise<void>): Promise<void> => {
    const path = paths.find((one) => isWithin(folder, one));
    return path === undefined ? change() : Promise.reject(new DiskError('EROFS', path));
  };
  const { statWay } = disk;
  return {
    stat: (path) => disk.stat(path),
    ...(statWay && { statWay: (from, names) => statWay.call(disk, from, names) }),
    read: (path, maxBytes) => disk.read(path, maxBytes),
    list: (path) => disk.list(path),
    makeFolder: (path, mode) => changing([path], () => disk.makeFolder(path, mode)),
    create: (path, mode) => changing([path], () => disk.create(path, mode)),
    write: (path, bytes) => changing([path], () => disk.write(path, bytes)),
    setMode: (path, mode) => changing([path], () => disk.setMode(path, mode)),
    setOwner: (path, owner) => changing([path], () => disk.setOwner(path, owner)),
    syncFile: (path) => disk.syncFile(path),
    syncFolder: (path) => disk.syncFolder(path),
    rename: (move) => changing([move.from, move.to], () => disk.rename(move)),
    makeLink: (path, link) => changing([path], () => disk.makeLink(path, link)),
    unlink: (path) => changing([path], () => disk.unlink(path)),
    removeFolder: (path) => changing([path], () => disk.removeFolder(path)),
    isReadOnly: async (path) => isWithin(folder, path) || (await disk.isReadOnly(path)),
    space: (path) => disk.space(path),
    watch: (path, onChange) => disk.watch(path, onChange),
  };
}
