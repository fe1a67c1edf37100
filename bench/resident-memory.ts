/** The memory of a process, as Linux counts it. */
import { readFileSync } from 'node:fs';

const MIB = 1024 ** 2;

/** Resident memory in MiB: now (`VmRSS`), of it not shared with files (`RssAnon`), or at most so far (`VmHWM`). */
export function residentMib(pid: number | undefined, field: 'VmRSS' | 'RssAnon' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) / 1024;
}

/** Of this process, after a garbage collection where it may ask for one. */
export function ownMemory(): string {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  const mib = (bytes: number) => `${(bytes / MIB).toFixed(bytes < 10 * MIB ? 1 : 0)} MB`;
  const anonymous = mib(residentMib(process.pid, 'RssAnon') * MIB);
  return `RSS ${mib(rss)} (anonymous ${anonymous}); heap ${mib(heapUsed)}; buffers ${mib(arrayBuffers)}`;
}
