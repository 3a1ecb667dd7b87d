/** Public forms of the node: `submitForm(client, 'contact', fields)` (docs/contract/intake.md §4). */
import type { Sender } from './transport.ts';

export interface SubmitOptions {
  /** Names the submission for a day: sent again under it, it is kept once. The client makes one unless it is set. */
  readonly key?: string;
  readonly signal?: AbortSignal;
}

/** One whose honeypot was filled in is answered alike, and not kept. */
export interface Submission {
  readonly id: string;
  readonly receivedAt: string;
}

/**
 * Submits a form, and resolves when the submission is durable. It is sent without a credential and without a position: a form is the node's. A FormData
 * with files leaves as `multipart/form-data`, an object as JSON. Throws 422 `intake.validation`, whose `details.fields` has the faults of all fields, 400
 * `intake.captcha_required`, 404 `intake.unknown_form`.
 */
export async function submitForm(
  { transport }: Sender,
  form: string,
  fields: Readonly<Record<string, unknown>> | FormData,
  { key, signal }: SubmitOptions = {},
): Promise<Submission> {
  const path = `/f/${encodeURIComponent(form)}`;
  const { json } = await transport.send({
    method: 'POST',
    path,
    body: fields,
    key,
    signal,
    bare: true,
    position: false,
  });
  const { id, received_at: receivedAt } = json as { readonly id: string; readonly received_at: string };
  return { id, receivedAt };
}
