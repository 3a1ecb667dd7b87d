/** Both tiers over one program and input, in one shape, for tests that hold them equal. */
import { OutOfFuel } from '#actors/kit/pace/fuel.ts';
import { Unsure } from '#actors/kit/jq/faults.ts';
import type { Json } from '#actors/kit/jq/value.ts';
import { Program } from '#actors/kit/jq/program.ts';
import { JqReference } from '#actors/kit/jq/reference.ts';

export type Said =
  | { readonly kind: 'body'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'bad' };

const FUEL = 1_000_000;

/** What the fast tier says; null when it leaves the answer to the other. */
export function fast(program: string, input: Json): Said | null {
  try {
    const answer = Program.compile(program).answer(input, FUEL);
    if (answer.kind === 'body') return { kind: 'body', value: JSON.parse(answer.text) };
    return { kind: 'failed', message: answer.message.trim() };
  } catch (error) {
    if (error instanceof Unsure || error instanceof OutOfFuel) return null;
    throw error;
  }
}

const jq = new JqReference();

export async function reference(program: string, input: Json): Promise<Said> {
  const judged = await jq.run(program, JSON.stringify(input));
  if (judged.kind === 'body') return { kind: 'body', value: JSON.parse(judged.text) };
  return judged.kind === 'bad' ? { kind: 'bad' } : { kind: 'failed', message: judged.message.trim() };
}

/** Whether the fast tier takes the program. */
export function compiles(program: string): boolean {
  try {
    Program.compile(program);
    return true;
  } catch (error) {
    if (error instanceof Unsure) return false;
    throw error;
  }
}

/** Whether jq itself compiles it. */
export async function isProgram(program: string): Promise<boolean> {
  return (await jq.check(program)).kind !== 'bad';
}
