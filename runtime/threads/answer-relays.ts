/** Answers to main's relays from the outboxes of a tenant host. */
import type { Channel } from '#actors/protocol/channel.ts';
import type { TenantHost } from './tenant-host.ts';

export function answerRelays(channel: Channel, host: TenantHost): void {
  const { mail, hook } = host.outboxes;
  if (mail !== undefined) {
    channel.answer('mail.take', (wish) => host.run(wish.tenantNo, (work) => mail.take(work, wish)));
    channel.answer('mail.settle', (answer) => host.run(answer.tenantNo, (work) => mail.settle(work, answer)));
  }
  if (hook !== undefined) {
    channel.answer('hook.take', (wish) => host.run(wish.tenantNo, (work) => hook.take(work, wish)));
    channel.answer('hook.settle', (answer) => host.run(answer.tenantNo, (work) => hook.settle(work, answer)));
  }
  // Not run as work of the tenant's actor, so that a sleeping tenant stays asleep.
  channel.answer('audit.take', ({ tenantNo }) => host.events.take(tenantNo));
  channel.answer('audit.settle', (answer) => host.events.settle(answer));
}
