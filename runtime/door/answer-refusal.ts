/** Answers a visit with a refusal. */
import { renderOutcome } from '#actors/host/render.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Visit } from './port.ts';

export const JSON_LINES = 'Content-Type: application/json; charset=utf-8\n';

/** A reply record's headers as lines: `''` stands for JSON, a lone newline for none. */
export function linesOf(headers: string): string {
  return headers === '' ? JSON_LINES : headers === '\n' ? '' : headers;
}

export function answerRefusal(visit: Visit, requestId: string, refusal: Refusal): void {
  renderOutcome(0, refusal, {
    send: (_no, status, headers, body) => {
      visit.answer(status, linesOf(headers), body, requestId);
    },
  });
}
