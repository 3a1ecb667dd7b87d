/**
 * The outbox of notices. An entry is written in the commit of its submission and stays until the courier has answered for it:
 *
 *   reserved ─▶ committed (enqueued) ─▶ taken ─▶ settled: counted, its entry deleted
 *      └─ not durable: nothing was promised       (after a restart of courier or node: taken again)
 *
 * A full outbox drops and counts. Spec: docs/contract/intake.md §7.2.
 */
import type { FormDefinition } from '#config/definitions/form.ts';
import { NOTICE_KINDS, noticeKey, type Notice, type NoticeKind, type NoticeSettled } from '#actors/protocol/notice.ts';
import type { OutboxWish, Taken } from '#actors/protocol/outbox.ts';
import { renderNotice, webhookOf } from './render-notice.ts';
import type { Accepted, Submission } from './submission.ts';

export interface NotifySettings {
  /** `notify.queue_depth`. */
  readonly queueDepth: number;
  /** Whether a mail provider is usable. */
  readonly email: boolean;
  /** `chat.default_webhook`, '' for none. */
  readonly webhook: string;
}

/** Counters of `/metrics`. */
export interface NoticeCounts {
  readonly enqueued: number;
  readonly dropped: number;
  readonly email_sent: number;
  readonly email_failed: number;
  readonly chat_sent: number;
  readonly chat_failed: number;
}

export interface NoticeOutboxPorts {
  readonly settings: NotifySettings;
  readonly form: (id: string) => FormDefinition | undefined;
  /** Notifies main that there are durable notices for the courier. */
  readonly pending: () => void;
  /** Deletes an entry, in some later commit. */
  readonly forget: (id: string, kind: NoticeKind) => void;
}

interface Entry {
  readonly kind: NoticeKind;
  readonly submission: Submission;
  readonly trace: string | undefined;
}

/** The kinds of notice that a form sends under these settings. */
export function noticesOf(form: FormDefinition, { email, webhook }: NotifySettings): readonly NoticeKind[] {
  const wanted = { email: email && form.notify?.email !== undefined, chat: webhookOf(form, webhook) !== '' };
  return NOTICE_KINDS.filter((kind) => wanted[kind]);
}

export class NoticeOutbox {
  readonly #ports: NoticeOutboxPorts;
  readonly #entries = new Map<string, Entry>();
  readonly #counts = { enqueued: 0, dropped: 0, email_sent: 0, email_failed: 0, chat_sent: 0, chat_failed: 0 };
  /** Places reserved by submissions that are not durable yet. */
  #reserved = 0;
  #isKnown = false;

  constructor(ports: NoticeOutboxPorts) {
    this.#ports = ports;
  }

  /** Entries for which the courier has not answered. */
  get depth(): number {
    return this.#entries.size;
  }

  counts(): NoticeCounts {
    return { ...this.#counts };
  }

  /** Reserves places for a submission of a form, one for each notice while there is room. */
  reserve(formId: string): readonly NoticeKind[] {
    const form = this.#ports.form(formId);
    if (form === undefined) return [];
    return noticesOf(form, this.#ports.settings).filter(() => this.#takePlace());
  }

  /** Releases the places of a submission; a durable one gets entries for its notices. */
  settled(submission: Accepted, durable: boolean): void {
    this.#reserved -= submission.notices.length;
    if (!durable) return;
    this.#counts.enqueued += submission.notices.length;
    for (const kind of submission.notices) this.restore(submission, kind, submission.trace);
    if (submission.notices.length > 0) this.#notify();
  }

  /** Adds an entry, such as one that an earlier run left. */
  restore(submission: Submission, kind: NoticeKind, trace?: string): void {
    this.#entries.set(noticeKey({ id: submission.id, kind }), { kind, submission, trace });
  }

  /** Notifies main of entries that an earlier run left. */
  resume(): void {
    if (this.depth > 0) this.#notify();
  }

  /** Notifies once, until main has taken every entry. */
  #notify(): void {
    if (this.#isKnown) return;
    this.#isKnown = true;
    this.#ports.pending();
  }

  /** Notices that the courier does not have yet, oldest first. An entry whose form sends no such notice any more is dropped and counted. */
  take({ except, limit }: Omit<OutboxWish, 'tenantNo'>): Taken<Notice> {
    const held = new Set(except);
    const waiting = [...this.#entries].filter(([key]) => !held.has(key));
    const parcels = waiting.slice(0, limit).flatMap(([, entry]) => this.#noticeOf(entry) ?? []);
    const more = waiting.length > limit;
    if (!more) this.#isKnown = false;
    return { parcels, more };
  }

  /** Drops notices of submissions that are erased. The courier may have begun with one: that is sent. */
  drop(ids: readonly string[]): void {
    for (const id of ids) for (const kind of NOTICE_KINDS) this.answered({ id, kind, outcome: 'dropped' });
  }

  /** Takes the courier's answer; a second answer for the same entry does nothing. */
  answered({ id, kind, outcome }: NoticeSettled): void {
    if (!this.#entries.delete(noticeKey({ id, kind }))) return;
    this.#ports.forget(id, kind);
    if (outcome === 'dropped') this.#counts.dropped++;
    else this.#counts[`${kind}_${outcome === 'sent' ? 'sent' : 'failed'}`]++;
  }

  #takePlace(): boolean {
    if (this.#entries.size + this.#reserved >= this.#ports.settings.queueDepth) {
      this.#counts.dropped++;
      return false;
    }
    this.#reserved++;
    return true;
  }

  #noticeOf({ kind, submission, trace }: Entry): Notice | null {
    const form = this.#ports.form(submission.form);
    const notice = form === undefined ? null : renderNotice(kind, form, submission, this.#ports.settings.webhook);
    if (notice === null) this.answered({ id: submission.id, kind, outcome: 'dropped' });
    return notice === null || trace === undefined ? notice : { ...notice, trace };
  }
}
