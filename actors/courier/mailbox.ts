/** Keeps mails in memory in place of sending them, for development. Bounded in count and characters: the oldest ones are dropped. */
import { limits } from '#config/limits.ts';
import { timestamp, type Clock } from '#actors/kit/clock.ts';
import type { Mail } from '#actors/protocol/mail.ts';
import type { KeptMail } from '#actors/protocol/mailbox.ts';

interface Kept {
  readonly mail: KeptMail;
  readonly tenantNo: number;
}

export class Mailbox {
  readonly #from: string;
  readonly #clock: Clock;
  #kept: Kept[] = [];
  #chars = 0;
  #last = 0;

  constructor(from: string, clock: Clock) {
    this.#from = from;
    this.#clock = clock;
  }

  keep({ tenantNo, tenant, to, subject, text, html }: Mail): void {
    const at = timestamp(this.#clock.now());
    const mail = { no: ++this.#last, at, tenant, from: this.#from, to, subject, text, html };
    this.#kept.push({ mail, tenantNo });
    this.#chars += sizeOf(mail);
    const { mailboxMailsMax, mailboxCharsMax } = limits.mail;
    while (this.#kept.length > mailboxMailsMax || this.#chars > mailboxCharsMax)
      this.#chars -= sizeOf(this.#kept.shift()!.mail);
  }

  /** Drops the mails of tenants that are gone. */
  forget(isOf: (tenantNo: number) => boolean): void {
    this.#kept = this.#kept.filter(({ tenantNo }) => !isOf(tenantNo));
    this.#chars = this.#kept.reduce((sum, { mail }) => sum + sizeOf(mail), 0);
  }

  /** Newest first. */
  list(): readonly KeptMail[] {
    return this.#kept.map(({ mail }) => mail).toReversed();
  }
}

const sizeOf = ({ to, subject, text, html }: KeptMail): number =>
  to.length + subject.length + text.length + html.length;
