/**
 * Notices on their way. An entry is durable with its submission, in one commit; it lives until the courier has answered for it:
 *
 *   reserved ─▶ committed (enqueued) ─▶ offered ─▶ settled: counted, its entry deleted
 *      └─ not durable: nothing was promised          (a new courier or a new start: offered again)
 *
 * A full outbox drops and counts. Spec: docs/contract/intake.md §7.2.
 */
import type { FormDefinition } from '#config/definitions/form.ts';
import { NOTICE_KINDS, noticeKey } from '#actors/protocol/notice.ts';
import type { Notice, NoticeKind, NoticeSettled } from '#actors/protocol/notice.ts';
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

export interface OutboxPorts {
  readonly settings: NotifySettings;
  readonly form: (id: string) => FormDefinition | undefined;
  /** Hands notices to the courier; nobody waits. */
  readonly offer: (notices: readonly Notice[]) => void;
  /** Deletes an entry, in some later commit. */
  readonly forget: (id: string, kind: NoticeKind) => void;
}

interface Entry {
  readonly kind: NoticeKind;
  readonly submission: Submission;
}

/** Which notices a form gives under these settings. */
export function noticesOf(form: FormDefinition, { email, webhook }: NotifySettings): readonly NoticeKind[] {
  const wanted = { email: email && form.notify?.email !== undefined, chat: webhookOf(form, webhook) !== '' };
  return NOTICE_KINDS.filter((kind) => wanted[kind]);
}

export class Outbox {
  readonly #ports: OutboxPorts;
  readonly #entries = new Map<string, Entry>();
  readonly #counts = { enqueued: 0, dropped: 0, email_sent: 0, email_failed: 0, chat_sent: 0, chat_failed: 0 };
  /** Places promised to submissions that are not durable yet. */
  #reserved = 0;

  constructor(ports: OutboxPorts) {
    this.#ports = ports;
  }

  /** Entries that the courier has not answered for. */
  get depth(): number {
    return this.#entries.size;
  }

  counts(): NoticeCounts {
    return { ...this.#counts };
  }

  /** Takes places for a submission of a form: one for each notice that there is room for. */
  reserve(formId: string): readonly NoticeKind[] {
    const form = this.#ports.form(formId);
    if (form === undefined) return [];
    return noticesOf(form, this.#ports.settings).filter(() => this.#takePlace());
  }

  /** What became of a submission with places: durable ones are offered. */
  settled(submission: Accepted, durable: boolean): void {
    this.#reserved -= submission.notices.length;
    if (!durable) return;
    this.#counts.enqueued += submission.notices.length;
    const entries = submission.notices.map((kind) => ({ kind, submission }));
    for (const entry of entries) this.#entries.set(noticeKey({ id: submission.id, kind: entry.kind }), entry);
    this.#offer(entries);
  }

  /** Entries that an earlier run left; one whose form gives no such notice any more is dropped and counted. */
  restore(submission: Submission, kind: NoticeKind): void {
    this.#entries.set(noticeKey({ id: submission.id, kind }), { kind, submission });
  }

  /** Offers everything that was not answered for: a start, or a new courier. */
  again(): void {
    this.#offer([...this.#entries.values()]);
  }

  /** The courier's answer. An entry that is gone was answered for twice. */
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

  #offer(entries: readonly Entry[]): void {
    const notices: Notice[] = [];
    for (const { kind, submission } of entries) {
      const form = this.#ports.form(submission.form);
      const notice = form === undefined ? null : renderNotice(kind, form, submission, this.#ports.settings.webhook);
      if (notice === null) this.answered({ id: submission.id, kind, outcome: 'dropped' });
      else notices.push(notice);
    }
    if (notices.length > 0) this.#ports.offer(notices);
  }
}
