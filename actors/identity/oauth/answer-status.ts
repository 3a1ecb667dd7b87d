/** Answers of token endpoints with the status that RFC 6749 gives them. Pure. */

/** GitHub refuses a code with 200 and an error in the body: the status that RFC 6749 §5.2 gives it. */
export async function withItsStatus(answer: Response): Promise<Response> {
  const text = await answer.text();
  const { headers } = answer;
  const error = errorIn(text);
  if (error === null || answer.status !== 200) return new Response(text, { status: answer.status, headers });
  const code = error === 'bad_verification_code' ? 'invalid_grant' : error;
  return new Response(JSON.stringify({ error: code }), {
    status: 400,
    headers: { 'content-type': 'application/json' },
  });
}

function errorIn(text: string): string | null {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === 'string' ? error : null;
  } catch {
    return null;
  }
}
