/**
 * The pages of a product at its sites (docs/contract/platform.md §3.6, docs/decisions/browser.md BR-3). A path is a name in the map of one
 * revision's files and nothing else: it never reaches a disk. The bytes come out of the archive of the revision, few files at a time, and stay in a bounded memory.
 */
import { limits } from '#config/limits.ts';
import type { KeptFile } from '#actors/kit/jobs.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { answerRefusal } from '#runtime/door/answer-refusal.ts';
import type { CallerAddress } from '#runtime/door/caller-address.ts';
import type { Directory } from '#runtime/door/directory.ts';
import type { RateDecision } from '#runtime/door/gate-ports.ts';
import type { Visit } from '#runtime/door/port.ts';
import type { Coding } from '#runtime/door/compress/coding.ts';
import { compressOnce } from '#runtime/door/compress/compress-once.ts';
import { refuseAtDoor } from '#runtime/door/refusals.ts';
import { SiteVisit } from '#runtime/door/site-visit.ts';
import type { BlobStore } from '#storage/blob/port.ts';
import { answerFile, type FileAnswer, type FileWish } from './answer-file.ts';
import { KeptBytes } from './kept-bytes.ts';
import { servicePrefixes } from './service-prefixes.ts';
import type { SiteContents, SiteIndex } from './site-index.ts';

export interface SiteFilesPorts {
  readonly directory: Pick<Directory, 'get'>;
  readonly rates: Pick<RateDecision, 'has' | 'take'>;
  readonly usage: { request(tenant: TenantEntry): Refusal | null };
  readonly index: Pick<SiteIndex, 'of'>;
  readonly revisions: Pick<BlobStore, 'read'>;
  /** Told of each answer. */
  answered(visit: Visit, requestId: string, tenant: TenantEntry, status: number): void;
}

/** A request for a file, read within the handler's synchronous part. */
interface Asked {
  readonly visit: Visit;
  readonly requestId: string;
  readonly tenant: TenantEntry;
  readonly name: string;
  /** A page is wanted: where the name is no file, the front end itself finds out what to show. */
  readonly isPage: boolean;
  readonly wish: FileWish;
}

const RATE = 'site_files';
const INDEX = '/index.html';

export class SiteFiles {
  readonly #ports: SiteFilesPorts;
  readonly #prefixes = servicePrefixes();
  readonly #kept = new KeptBytes(limits.web.keptBytesMax, limits.web.readingMax);
  #waiting = 0;

  constructor(ports: SiteFilesPorts) {
    this.#ports = ports;
  }

  /** Answers a request that no route takes; false where it is for no file of a site. */
  answer(visit: Visit, requestId: string, callerOf: CallerAddress): boolean {
    if (!(visit instanceof SiteVisit) || !visit.site.web || (visit.method !== 'GET' && visit.method !== 'HEAD'))
      return false;
    const name = nameOf(visit.path);
    if (name === null || this.#prefixes.has(name.split('/', 2)[1]!)) return false;
    const tenant = this.#ports.directory.get(visit.site.position.key);
    if (tenant?.state !== 'active') return false;
    const wish = {
      ifNoneMatch: visit.headers('if-none-match'),
      range: visit.header('range'),
      ifRange: visit.header('if-range'),
      accepted: visit.site.compressed ? visit.headers('accept-encoding') : null,
    };
    const asked = { visit, requestId, tenant, name, isPage: visit.headers('accept').includes('text/html'), wish };
    const refusal = this.#refusal(tenant, visit, callerOf);
    if (refusal === null) this.#serve(asked);
    else this.#refuse(asked, refusal);
    return true;
  }

  #refusal(tenant: TenantEntry, visit: Visit, callerOf: CallerAddress): Refusal | null {
    const { rates, usage } = this.#ports;
    if (tenant.standing === 'suspended') return refuseAtDoor('tenant_suspended');
    const limited = rates.has(RATE) ? rates.take(RATE, tenant.no, callerOf(visit)) : null;
    if (limited !== null) return limited;
    return this.#waiting >= limits.web.waitingMax ? refuseAtDoor('overloaded') : usage.request(tenant);
  }

  /** At once where everything is in memory. */
  #serve(asked: Asked): void {
    this.#waiting++;
    this.#found(asked)
      .catch(() => this.#refuse(asked, refuseAtDoor('unavailable')))
      .finally(() => this.#waiting--);
  }

  async #found(asked: Asked): Promise<void> {
    const contents = await this.#ports.index.of(asked.tenant);
    const { files } = contents;
    const file = files.get(asked.name) ?? (asked.isPage ? files.get(INDEX) : undefined);
    if (file === undefined) {
      this.#refuse(asked, refuseAtDoor('not_found'));
      return;
    }
    const { status, lines, coding, part } = answerFile(file, asked.wish);
    const body = part === null ? '' : await this.#body(contents, file, coding, part);
    this.#ports.answered(asked.visit, asked.requestId, asked.tenant, status);
    asked.visit.answer(status, lines, body, asked.requestId);
  }

  /** A file is compressed once, and kept beside its plain bytes for as long as there is room. */
  async #body(
    { revision }: SiteContents,
    file: KeptFile,
    coding: Coding | null,
    { from, to }: NonNullable<FileAnswer['part']>,
  ): Promise<Buffer> {
    if (coding !== null)
      return this.#kept.of(`${file.sha256}.${coding}`, async () =>
        compressOnce(coding, await this.#read(revision!, file)),
      );
    return (await this.#kept.of(file.sha256, () => this.#read(revision!, file))).subarray(from, to);
  }

  async #read(revision: string, { at, size }: KeptFile): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.#ports.revisions.read(revision, at, at + size)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  #refuse({ visit, requestId, tenant }: Asked, refusal: Refusal): void {
    this.#ports.answered(visit, requestId, tenant, refusal.status);
    answerRefusal(visit, requestId, refusal);
  }
}

/** The file that a path names; null for one that is no sound encoding. A folder stands for its `index.html`. */
function nameOf(path: string): string | null {
  try {
    const name = decodeURIComponent(path);
    return name.endsWith('/') ? `${name}index.html` : name;
  } catch {
    return null;
  }
}
