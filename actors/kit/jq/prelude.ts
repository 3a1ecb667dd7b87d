/** Builtins that are programs themselves, each as the jq manual describes it. */
import { parseDefinitions } from './parser.ts';
import { define, type Scope } from './scope.ts';

const SOURCE = String.raw`
def values: select(. != null);
def nulls: select(. == null);
def booleans: select(type == "boolean");
def numbers: select(type == "number");
def strings: select(type == "string");
def arrays: select(type == "array");
def objects: select(type == "object");
def iterables: select(type | . == "array" or . == "object");
def scalars: select(type | . != "array" and . != "object");
def map_values(f): .[] |= f;
def recurse: ..;
def recurse(f): def down: ., (f | down); down;
def recurse(f; condition): def down: ., (f | select(condition) | down); down;
def first: .[0];
def last: .[-1];
def nth($at): .[$at];
def last(f): [f] | if length == 0 then empty else .[-1] end;
def skip($n; f): if $n > 0 then foreach f as $x ($n; . - 1; if . < 0 then $x else empty end) elif $n == 0 then f else error("skip doesn't support negative count") end;
def nth($n; f): if $n < 0 then error("nth doesn't support negative indices") else first(skip($n; f)) end;
def debug(message): (message | empty), .;
def stderr: .;
def inputs: empty;
def tostream: path(def r: (.[]?|r), .; r) as $p | getpath($p) | reduce path(.[]?) as $q ([$p, .]; [$p+$q]);
def fromstream(f): {x: null, e: false} as $start | foreach f as $i ($start; if .e then $start else . end | if $i | length == 2 then setpath(["e"]; $i[0] | length == 0) | setpath(["x"] + $i[0]; $i[1]) else setpath(["e"]; $i[0] | length == 1) end; if .e then .x else empty end);
def truncate_stream(stream): . as $n | null | stream | . as $input | if (.[0] | length) > $n then setpath([0]; .[0][$n:]) else empty end;
def splits($pattern): splits($pattern; null);
def splits($pattern; $flags): split($pattern; $flags) | .[];
def until(condition; next): def step: if condition then . else (next | step) end; step;
def while(condition; next): def step: if condition then ., (next | step) else empty end; step;
def repeat(f): def step: f, step; step;
def with_entries(f): to_entries | map(f) | from_entries;
def paths: path(..) | select(length > 0);
def paths(condition): . as $root | paths | select(. as $path | $root | getpath($path) | condition);
def in(object): . as $key | object | has($key);
def inside(outer): . as $inner | outer | contains($inner);
def index($part): indices($part) | .[0];
def rindex($part): indices($part) | .[-1:][0];
def pick(f): . as $root | reduce path(f) as $path (null; setpath($path; $root | getpath($path)));
def walk(f): def inner: if type == "object" then map_values(inner) elif type == "array" then map(inner) else . end | f; inner;
def transpose: [range(0; map(length) | max // 0) as $column | [.[][$column]]];
def combinations: if length == 0 then [] else .[0][] as $head | (.[1:] | combinations) as $rest | [$head] + $rest end;
def combinations(n): . as $dot | [range(n)] | map($dot) | combinations;
def IN(items): any(items == .; .);
def IN(source; items): any(source == items; .);
def INDEX(items; key): reduce items as $row ({}; .[$row | key | tostring] |= $row);
def INDEX(key): INDEX(.[]; key);
`;

let scope: Scope | null = null;

/** The definitions, parsed when one of them is first needed. */
export function preludeScope(): Scope | null {
  if (scope === null) for (const def of parseDefinitions(SOURCE)) scope = define(scope, def);
  return scope;
}

/** By name and number of arguments. */
export function preludeSignatures(): string[] {
  return parseDefinitions(SOURCE).map(({ name, params }) => `${name}/${params.length}`);
}
