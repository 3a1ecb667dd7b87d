/** What the machine gives the node: kernel, processors, memory, limits of its process, its disk. Without names of the machine or its users. */
import { readFileSync, statfsSync } from 'node:fs';
import { cpus, freemem, loadavg, release, totalmem, uptime } from 'node:os';
import { nearestPlace } from '#runtime/doctor/directory.ts';

/** `pid`: of the node, null where none runs; the limits are then those of this process. */
export function machineFacts(dataDir: string, pid: number | null): Record<string, unknown> {
  const { type, bsize, blocks, bavail, files, ffree } = statfsSync(nearestPlace(dataDir));
  const proc = `/proc/${pid ?? 'self'}`;
  return {
    platform: `${process.platform}-${process.arch}`,
    kernel: release(),
    uptime_s: Math.round(uptime()),
    processors: cpus().map(({ model }) => model),
    load: loadavg(),
    memory_bytes: { total: totalmem(), free: freemem() },
    disk: {
      type: `0x${type.toString(16)}`,
      bytes: blocks * bsize,
      free_bytes: bavail * bsize,
      files,
      free_files: ffree,
    },
    limits: linesOf(`${proc}/limits`),
    status: linesOf(`${proc}/status`)?.filter((line) => /^(?:Vm|Rss|Threads|FDSize|\w+_ctxt)/.test(line)),
    io: linesOf(`${proc}/io`),
    pressure: Object.fromEntries(['cpu', 'io', 'memory'].map((what) => [what, linesOf(`/proc/pressure/${what}`)])),
  };
}

/** Null where the kernel does not show it, or not to this user. */
function linesOf(path: string): string[] | null {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n');
  } catch {
    return null;
  }
}
