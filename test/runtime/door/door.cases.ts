/** What every door must do. Where the two servers cannot agree, the case names both answers and why. */
import type { DoorKind } from '#runtime/door/open-door.ts';
import { answerCases } from './answer.cases.ts';
import { bodyCases } from './body.cases.ts';
import { closingCases } from './closing.cases.ts';
import { renewCases } from './renew.cases.ts';
import { requestCases } from './request.cases.ts';
import { slowCallerCases } from './slow-callers.cases.ts';
import { smugglingCases } from './smuggling.cases.ts';

export function doorCases(kind: DoorKind): void {
  requestCases(kind);
  bodyCases(kind);
  answerCases(kind);
  renewCases(kind);
  slowCallerCases(kind);
  smugglingCases(kind);
  closingCases(kind);
}
