/** Every case, in the order in which `all` runs them: functions first, while no server holds memory. */
import { celRule, fieldCheck, jsonParse } from './check.bench.ts';
import { create256, create64, createOne } from './create.bench.ts';
import { ceiling, livez, unknownPath } from './door.bench.ts';
import type { BenchCase } from './harness.ts';
import { journalSync } from './journal.bench.ts';
import { keyHttp, keyVerify } from './key.bench.ts';
import { jqTiers, scriptCall } from './language.bench.ts';
import { messageHop } from './message-hop.bench.ts';
import { rateGate } from './rate-gate.bench.ts';
import { listTwenty, readById } from './read.bench.ts';
import { idleMemory, startUp } from './start.bench.ts';
import { tokenVerify } from './token.bench.ts';

export const cases: readonly BenchCase[] = [
  messageHop,
  tokenVerify,
  keyVerify,
  rateGate,
  jsonParse,
  fieldCheck,
  celRule,
  jqTiers,
  scriptCall,
  journalSync,
  ceiling,
  livez,
  unknownPath,
  readById,
  listTwenty,
  keyHttp,
  startUp,
  idleMemory,
  createOne,
  create64,
  create256,
];
