/** Both tiers over one program and input, in one shape, for tests that hold them equal. */
import { OutOfSteps, Unsure } from '#actors/kit/jq/faults.ts';
import type { Json } from '#actors/kit/jq/value.ts';
import { bodyOf, Program } from '#actors/kit/jq/program.ts';
import { JqReference } from '#actors/kit/jq/reference.ts';
import { plainText } from '#actors/kit/jq/text.ts';

export type Said =
  | { readonly kind: 'body'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'bad' };

const STEPS = 1_000_000;

/** What the fast tier says; null when it leaves the answer to the other. */
export function fast(program: string, input: Json): Said | null {
  try {
    const outcome = Program.compile(program).run(input, STEPS);
    if (outcome.kind === 'results') return { kind: 'body', value: JSON.parse(bodyOf(outcome.results)) };
    return { kind: 'failed', message: plainText(outcome.value).trim() };
  } catch (error) {
    if (error instanceof Unsure || error instanceof OutOfSteps) return null;
    throw error;
  }
}

const jq = new JqReference();

export async function reference(program: string, input: Json): Promise<Said> {
  const judged = await jq.run(program, JSON.stringify(input));
  if (judged.kind === 'body') return { kind: 'body', value: JSON.parse(judged.text) };
  return judged.kind === 'bad' ? { kind: 'bad' } : judged;
}
