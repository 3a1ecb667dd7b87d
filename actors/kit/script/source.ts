/** The script's side of its sandbox: what runs in the virtual machine before and around it. */

/**
 * Makes the host functions, and gives the function that makes `request` and runs a script. It is run once for all calls of a
 * machine, before its memory is kept: hence a `Math.random` (sfc32) that each call seeds anew. Its own names are captured first: a
 * script that replaces `JSON.stringify` replaces it for itself only.
 */
export const PRELUDE = `(function (host, names) {
  'use strict';
  const { parse, stringify } = JSON;
  let a = 0, b = 0, c = 0, d = 0;
  Math.random = function random() {
    const t = (a + b | 0) + d | 0;
    d = d + 1 | 0;
    a = b ^ b >>> 9;
    b = c + (c << 3) | 0;
    c = (c << 21 | c >>> 11) + t | 0;
    return (t >>> 0) / 4294967296;
  };
  const MakeError = Error;
  const { apply } = Reflect;
  const { get, set } = WeakMap.prototype;
  const refusals = new WeakMap();
  const say = (error) => {
    try {
      if (error instanceof MakeError) return { name: '' + error.name, message: '' + error.message, stack: ('' + error.stack).split('\\n')[0] };
      return { name: 'Error', message: '' + error, stack: '' };
    } catch { return { name: 'Error', message: 'an error that cannot be shown', stack: '' }; }
  };
  const call = (name, args) => {
    const answer = parse(host(stringify({ name, args })));
    if (answer.error === undefined) return answer.value;
    const error = new MakeError(answer.error.message);
    for (const key of ['code', 'status', 'details']) if (answer.error[key] !== undefined) error[key] = answer.error[key];
    if (answer.refusal !== undefined) apply(set, refusals, [error, answer.refusal]);
    throw error;
  };
  for (const name of parse(names)) {
    const [room, verb] = name.split('.');
    const run = (...args) => call(name, args);
    if (verb === undefined) globalThis[room] = run;
    else (globalThis[room] ??= {})[verb] = run;
  }
  const freeze = (value) => {
    if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) Object.values(Object.freeze(value)).forEach(freeze);
    return value;
  };
  return (script, requestText, ...seeds) => {
    [a, b, c, d] = seeds;
    globalThis.request = freeze(parse(requestText));
    let state = { kind: 'failed', message: 'the promise of the script never settled' };
    const fail = (error) => { const { name, message, stack } = say(error); state = { kind: 'failed', message: name + ': ' + message + (stack ? ' (' + stack.trim() + ')' : ''), refusal: apply(get, refusals, [error]) }; };
    const done = (value) => {
      try {
        const text = stringify(value === undefined ? null : value);
        state = text === undefined ? { kind: 'failed', message: 'the answer is no JSON' } : { kind: 'value', text };
      } catch (error) { fail(error); }
    };
    try {
      const value = script();
      const then = value !== null && typeof value === 'object' ? value.then : undefined;
      if (typeof then === 'function') then.call(value, done, fail);
      else done(value);
    } catch (error) { fail(error); }
    return { text: () => stringify(state) };
  };
})`;

/** A script is a function's body: it answers by \`return\`, and may be async. */
export function wrapped(source: string): string {
  return `(function () { 'use strict'; return (async function () {${source}\n})(); })`;
}
