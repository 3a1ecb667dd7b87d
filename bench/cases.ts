/** Every case, in the order in which `all` runs them: functions first, while no server holds memory. */
import { accountsApart } from './accounts-apart.bench.ts';
import { activation } from './activation.bench.ts';
import { actionJoin, actionRead, endpointRead } from './action.bench.ts';
import { assetDownload } from './asset-download.bench.ts';
import { assetTurn } from './asset-turn.bench.ts';
import { auditAppend, auditLong } from './audit.bench.ts';
import { auditHttp } from './audit-http.bench.ts';
import { auditWrites } from './audit-writes.bench.ts';
import { bffFive, bffHanging, bffSlowest } from './bff.bench.ts';
import { bffTurn } from './bff-turn.bench.ts';
import { changesFeed } from './changes.bench.ts';
import { celRule, fieldCheck, jsonParse } from './check.bench.ts';
import { create256, create64, createOne } from './create.bench.ts';
import { consoleGrid } from './console-grid.bench.ts';
import { bulk, bulkMillion } from './bulk.bench.ts';
import { ceiling, livez, unknownPath } from './door.bench.ts';
import { envelope } from './envelope.bench.ts';
import { exchange } from './exchange.bench.ts';
import { neighbourFlood } from './flood.bench.ts';
import { backup } from './backup.bench.ts';
import { formCheck } from './form.bench.ts';
import { dataTurn } from './data-turn.bench.ts';
import { hostileNeighbours } from './hostile-neighbours.bench.ts';
import { hosts } from './hosts.bench.ts';
import { importTurn } from './import-turn.bench.ts';
import { fieldRefused, rateRefused } from './refused.bench.ts';
import { growth } from './growth.bench.ts';
import { indexBuild, plan200 } from './plan.bench.ts';
import { retention } from './retention.bench.ts';
import type { BenchCase } from './harness.ts';
import { logCreates } from './log-creates.bench.ts';
import { journalSync } from './journal.bench.ts';
import { keyHttp, keyVerify } from './key.bench.ts';
import { jobs } from './jobs.bench.ts';
import { keyTiming } from './key-timing.bench.ts';
import { loginNeighbours } from './login-neighbours.bench.ts';
import { jqTiers, scriptCall } from './language.bench.ts';
import { runawayNeighbours } from './runaway-neighbours.bench.ts';
import { messageHop } from './message-hop.bench.ts';
import { ocspKept } from './ocsp.bench.ts';
import { pki } from './pki.bench.ts';
import { userPages } from './people.bench.ts';
import { ownAccount } from './own-account.bench.ts';
import { placement } from './placement.bench.ts';
import { planner } from './planner.bench.ts';
import { createRate, readRate } from './rate.bench.ts';
import { compress } from './compress.bench.ts';
import { rateGate } from './rate-gate.bench.ts';
import { expression, listFeatures, listTwenty, readById } from './read.bench.ts';
import { rowRules } from './row-rules.bench.ts';
import { search } from './search.bench.ts';
import { sqlJoin, sqlPoint } from './sql.bench.ts';
import { idleMemory, startUp } from './start.bench.ts';
import { submit256, submitOne, submitRate, submitShed } from './submit.bench.ts';
import { freshClone } from './fresh-clone.bench.ts';
import { carriedReads } from './carried-reads.bench.ts';
import { carriedTenants } from './carried-tenants.bench.ts';
import { farReads } from './far-reads.bench.ts';
import { takeovers } from './takeovers.bench.ts';
import { tenants } from './tenants.bench.ts';
import { triggerCreate, triggerCreateHttp } from './trigger-create.bench.ts';
import { tokenVerify } from './token.bench.ts';
import { logSealing } from './log-seal.bench.ts';
import { vaultRead } from './vault.bench.ts';

export const cases: readonly BenchCase[] = [
  messageHop,
  tokenVerify,
  keyVerify,
  keyTiming,
  userPages,
  accountsApart,
  exchange,
  rateGate,
  compress,
  jsonParse,
  fieldCheck,
  celRule,
  planner,
  dataTurn,
  rowRules,
  triggerCreate,
  search,
  importTurn,
  bffTurn,
  assetTurn,
  activation,
  formCheck,
  jqTiers,
  jobs,
  scriptCall,
  sqlPoint,
  sqlJoin,
  journalSync,
  auditAppend,
  auditLong,
  logSealing,
  vaultRead,
  pki,
  ocspKept,
  auditHttp,
  auditWrites,
  logCreates,
  takeovers,
  farReads,
  carriedReads,
  carriedTenants,
  placement,
  ceiling,
  livez,
  unknownPath,
  readById,
  listTwenty,
  listFeatures,
  expression,
  readRate,
  keyHttp,
  rateRefused,
  fieldRefused,
  actionRead,
  actionJoin,
  endpointRead,
  ownAccount,
  loginNeighbours,
  runawayNeighbours,
  hostileNeighbours,
  startUp,
  freshClone,
  idleMemory,
  tenants,
  hosts,
  changesFeed,
  createOne,
  create64,
  create256,
  triggerCreateHttp,
  createRate,
  envelope,
  bulk,
  assetDownload,
  bulkMillion,
  consoleGrid,
  growth,
  backup,
  retention,
  plan200,
  indexBuild,
  neighbourFlood,
  bffFive,
  bffSlowest,
  bffHanging,
  submitOne,
  submit256,
  submitRate,
  submitShed,
];
