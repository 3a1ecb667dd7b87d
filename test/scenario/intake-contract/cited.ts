/** Where the tests lie that prove rows. */
import type { Proof } from '#test/kit/contract-table.ts';

const at =
  (file: string) =>
  (title: string): Proof => ({ file: `test/${file}.test.ts`, title });

export const inScenario = at('scenario/intake');
export const atTheEdge = at('scenario/intake-edge');
export const byMail = at('scenario/intake-notify');
export const onTheLine = at('scenario/intake-cli');
export const inProgram = at('runtime/cli/program');
export const inConfig = at('config/load');
export const inService = at('actors/intake/service');
export const inWriter = at('actors/intake/writer');
export const inStore = at('actors/intake/store');
export const inForm = at('actors/intake/form');
export const inLog = at('storage/log/jsonl-log');
export const inOverload = at('actors/intake/overload');
export const inMultipart = at('actors/intake/multipart');
export const inOutbox = at('actors/intake/notice-outbox');
export const inRetention = at('actors/intake/retention');
export const inCourier = at('actors/courier/courier');
export const overSmtp = at('actors/courier/smtp');
export const ofTokens = at('actors/courier/client-credentials');
export const inBuckets = at('actors/rates/keeper');
export const atTheDoor = at('runtime/door/rates');
export const ofCallers = at('runtime/door/caller-address');
export const inLogFile = at('runtime/observe/rotating-file');
export const onDrain = at('scenario/drain');
export const onFullDisk = at('crash/intake-ledger');
