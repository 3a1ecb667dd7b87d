/** Facts about a process from /proc (proc(5)). All of them can change while they are read: the attestor reads them twice (attestor.ts). */
import { createHash } from 'node:crypto';
import { open, readFile, readlink } from 'node:fs/promises';
import type { BigIntStats } from 'node:fs';
import { limits } from '#config/limits.ts';

/** Identifies one run of one program: it changes with an exec, even of the same file, and when the process number is reused. */
export interface RunMark {
  readonly startedAt: string;
  /** Addresses of its memory, which an exec draws anew. */
  readonly memory: string;
  readonly executable: string;
}

/** The mark of a running process; null when it has ended or may not be inspected. */
export async function runMark(pid: number): Promise<RunMark | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    // The name stands in parentheses and may hold any character: fields are counted from the last parenthesis.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const file = await open(`/proc/${pid}/exe`, 'r');
    try {
      return {
        startedAt: fields[19]!,
        memory: [23, 24, 25, 42, 45, 47].map((at) => fields[at]).join(' '),
        executable: fileMark(await file.stat({ bigint: true })),
      };
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}

export const sameRun = (a: RunMark, b: RunMark): boolean =>
  a.startedAt === b.startedAt && a.memory === b.memory && a.executable === b.executable;

const fileMark = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  [dev, ino, size, mtimeNs, ctimeNs].join(' ');

/** The path of the running executable; null when the file was removed or replaced. */
export async function executablePath(pid: number): Promise<string | null> {
  try {
    const path = await readlink(`/proc/${pid}/exe`);
    return path.endsWith(' (deleted)') ? null : path;
  } catch {
    return null;
  }
}

/** Digests of executables by the metadata of their files; a changed file has other metadata. */
export class ExecutableHashes {
  readonly #known = new Map<string, Promise<string | null>>();

  /** SHA-256 of the running executable, hexadecimal: of the file that runs, even if its path has another file now. */
  async of(pid: number, { executable }: RunMark): Promise<string | null> {
    const known = this.#known.get(executable);
    if (known !== undefined) return known;
    if (this.#known.size >= limits.agent.hashesKept) this.#known.delete(this.#known.keys().next().value!);
    const digest = hashOf(pid, executable);
    this.#known.set(executable, digest);
    const found = await digest;
    if (found === null) this.#known.delete(executable);
    return found;
  }
}

async function hashOf(pid: number, executable: string): Promise<string | null> {
  try {
    const file = await open(`/proc/${pid}/exe`, 'r');
    try {
      const stats = await file.stat({ bigint: true });
      if (fileMark(stats) !== executable || stats.size > limits.agent.executableBytesMax) return null;
      const hash = createHash('sha256');
      for await (const piece of file.createReadStream({ autoClose: false })) hash.update(piece as Buffer);
      return hash.digest('hex');
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}

const UNIT = /\/([^/\s]+\.(?:service|scope))(?:\/|$)/g;

/** The innermost systemd unit of its control group; null when it is in none. */
export async function unitOf(pid: number): Promise<string | null> {
  try {
    return unitIn(await readFile(`/proc/${pid}/cgroup`, 'latin1'));
  } catch {
    return null;
  }
}

/** Lines of cgroup(7): the unified hierarchy, or systemd's own where there are several. */
export function unitIn(text: string): string | null {
  const line = text.split('\n').find((one) => one.startsWith('0::') || /^\d+:name=systemd:/.test(one));
  return [...(line ?? '').matchAll(UNIT)].at(-1)?.[1] ?? null;
}
