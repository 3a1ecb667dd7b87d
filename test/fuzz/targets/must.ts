/** The target itself found something wrong. */
class Wrong extends Error {
  override readonly name = 'Wrong';
}

/** `otherwise`: what is wrong, in words. */
export function must(holds: boolean, otherwise: string): void {
  if (!holds) throw new Wrong(otherwise);
}

/** Runs it, and gives undefined where it throws what it is declared to throw. */
export function unless<T>(isDeclared: (error: unknown) => boolean, run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (isDeclared(error)) return undefined;
    throw error;
  }
}
