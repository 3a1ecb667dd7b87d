/** The `backups` part of the platform file: backups of the whole node. Source: docs/contract/platform.md §5. */
import * as z from 'zod';
import { defaults } from './defaults.ts';
import { limits } from './limits.ts';
import * as kit from './schema-kit.ts';
import { formatDuration } from './values/duration.ts';

const {
  journalCopyMsMin,
  journalCopyMsMax,
  everyMsMin,
  everyMsMax,
  keptBytes,
  keptBytesMin,
  keptMax,
  verifyMsMin,
  verifyMsMax,
} = limits.backup;

/** A bucket that is there, for backups and for copies of shards. */
export const bucket = kit.entry({
  url: kit.pattern(/^[A-Za-z0-9.[\]:-]+:\d{1,5}$/, 'an address as host:port', 's3.example.org:443'),
  bucket: kit.pattern(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket that is there', 'backups'),
  prefix: kit.pattern(/^(?:[A-Za-z0-9._-]+\/)*$/, 'empty, or a path that ends with a slash', 'node-1/').default(''),
  region: kit.text('a region', 'us-east-1').default('us-east-1'),
  usessl: kit.yesNo().default(true),
  accesskey: kit.secret('the access key'),
  secretkey: kit.secret('the secret key'),
});

const kept = (count: number) => kit.whole(0, keptMax, count).default(count);

export const backupsSection = kit.section({
  /** A directory that is there, best on another disk; one for each node. Without `to` or `s3` no backups are made. */
  to: kit.path('a directory outside of the data directory, one for each node', '/mnt/backups/node-1').optional(),
  /** A bucket in its place. */
  s3: bucket.optional(),
  every: kit.durationBetween(formatDuration(everyMsMin), formatDuration(everyMsMax)).default(defaults.backups.every),
  /** Of each of the newest hours, days, weeks and months (UTC) that have sets, the newest set stays; and the newest sets of all. */
  keep: kit.section({
    last: kit.whole(1, keptMax, defaults.backups.keep.last).default(defaults.backups.keep.last),
    hourly: kept(defaults.backups.keep.hourly),
    daily: kept(defaults.backups.keep.daily),
    weekly: kept(defaults.backups.keep.weekly),
    monthly: kept(defaults.backups.keep.monthly),
  }),
  encrypt: kit.section({
    /** Who can read the sets. The node needs no identity to make them. */
    recipients: kit
      .list(
        kit.pattern(
          /^age1[0-9a-z]{20,4000}$/,
          'a recipient of age (age-keygen prints it)',
          'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p',
        ),
        'recipients of age',
      )
      .default([]),
    /** With it the node can restore its sets for proof; anyone with the rights of its user can then read them, too. */
    identity: kit.path('a file with the identity of a recipient', './backup.key').optional(),
  }),
  /** Where that is done; in the data directory when left out. */
  scratch: kit.path('a directory on a disk with room for a whole set', '/mnt/scratch').optional(),
  /** How often the newest set is restored for proof. */
  verify: z
    .union([z.literal('off'), kit.durationBetween(formatDuration(verifyMsMin), formatDuration(verifyMsMax))])
    .meta({ description: 'a duration in Go notation, or off', example: '24h' })
    .default(defaults.backups.verify),
  /** A copy of the journals in the same place: with a set it gives a tenant as it was at any later moment. */
  journal: kit.section({
    every: z
      .union([
        z.literal('off'),
        kit.durationBetween(formatDuration(journalCopyMsMin), formatDuration(journalCopyMsMax)),
      ])
      .meta({ description: 'how often what is new is copied: a duration in Go notation, or off', example: '5s' })
      .default('off'),
    /** How far back moments can be reached, counted from the newest set that began before. */
    keep: kit.durationBetween('1h', '8784h').default(defaults.backups.journal.keep),
    /** Segments that wait for their copy may take so much of the disk; beyond it the oldest are given up, and the copy has a gap. */
    kept_bytes_max: kit.whole(keptBytesMin, Number.MAX_SAFE_INTEGER, keptBytes).default(keptBytes),
  }),
});
