/** All logs of this process: each is opened when it is first needed, by the route that covers it. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Clock } from '#actors/kit/clock.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { IdSource } from '#actors/kit/id.ts';
import type { AuditEvent } from '#actors/protocol/audit.ts';
import { AuditLog, followSource } from './audit-log.ts';
import type { Sources } from './audit-log.ts';
import { logKey, verifyByNode } from './key-port.ts';
import type { KeyPort } from './key-port.ts';
import { isLogId, matchesLog, positionOf } from './log-id.ts';
import type { AuditSettings, RouteSettings } from './settings.ts';
import { LogRefused, openSegmentLog } from './store.ts';
import type { HeadStore, SegmentLog } from './store.ts';

export interface LogBookPorts {
  readonly settings: AuditSettings;
  readonly keys: KeyPort;
  readonly heads: HeadStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly after: (ms: number, run: () => void) => () => void;
  readonly onFatal: (error: Error) => void;
}

export class LogBook {
  readonly #ports: LogBookPorts;
  /** Most recently used last. */
  readonly #open = new Map<string, Promise<AuditLog>>();
  /** Logs that refuse to be written, and why. */
  readonly refused = new Map<string, LogRefused>();
  readonly #ids: IdSource;

  constructor(ports: LogBookPorts) {
    this.#ports = ports;
    this.#ids = new IdSource(ports.clock);
  }

  /** The route that covers a log. */
  routeOf(logId: string): RouteSettings {
    return this.#ports.settings.routing.find(({ pattern }) => matchesLog(pattern, logId))!;
  }

  /** Whether there is such a log on the disk. */
  exists(logId: string): boolean {
    return this.#open.has(logId) || existsSync(join(this.directoryOf(logId), 'segments'));
  }

  directoryOf(logId: string): string {
    return join(this.#ports.settings.baseDir, ...logId.split('/'));
  }

  /** Every log on the disk, by id. */
  ids(): string[] {
    const found: string[] = [];
    const walk = (path: string[]): void => {
      const directory = join(this.#ports.settings.baseDir, ...path);
      const names = existsSync(directory) ? readdirSync(directory, { withFileTypes: true }) : [];
      if (names.some(({ name }) => name === 'segments')) found.push(path.join('/'));
      else for (const entry of names) if (entry.isDirectory() && path.length < 8) walk([...path, entry.name]);
    };
    walk([]);
    return found.filter(isLogId).toSorted();
  }

  /** The log, opened when it is not. Throws LogRefused when it must not be written. */
  open(logId: string): Promise<AuditLog> {
    const present = this.#open.get(logId);
    if (present !== undefined) {
      this.#open.delete(logId);
      this.#open.set(logId, present);
      return present;
    }
    const opening = this.#openLog(logId);
    this.#open.set(logId, opening);
    opening.catch((error: unknown) => {
      this.#open.delete(logId);
      if (!(error instanceof LogRefused)) return;
      this.refused.set(logId, error);
      this.#ports.log.error({ log_id: logId, why: error.why }, error.message);
    });
    this.#closeOldest();
    return opening;
  }

  async #openLog(logId: string): Promise<AuditLog> {
    const { settings, keys, heads, after, onFatal, log } = this.#ports;
    const origin = `${settings.deployment}/${logId}`;
    const name = settings.keyIdTemplate?.replaceAll('{tenant}', logId) ?? origin;
    const key = await logKey(keys, settings.vaultPathTemplate.replaceAll('{tenant}', logId), name);
    const route = this.routeOf(logId);
    const sources: Sources = new Map(Object.entries(heads.get(logId)?.memo ?? {}));
    const opened: SegmentLog = await openSegmentLog({
      logId,
      directory: this.directoryOf(logId),
      origin,
      verifier: key.verifier,
      verify: verifyByNode,
      signer: key.signer,
      heads,
      bounds: { recordsMax: route.recordsMax, bytesMax: route.bytesMax },
      sealMs: route.sealMs,
      after,
      each: (entry) => followSource(sources, entry),
      memo: () => Object.fromEntries(sources),
      onFatal,
      onNoRoom: (error) => log.warn({ log_id: logId, error: error.message }, 'no room for a checkpoint'),
    });
    this.refused.delete(logId);
    const tenant = positionOf(logId)?.key ?? '';
    const ready = new AuditLog({
      id: logId,
      tenant,
      origin,
      key,
      durability: route.durability,
      log: opened,
      sources,
      ids: this.#ids,
    });
    const { torn } = opened;
    if (torn !== null)
      await ready.append([
        this.#ownEvent(ready, 'audit.recovered', { file: torn.path, offset: torn.start, bytes: torn.bytes.length }),
      ]);
    return ready;
  }

  /** An event of the audit service itself. */
  #ownEvent(log: AuditLog, action: string, data: Record<string, unknown>): AuditEvent {
    return {
      ts: timestamp(this.#ports.clock.now()),
      source: 'audit',
      source_seq: log.lastOf('audit') + 1,
      actor: 'internal',
      action,
      target: log.id,
      outcome: 'ok',
      request_id: '',
      data,
    };
  }

  #closeOldest(): void {
    if (this.#open.size <= limits.audit.openLogsMax) return;
    const [oldest] = this.#open;
    this.#open.delete(oldest![0]);
    void oldest![1].then((log) => log.close()).catch(() => undefined);
  }

  /** Everything taken is durable, signed and published. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#open.values()].map(async (log) => (await log).close()));
    this.#open.clear();
  }
}
