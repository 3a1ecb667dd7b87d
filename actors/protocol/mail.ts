/** Mail on its way: from a tenant's outbox over main to the courier, and the courier's answer back. */

/** One mail, ready to leave. Its id is that of the outbox entry: receivers tell a repetition by it. */
export interface Mail {
  readonly tenantNo: number;
  /** Key of the tenant. */
  readonly tenant: string;
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** After this time the mail is not sent any more. */
  readonly expiresAtMs: number;
  /** `traceparent` of the request that caused it, where it was traced. */
  readonly trace?: string;
}

/** `refused`: by the receiver, for good. `given_up`: after the last attempt. `dropped`: the queue was full. */
export type MailOutcome = 'sent' | 'refused' | 'given_up' | 'expired' | 'dropped';

/** The courier's answer for one mail. */
export interface MailSettled {
  readonly tenantNo: number;
  readonly id: string;
  readonly outcome: MailOutcome;
}
