/** Asks the operations listener of a running node, as a scrape or a balancer does. */

/** What `/readyz` says for `Accept: application/json`. */
export interface Readiness {
  readonly ready: boolean;
  readonly degraded?: readonly DegradedThing[];
}

/** A thing that works less than it should. */
export interface DegradedThing {
  readonly scope: string;
  readonly name: string;
  readonly reason: string;
}

const ANSWER_MS_MAX = 5000;

/** The URL at which this machine reaches a listener that is bound there: one that is bound everywhere is on loopback too. */
export function nearUrl(bind: string): string {
  return `http://${bind.replace(/^(?:0\.0\.0\.0|\[::\]):/, '127.0.0.1:')}`;
}

/** The text of `/metrics`. Rejects where it is not answered with 200 within five seconds. */
export async function metricsAt(url: string): Promise<string> {
  const answer = await ask(`${url}/metrics`);
  if (!answer.ok) throw new Error(`it answered ${answer.status}`);
  return answer.text();
}

/** What `/readyz` says, also with 503. Rejects where no such answer comes within five seconds. */
export async function readinessAt(url: string): Promise<Readiness> {
  return (await ask(`${url}/readyz`)).json() as Promise<Readiness>;
}

async function ask(url: string): Promise<Response> {
  try {
    return await fetch(url, { headers: { Accept: 'application/json' }, signal: AbortSignal.timeout(ANSWER_MS_MAX) });
  } catch (error) {
    const { cause, message } = error as Error;
    throw new Error(cause instanceof Error ? cause.message : message, { cause: error });
  }
}
