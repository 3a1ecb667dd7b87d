/** Bounds of what the node shows of itself to its own operators (docs/contract/node.md). */
export const nodeViewLimits = {
  /** Degraded things of one answer, oldest first; further ones are counted. */
  degradedMax: 100,
  /** Settings of one page, and when the caller names no number. */
  settingsMax: 500,
  settings: 200,
  /** Longest cursor: the key of a setting. */
  keyCharsMax: 512,
  /** What is counted by minute is kept for so many; the present one is among them. */
  keptMinutes: 15,
  /** Tenants that are counted by themselves within these minutes; the others are counted together. */
  tenantsMax: 1000,
  /** Rows of one table of an answer, the busiest first. */
  rowsMax: 100,
  /** The slowest requests that are kept of each minute, how many of these one route may have, and what is not slow for anyone. */
  slowPerMinute: 32,
  slowPerRoute: 4,
  slowMsMin: 5,
  /** Lines of one level that a thread keeps, their length, and how many one answer has. */
  linesKept: 200,
  lineCharsMax: 2048,
  linesMax: 200,
  lines: 100,
  /** Tenants of one rate profile whose refusals are counted by themselves, and how many of them one answer has. */
  refusedTenantsKept: 64,
  refusedTenants: 10,
  /** Tenants of one page, when the caller names no number, and how many of the registry one page looks at to find them. */
  tenantRowsMax: 200,
  tenantRows: 50,
  tenantLooksMax: 1000,
  /** Longest part of a key that is searched for. */
  tenantCharsMax: 256,
  /** The figures of the last hour: a point so often, so many of them; and a point that has just begun is shown from this on. */
  figureEveryMs: 30_000,
  figurePoints: 120,
  figureMsMin: 1000,
  /** What the database of a log has said counts for so long, and an answer waits so long for it; nodes and shards of one answer. */
  clusterFreshMs: 5000,
  clusterWaitMs: 3000,
  clusterNodesMax: 32,
  clusterShardsMax: 1024,
  /** How long an answer waits for the vault; its nodes, join tokens and ending certificates that one answer looks at; and what ends soon. */
  vaultWaitMs: 3000,
  vaultNodes: 100,
  vaultTokens: 500,
  vaultCertificates: 50,
  vaultDays: 30,
  /** How long an answer waits for a host to say which revisions its tenants serve. */
  revisionsWaitMs: 1000,
  /** How long an answer waits for the lines of a thread. */
  linesWaitMs: 1000,
} as const;
