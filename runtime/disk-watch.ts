/**
 * Watches the free space of the data directory's disk. Below `storage.free_bytes_min` no host takes writes: that concerns every tenant, so `/readyz`
 * says 503, and the log and `degraded[]` name path, bytes and key. Refused callers get the key, not the path. Below twice that much free space a warning comes.
 */
import { statfs } from 'node:fs/promises';
import { limits } from '#config/limits.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';
import type { MetricFamily } from './observe/exposition.ts';

export interface DiskWatchPorts {
  readonly path: string;
  /** `storage.free_bytes_min`. */
  readonly freeBytesMin: number;
  readonly degraded: Degraded;
  /** Free bytes of the file system; statfs(2) unless a test passes another. */
  readonly freeBytes?: (path: string) => Promise<number>;
}

async function freeBytesOf(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

export class DiskWatch {
  readonly #ports: DiskWatchPorts;
  #free = Number.NaN;
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: DiskWatchPorts) {
    this.#ports = ports;
  }

  async start(): Promise<void> {
    await this.look();
    this.#timer = setInterval(() => void this.look(), limits.storage.freeSpaceCheckMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Where statfs fails the last state stays: a broken disk shows at the next sync. */
  async look(): Promise<void> {
    const { path, freeBytesMin, degraded, freeBytes = freeBytesOf } = this.#ports;
    try {
      this.#free = await freeBytes(path);
    } catch {
      return;
    }
    if (this.#free < freeBytesMin) this.#full(this.#free);
    else if (this.#free < limits.storage.freeWarnFactor * freeBytesMin) this.#scarce();
    else degraded.clear('disk', path);
  }

  /** Free bytes of the file system at the last look; null before it. */
  get health(): { readonly free_bytes: number | null; readonly free_bytes_min: number } {
    return {
      free_bytes: Number.isNaN(this.#free) ? null : this.#free,
      free_bytes_min: this.#ports.freeBytesMin,
    };
  }

  families(): MetricFamily[] {
    const gauge = (name: string, help: string, value: number): MetricFamily => ({
      name,
      type: 'gauge',
      help,
      samples: [{ labels: {}, value }],
    });
    return [
      gauge('skep_disk_free_bytes', "Free bytes of the data directory's file system.", this.#free),
      gauge(
        'skep_disk_free_bytes_min',
        'storage.free_bytes_min: below so many no writes are taken.',
        this.#ports.freeBytesMin,
      ),
    ];
  }

  #full(free: number): void {
    const { path, freeBytesMin, degraded } = this.#ports;
    const reason =
      `the disk of ${path} has ${mib(free)} free, less than storage.free_bytes_min (${mib(freeBytesMin)}): no write is taken, reads and deletes go on. ` +
      'Make room on it, or lower the key and restart';
    degraded.report({ scope: 'disk', name: path, reason, concerns: 'all', lasts: 'cleared' });
  }

  #scarce(): void {
    const { path, freeBytesMin, degraded } = this.#ports;
    const most = mib(limits.storage.freeWarnFactor * freeBytesMin);
    const reason =
      `the disk of ${path} has less than ${most} free: below storage.free_bytes_min ` +
      `(${mib(freeBytesMin)}) no write will be taken. Make room on it`;
    degraded.report({ scope: 'disk', name: path, reason, lasts: 'cleared' });
  }
}

/** Whole mebibytes, so that the reason stays the same text while the figure changes. */
const mib = (bytes: number): string => `${Math.floor(bytes / 2 ** 20)} MiB`;
