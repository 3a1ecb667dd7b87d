/** A port for calls that the test does not expect: each is refused. */
export const unasked = (): Promise<never> => Promise.reject(new Error('the test expects no such call'));
