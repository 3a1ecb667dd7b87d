/** The courier's shell: a queue over SMTP, fed by main. */
import type { MessagePort } from 'node:worker_threads';
import type { Platform } from '#config/platform.ts';
import { limits } from '#config/limits.ts';
import { Courier } from '#actors/courier/courier.ts';
import { isFinalFailure, smtpSender } from '#actors/courier/smtp.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { Channel } from '#actors/protocol/channel.ts';
import { threadLogger } from '#runtime/observe/thread-logger.ts';
import { smtpSettings } from './smtp-settings.ts';

export interface CourierData {
  readonly platform: Platform;
}

export function runCourier(port: MessagePort, { platform }: CourierData): void {
  const channel = new Channel(port);
  const courier = new Courier({
    clock: systemClock,
    log: threadLogger(platform, 'courier'),
    send: smtpSender(smtpSettings(platform)),
    isFinal: isFinalFailure,
    settle: (answer) => channel.tell('courier.settled', answer),
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  });
  channel.answer('courier.send', (mails) => {
    for (const mail of mails) courier.offer(mail);
    return null;
  });
  channel.answer('thread.drain', async () => {
    await Promise.race([courier.stop(), new Promise((resolve) => setTimeout(resolve, limits.mail.drainMs))]);
    return null;
  });
}
