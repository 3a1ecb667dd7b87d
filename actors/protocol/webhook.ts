/** Webhook deliveries on their way: from a tenant's outbox over main to the courier, and the courier's answer back. */
import type { MailOutcome } from './mail.ts';

/** One delivery, ready to leave. Its id is that of the outbox entry: receivers tell a repetition by it. */
export interface Delivery {
  readonly tenantNo: number;
  readonly id: string;
  readonly url: string;
  /** Name of the subscription. */
  readonly name: string;
  readonly event: string;
  /** Key of the tenant. */
  readonly tenant: string;
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  /** `traceparent` of the request that made the change, where it was traced. */
  readonly trace?: string;
}

/** The courier's answer for one delivery, with what its last attempt met. */
export interface DeliverySettled {
  readonly tenantNo: number;
  readonly id: string;
  readonly outcome: MailOutcome;
  readonly attempts: number;
  /** Of the receiver's last answer; null where it gave none. */
  readonly status: number | null;
  readonly error: string | null;
}
