/** All logs of this process. Each is opened when it is first needed, under the route that covers it. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import { timestamp, type Clock } from '#actors/kit/clock.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';
import { IdSource } from '#actors/kit/id.ts';
import type { AuditEvent } from '#actors/protocol/audit.ts';
import { positionOfLog } from '#actors/protocol/position.ts';
import { AuditLog, followSource, refusedHands, type LogHands, type Sources } from './audit-log.ts';
import { askWitness, type WitnessPeer } from './ask-witness.ts';
import { judgeTarget, refusalByWitness, refusalOf, type Judged } from './judge-target.ts';
import { logKey, verifyByNode, type KeyPort } from './key-port.ts';
import { emptyHead, publishedHead, type LogIdentity } from './log-head.ts';
import { isLogId, matchesLog } from './log-id.ts';
import { PersonalData } from './personal.ts';
import type { AnchorSettings, AuditSettings, RouteSettings } from './settings.ts';
import { LogLeft, LogRefused, openFiles, openSegmentLog, readOnlyFiles, verifierKey } from './store.ts';
import type { HeadStore, LeafStore, LogFiles, SegmentLog, SignedHead } from './store.ts';
import { SharedLog } from './shared-log.ts';
import { anchorsOf, targetsOf } from './targets.ts';

export interface LogBookPorts {
  readonly settings: AuditSettings;
  readonly keys: KeyPort;
  readonly heads: HeadStore;
  readonly clock: Clock;
  /** Gives so many unpredictable bytes. */
  readonly random: (bytes: number) => Uint8Array;
  readonly log: Log;
  readonly after: (ms: number, run: () => void) => () => void;
  readonly onFatal: (error: Error) => void;
  /** Receives each log that refuses to be written, for readiness and metrics. */
  readonly degraded: Degraded;
  /** The witness of a setting. */
  readonly witness: (anchor: AnchorSettings) => WitnessPeer;
  /** Where records are kept before this machine has them; absent where it alone has them. */
  readonly leaves?: LeafStore | undefined;
}

async function accusation(
  log: Judged & { readonly head: SignedHead },
  witness: WitnessPeer,
): Promise<LogRefused | null> {
  const found = await askWitness(log, witness, log.head.size);
  return typeof found === 'string' ? refusalByWitness(found, witness.url) : null;
}

/** What an operator does about a log that refuses to be written. */
const MENDS: Readonly<Record<LogRefused['why'], string>> = {
  held: 'end the other process that writes it',
  damage: 'put the newest copy back, and start again',
  rollback: 'put the newest copy of logs and of .state back, and start again',
  fork: 'find out which process wrote the other history; skep audit verify shows where they differ',
  key: 'give this node the signing keys of the log, those of the node that began it: the vault in the database, or the files of key_dir',
};

export class LogBook {
  readonly #ports: LogBookPorts;
  /** Most recently used last. */
  readonly #open = new Map<string, Promise<AuditLog>>();
  /** Logs that refuse to be written, and why. */
  readonly refused = new Map<string, LogRefused>();
  /** Logs that a copy or a witness contradicted while they were open: they stay closed until the next start. */
  readonly #barred = new Set<string>();
  readonly #ids: IdSource;
  /** Logs that are being closed without signing more. */
  readonly #leaving = new Map<string, Promise<void>>();
  /** Logs that the database has, with what it had of each. */
  #shared: ReadonlyMap<string, number> = new Map();

  constructor(ports: LogBookPorts) {
    this.#ports = ports;
    this.#ids = new IdSource(ports.clock);
  }

  /** Whether a database keeps the records, so that another node may go on with a log. */
  get isShared(): boolean {
    return this.#ports.leaves !== undefined;
  }

  /** Reads which logs the database has; gives those of which more is signed there than here. Rejects with LeavesAway. */
  async learn(): Promise<string[]> {
    this.#shared = (await this.#ports.leaves?.sizes()) ?? new Map();
    return [...this.#shared].filter(([id, size]) => this.signedSize(id) < size).map(([id]) => id);
  }

  /** The route that covers a log. */
  routeOf(logId: string): RouteSettings {
    return this.#ports.settings.routing.find(({ pattern }) => matchesLog(pattern, logId))!;
  }

  /** How long records are kept where a route says so, in milliseconds. */
  get retentions(): readonly number[] {
    return this.#ports.settings.routing.flatMap(({ keepMs }) => (keepMs === null ? [] : [keepMs]));
  }

  /** Whether the log is on the disk, or in the database. */
  exists(logId: string): boolean {
    return this.#open.has(logId) || this.#shared.has(logId) || existsSync(join(this.directoryOf(logId), 'segments'));
  }

  directoryOf(logId: string): string {
    return join(this.#ports.settings.baseDir, ...logId.split('/'));
  }

  /** When a log on the disk was last written, by its file system. */
  writtenMs(logId: string): number {
    const directory = join(this.directoryOf(logId), 'segments');
    const last = existsSync(directory) ? readdirSync(directory).toSorted().at(-1) : undefined;
    return last === undefined ? 0 : statSync(join(directory, last)).mtimeMs;
  }

  /** Every log, by id. */
  ids(): string[] {
    const found: string[] = [];
    const walk = (path: string[]): void => {
      const directory = join(this.#ports.settings.baseDir, ...path);
      const names = existsSync(directory) ? readdirSync(directory, { withFileTypes: true }) : [];
      if (names.some(({ name }) => name === 'segments')) found.push(path.join('/'));
      else for (const entry of names) if (entry.isDirectory() && path.length < 8) walk([...path, entry.name]);
    };
    walk([]);
    return [...new Set([...found.filter(isLogId), ...this.#shared.keys()])].toSorted();
  }

  /** Logs that are open or being opened. */
  get opened(): readonly Promise<AuditLog>[] {
    return [...this.#open.values()];
  }

  /** Records that signed heads cover, of a log that is open or closed. */
  signedSize(logId: string): number {
    return this.#ports.heads.get(logId)?.size ?? 0;
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
      if (error instanceof LogRefused) this.#note(logId, error);
    });
    this.#closeOldest();
    return opening;
  }

  /** The log for reading only: one that must not be written shows its last published state. */
  async openToRead(logId: string): Promise<AuditLog> {
    try {
      return await this.open(logId);
    } catch (error) {
      if (!(error instanceof LogRefused)) throw error;
      const files = openFiles(this.directoryOf(logId));
      const identity = await this.identityOf(logId);
      const head = await publishedHead(files, identity.origin, identity.key.verifier);
      return this.#present(identity, refusedHands(files, head, error), new Map());
    }
  }

  /** From now on nothing is written to this log, and nothing more of it is signed. */
  async refuse(logId: string, error: LogRefused): Promise<void> {
    this.#barred.add(logId);
    this.#note(logId, error);
    const present = this.#open.get(logId);
    this.#open.delete(logId);
    await (await present)?.abandon();
  }

  /** This process may not have all of the log: what waits is closed without signing more, and the next use claims it anew. */
  async #leave(logId: string, error: LogLeft): Promise<void> {
    this.#ports.log.warn(
      { log_id: logId, error: error.message },
      'the audit log is closed, since its records could not be kept by the database and here: its events wait, and it is opened again when they come again',
    );
    const present = this.#open.get(logId);
    this.#open.delete(logId);
    const left = (async () => (await present?.catch(() => undefined))?.abandon())();
    this.#leaving.set(logId, left);
    await left;
    if (this.#leaving.get(logId) === left) this.#leaving.delete(logId);
  }

  #note(logId: string, error: LogRefused): void {
    if (this.refused.get(logId)?.message !== error.message)
      this.#ports.log.error({ log_id: logId, why: error.why }, error.message);
    this.refused.set(logId, error);
    const reason = `refuses to be written (${error.why}): ${error.message}; its events wait; ${MENDS[error.why]}`;
    // The next start checks it again.
    this.#ports.degraded.report({ scope: 'log', name: logId, reason, lasts: 'thread' });
  }

  /** The id of a log, and the key that signs it now. */
  async identityOf(logId: string): Promise<LogIdentity> {
    const { settings, keys } = this.#ports;
    const origin = `${settings.deployment}/${logId}`;
    const name = settings.keyIdTemplate?.replaceAll('{tenant}', logId) ?? origin;
    const key = await logKey(keys, settings.vaultPathTemplate.replaceAll('{tenant}', logId), name);
    return { id: logId, tenant: positionOfLog(logId)?.key ?? '', origin, key };
  }

  #present(identity: LogIdentity, hands: LogHands, sources: Sources, shared: SharedLog | null = null): AuditLog {
    const { durability } = this.routeOf(identity.id);
    const { clock, random, log } = this.#ports;
    const onDamaged = (path: string, lines: number): void =>
      log.warn(
        { log_id: identity.id, path, lines },
        'personal values of an audit log are damaged, or were cut by a crash: records show none in their place; restore the file from a backup, or erase its day',
      );
    const personal = new PersonalData({ files: hands.files, clock, random, onDamaged });
    const keep = shared === null ? null : shared.save.bind(shared);
    return new AuditLog({ ...identity, durability, log: hands, sources, ids: this.#ids, personal, keep });
  }

  /** The log must continue every copy and every cosigned checkpoint. An unreachable witness or copy is not evidence. */
  async #judge(identity: LogIdentity, head: SignedHead | undefined, files: LogFiles): Promise<void> {
    const { id, origin, key } = identity;
    const judged = { origin, verifier: key.verifier, head, files };
    for (const directory of targetsOf(this.#ports.settings, id))
      await this.#contradictedBy(id, directory, async () => {
        const found = await judgeTarget(judged, readOnlyFiles(directory));
        return typeof found === 'string' ? refusalOf(found, directory) : null;
      });
    for (const witness of this.witnessesOf(id))
      await this.#contradictedBy(id, witness.url, () =>
        accusation({ ...judged, head: head ?? emptyHead(identity) }, witness),
      );
  }

  async #contradictedBy(logId: string, target: string, ask: () => Promise<LogRefused | null>): Promise<void> {
    const accused = await ask().catch((error: Error) => {
      this.#ports.log.warn(
        { log_id: logId, target, error: error.message },
        'witness or copy unreachable: the log is opened without this comparison',
      );
      return null;
    });
    if (accused !== null) throw accused;
  }

  /** The witnesses that cosign this log. */
  witnessesOf(logId: string): WitnessPeer[] {
    return anchorsOf(this.#ports.settings, logId).map((anchor) => this.#ports.witness(anchor));
  }

  /** How many copies and witnesses the settings give this log. */
  peersOf(logId: string): { readonly copies: number; readonly witnesses: number } {
    const { settings } = this.#ports;
    return { copies: targetsOf(settings, logId).length, witnesses: anchorsOf(settings, logId).length };
  }

  async #openLog(logId: string): Promise<AuditLog> {
    if (this.#barred.has(logId)) throw this.refused.get(logId)!;
    await this.#leaving.get(logId);
    const { heads, after, onFatal, log } = this.#ports;
    const identity = await this.identityOf(logId);
    const { origin, key } = identity;
    const route = this.routeOf(logId);
    const sources: Sources = new Map(Object.entries(heads.get(logId)?.memo ?? {}));
    const shared = await this.#claim(identity);
    const opened = await openSegmentLog({
      logId,
      directory: this.directoryOf(logId),
      origin,
      verifier: key.verifier,
      verify: verifyByNode,
      signer: key.signer,
      heads: shared?.heads(heads) ?? heads,
      secure: shared?.secure,
      bounds: { recordsMax: route.recordsMax, bytesMax: route.bytesMax },
      sealMs: route.sealMs,
      after,
      judge: async (head, files, tree) => {
        await shared?.judge(tree);
        if (shared?.isBehind !== true) await this.#judge(identity, shared?.newest(head) ?? head, files);
        await shared?.adopt(tree);
      },
      each: (entry, index) => {
        followSource(sources, entry);
        shared?.each(entry, index);
      },
      memo: () => Object.fromEntries(sources),
      onFatal: (error) => (error instanceof LogLeft ? void this.#leave(logId, error) : onFatal(error)),
      onNoRoom: (error) =>
        log.warn(
          { log_id: logId, error: error.message },
          'the disk has no room for a checkpoint of the audit log: records are accepted but not signed; free some space',
        ),
      onUnpacked: (error) =>
        log.warn(
          { log_id: logId, error: error.message },
          'a sealed file of the audit log was not packed: it takes some four times the room, and is read as well; it is tried again when the log is opened next',
        ),
    });
    if (shared !== null) await this.#bringUp(identity, shared, opened, sources);
    if (this.refused.delete(logId)) this.#ports.degraded.clear('log', logId);
    const ready = this.#present(identity, opened, sources, shared);
    const { torn } = opened;
    if (torn !== null)
      await ready.append([
        this.ownEvent(ready, 'audit.recovered', { file: torn.path, offset: torn.start, bytes: torn.bytes.length }),
      ]);
    return ready;
  }

  /** Null where this machine alone has the records. */
  async #claim({ id: logId, key }: LogIdentity): Promise<SharedLog | null> {
    const { heads, leaves } = this.#ports;
    if (leaves === undefined) return null;
    const files = openFiles(this.directoryOf(logId));
    const signed = heads.get(logId)?.size ?? 0;
    return SharedLog.claim({ leaves, logId, key: verifierKey(key.verifier), files, signed });
  }

  /** A log that was behind is held against its copies once it has what was signed, before more is. */
  async #bringUp(identity: LogIdentity, shared: SharedLog, opened: SegmentLog, sources: Sources): Promise<void> {
    const grown = (entry: Buffer): void => followSource(sources, entry);
    try {
      await shared.bringUp(opened, grown);
      if (shared.isBehind) await this.#judge(identity, opened.head, opened.files);
      await shared.finish(opened, grown);
    } catch (error) {
      await opened.abandon();
      throw error;
    }
  }

  /** An event of the audit service itself. */
  ownEvent(log: AuditLog, action: string, data: Readonly<Record<string, unknown>>): AuditEvent {
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

  /** Resolves when every accepted record is durable, signed and published. */
  async close(): Promise<void> {
    const all = [...this.#open.values()];
    this.#open.clear();
    await Promise.allSettled(all.map(async (log) => (await log).close()));
  }
}
