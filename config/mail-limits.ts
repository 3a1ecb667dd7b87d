/** Identity's mails, and the courier that carries them. */
export const mailLimits = {
  /** Mails that wait in one tenant's outbox; the next one is dropped and counted. */
  outboxEntriesMax: 1024,
  /** Mails that the courier holds, sending or waiting for another attempt; the next one is dropped and counted. */
  queueDepthMax: 1024,
  sendingMax: 4,
  attemptsMax: 20,
  backoffMs: 2000,
  backoffMsMax: 30_000,
  connectMs: 10_000,
  greetingMs: 10_000,
  socketMs: 30_000,
  /** How long a stop waits for mails that are being sent. */
  drainMs: 5000,
  /** When main asks an unreachable outbox again. */
  retryMs: 1000,
  /** How long before its end an access token for the mail server is no longer used. */
  tokenMarginMs: 30_000,
  /** Entries of one tenant that one ask hands out. */
  takeEntriesMax: 64,
  /** A product's templates, characters of one text, and names that one text shows: together the bound of a mail. */
  templatesMax: 1024,
  templateCharsMax: 64 * 1024,
  placeholdersMax: 64,
  /** RFC 5646 §4.4.1. */
  languageCharsMax: 35,
  /** Of an `Accept-Language` header: characters and ranges that are looked at. */
  acceptCharsMax: 512,
  acceptRangesMax: 16,
  /** A name is a stranger's words in somebody's mail. */
  nameCharsMax: 64,
  /** What the development mailbox keeps. */
  mailboxMailsMax: 200,
  mailboxCharsMax: 8 * 1024 * 1024,
} as const;
