/** What the node says of itself, in parts: docs/contract/node.md §2, §4, §5, §6, §8, §9, §10, §12. */
import type { Backups, Buckets, Cluster, Figures, Health, Load, Logs, Slow } from '../node/answers.ts';

export type Thread = Health['threads'][number];
export type Host = Health['hosts'][number];
export type Counts = Load['total'];
export type ProfileBuckets = Buckets['profiles'][number];
export type SlowRequest = Slow['requests'][number];
export type Line = Logs['lines'][number];
/** Of a node whose journal does not lie in files. */
export type ClusterLog = NonNullable<Cluster['log']>;
/** Of the last hour, oldest first. */
export type FigurePoint = Figures['points'][number];
export type BackupSets = NonNullable<Backups['backups']>;
