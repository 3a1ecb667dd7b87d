/** Answers to main's relays from the outboxes of a tenant host. */
import type { Channel } from '#actors/protocol/channel.ts';
import { Settlements } from '#actors/host/outbox/settlements.ts';
import type { ServedOutbox } from '#actors/host/outbox/outbox.ts';
import type { TenantHost } from './tenant-host.ts';

/** Gives what the thread calls when it closes, while its tenants can still be reached. */
export function answerRelays(channel: Channel, host: TenantHost): () => Promise<void> {
  const { mail, hook } = host.outboxes;
  const closing: (() => Promise<void>)[] = [];
  if (mail !== undefined) {
    const settlements = settlementsOf(mail, host);
    closing.push(() => settlements.close());
    channel.answer('mail.take', (wish) => host.run(wish.tenantNo, (work) => mail.take(work, wish)));
    channel.answer('mail.settle', (answer) => settlements.add(answer));
  }
  if (hook !== undefined) {
    const settlements = settlementsOf(hook, host);
    closing.push(() => settlements.close());
    channel.answer('hook.take', (wish) => host.run(wish.tenantNo, (work) => hook.take(work, wish)));
    channel.answer('hook.settle', (answer) => settlements.add(answer));
  }
  // Not run as work of the tenant's actor, so that a sleeping tenant stays asleep.
  channel.answer('audit.take', ({ tenantNo }) => host.events.take(tenantNo));
  channel.answer('audit.settle', (answer) => host.events.settle(answer));
  return async () => void (await Promise.all(closing.map((close) => close())));
}

function settlementsOf<A extends { readonly tenantNo: number }>(
  outbox: ServedOutbox<unknown, A>,
  host: TenantHost,
): Settlements<A> {
  return new Settlements<A>({
    settle: (tenantNo, answers) =>
      host.run(tenantNo, (work) => {
        for (const answer of answers) outbox.settle(work, answer);
      }),
    after: (ms, run) => void setTimeout(run, ms),
  });
}
