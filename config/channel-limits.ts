/** Numbers of channels (docs/contract/channels.md §6). */
export const channelLimits = {
  /** Channels that a product declares. */
  channelsMax: 100,
  /** Characters of a key. */
  keyCharsMax: 128,
  /** Members that are connected: of a tenant, of one caller at a tenant, and of one channel under one key. Those of a node count among subscribers of changes. */
  perTenantMax: 1000,
  perCallerMax: 20,
  membersMax: 200,
  /** Bytes of a payload as JSON: the most that a product may say, and what counts unless it does. Bytes of a member's state. */
  messageBytesMax: 16 * 1024,
  messageBytes: 4096,
  stateBytesMax: 1024,
  /** Joins, messages and changes of state together: of one caller, and of one channel under one key. A channel that is full may come back at once. */
  callerRate: { burst: 20, perSecond: 10 },
  channelRate: { burst: 250, perSecond: 50 },
  /** What waits for a member that reads slowly: past them its oldest events are dropped, and it is told how many. */
  queueEvents: 256,
  queueBytes: 512 * 1024,
  /** What waits for all members of a tenant, and of a thread. */
  tenantQueueBytes: 16 * 1024 * 1024,
  threadQueueBytes: 64 * 1024 * 1024,
} as const;
