/** Messages to people about a submission: from intake's outbox over main to the courier, and the courier's answer back. */
import type { MailOutcome } from './mail.ts';

export const NOTICE_KINDS = ['email', 'chat'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** One notice, ready to leave. Its id is the submission's: receivers tell a repetition by it. */
export type Notice = EmailNotice | ChatNotice;

export interface EmailNotice {
  readonly kind: 'email';
  readonly id: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** Address that an answer goes to, '' for the sender's own. */
  readonly replyTo: string;
  /** `traceparent` of the request that caused it, where it was traced. */
  readonly trace?: string;
}

export interface ChatNotice {
  readonly kind: 'chat';
  readonly id: string;
  readonly webhook: string;
  readonly text: string;
  /** `traceparent` of the request that caused it, where it was traced. */
  readonly trace?: string;
}

/** The courier's answer for one notice. */
export interface NoticeSettled {
  readonly id: string;
  readonly kind: NoticeKind;
  readonly outcome: MailOutcome;
}

/** One name for a notice in maps. */
export function noticeKey({ id, kind }: { readonly id: string; readonly kind: NoticeKind }): string {
  return `${id} ${kind}`;
}
