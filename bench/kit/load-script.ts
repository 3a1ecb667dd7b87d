/** The Lua script that says what wrk sends and makes it print its figures as one line of JSON. */

/** A piece of a body that differs in every request: a text never used before, or a random integer below `below`. */
export type BodyPart = string | { readonly kind: 'unique' } | { readonly kind: 'random'; readonly below: number };

export interface LoadRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Fixed pieces and changing ones; null for a request without a body. */
  readonly body: readonly BodyPart[] | null;
  /** Sets of headers that take turns, request by request, beside `headers`: many callers in one load. */
  readonly turns?: readonly Readonly<Record<string, string>>[];
}

/** Begins the line that wrk-output.ts reads. */
export const OUTPUT_MARK = 'SKEP-BENCH ';

/** Text as a Lua string literal: every byte but plain printable ones as a decimal escape (Lua 5.1 §2.1). */
export function luaString(text: string): string {
  let out = '"';
  for (const byte of Buffer.from(text, 'utf8')) {
    const plain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
    out += plain ? String.fromCharCode(byte) : `\\${String(byte).padStart(3, '0')}`;
  }
  return `${out}"`;
}

const lua = (part: BodyPart): string => {
  if (typeof part === 'string') return luaString(part);
  return part.kind === 'unique' ? 'unique()' : `random(0, ${part.below - 1})`;
};

/** Whether every request is the same: wrk then sends one prepared buffer and no Lua runs per request. */
function isFixed(body: LoadRequest['body']): boolean {
  return body === null || body.every((part) => typeof part === 'string');
}

/** `run`, letters and digits, makes the unique texts of one run differ from those of every other. */
export function loadScript({ method, headers, body, turns }: LoadRequest, run: string): string {
  const lines = [`wrk.method = ${luaString(method)}`];
  for (const [name, value] of Object.entries(headers))
    lines.push(`wrk.headers[${luaString(name)}] = ${luaString(value)}`);
  if (turns !== undefined) lines.push(turnsTable(turns.map((some) => ({ ...headers, ...some }))));
  if (body !== null && !isFixed(body)) lines.push(changingBody(body, run, turns !== undefined));
  else {
    if (body !== null) lines.push(`wrk.body = ${body.map(lua).join(' .. ') || '""'}`);
    if (turns !== undefined) lines.push(PREPARED);
  }
  return `${lines.join('\n')}\n${DONE}`;
}

function turnsTable(all: readonly Readonly<Record<string, string>>[]): string {
  const tables = all.map((some) => {
    const fields = Object.entries(some).map(([name, value]) => `[${luaString(name)}] = ${luaString(value)}`);
    return `  { ${fields.join(', ')} },`;
  });
  return `local turns = {\n${tables.join('\n')}\n}\nlocal at = 0\nlocal function turn()\n  at = at % #turns + 1\n  return at\nend`;
}

/** One prepared buffer for each set of headers. */
const PREPARED = `
local prepared = {}
function init(args)
  for i, headers in ipairs(turns) do prepared[i] = wrk.format(nil, nil, headers) end
end

function request()
  return prepared[turn()]
end
`;

/** Lua has 250 registers for one expression: long bodies are joined from a table. */
const OPERANDS_MAX = 100;

function joined(body: readonly BodyPart[]): string {
  const parts = body.map(lua);
  return parts.length > OPERANDS_MAX ? `table.concat({ ${parts.join(', ')} })` : parts.join(' .. ');
}

/** Each thread has a number and counts its own requests; the random head spreads the texts over an index. */
function changingBody(body: readonly BodyPart[], run: string, takesTurns: boolean): string {
  return `
local threads = 0
function setup(thread)
  threads = threads + 1
  thread:set("number", threads)
end

local random = math.random
local sent = 0
local function unique()
  sent = sent + 1
  return string.format("%08x ${run} %d-%d", random(0, 0x7fffffff), number, sent)
end

function init(args)
  math.randomseed(os.time() * 7 + number * 7919)
end

function request()
  return wrk.format(nil, nil, ${takesTurns ? 'turns[turn()]' : 'nil'}, ${joined(body)})
end
`;
}

const DONE = `
function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    '${OUTPUT_MARK}{"requests":%d,"micros":%d,"bytes":%d,' ..
    '"errors":{"connect":%d,"read":%d,"write":%d,"timeout":%d,"status":%d},' ..
    '"latency":{"p50":%d,"p90":%d,"p99":%d,"p999":%d,"max":%d}}\\n',
    summary.requests, summary.duration, summary.bytes,
    e.connect, e.read, e.write, e.timeout, e.status,
    latency:percentile(50), latency:percentile(90), latency:percentile(99), latency:percentile(99.9), latency.max))
end
`;
