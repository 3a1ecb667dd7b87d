/**
 * Finds the route of a raw path: a tree of segments, literals before parameters, no regex, no allocation for a miss.
 * Nothing is decoded or normalised: `%2e%2e`, `..` and a trailing slash are what the caller wrote.
 */
import { parsePattern } from './route-pattern.ts';

export interface RouterRow {
  readonly methods: readonly string[];
  /** `/data/rest/{entity}/id/{id}`; `{name*}`, last, takes the rest of the path. */
  readonly path: string;
  /** The number that a match gives; the row's index when absent. */
  readonly no?: number;
  /** A parameter may be empty: the service then answers, instead of a bare 404. */
  readonly emptyParams?: boolean;
}

export interface PathMatch {
  /** Verb → row number, of the verbs declared at this path. The caller derives HEAD and OPTIONS. */
  readonly methods: Readonly<Partial<Record<string, number>>>;
  /** Raw values of the parameters in order, joined by `\n`. */
  readonly params: string;
}

export interface Router {
  /**
   * The row that fits best, or null when no pattern fits the path. With a `method` (HEAD counts as GET) a pattern that has it is preferred
   * to a more literal one without it; when none has it, `methods` is the union over every pattern that fits, for Allow.
   */
  find(path: string, method?: string): PathMatch | null;
}

type Rows = Partial<Record<string, number>>;

class Node {
  /** Literal children by the length of their text. */
  readonly literals: Literal[][] = [];
  param: Node | null = null;
  /** Whether the parameter may be empty. */
  takesEmpty = false;
  /** Rows of a pattern that ends here. */
  rows: Rows | null = null;
  /** Rows of a pattern whose `{rest*}` begins here. */
  rest: Rows | null = null;
}

interface Literal {
  readonly text: string;
  readonly node: Node;
}

/** Compiles rows. Throws on a malformed pattern, and when two rows have the same verb and shape. */
export function compileRouter(rows: readonly RouterRow[]): Router {
  const root = new Node();
  let depth = 0;
  rows.forEach((row, index) => {
    const pattern = parsePattern(row.path);
    depth = Math.max(depth, pattern.segments.length);
    let node = root;
    for (const text of pattern.segments) {
      if (text === null && row.emptyParams === true) node.takesEmpty = true;
      node = childOf(node, text);
    }
    const target = pattern.rest ? (node.rest ??= rowsOf()) : (node.rows ??= rowsOf());
    for (const method of row.methods) addRow(target, method, row.no ?? index, row.path);
  });
  return new TreeRouter(root, depth + 1);
}

function rowsOf(): Rows {
  return Object.create(null) as Rows;
}

function addRow(target: Rows, method: string, no: number, path: string): void {
  if (target[method] !== undefined) throw new Error(`router: ${method} ${path} is declared twice`);
  target[method] = no;
}

/** The child for a literal segment, or for a parameter when `text` is null. */
function childOf(node: Node, text: string | null): Node {
  if (text === null) return (node.param ??= new Node());
  const bucket = (node.literals[text.length] ??= []);
  const known = bucket.find((literal) => literal.text === text);
  if (known !== undefined) return known.node;
  const child = new Node();
  bucket.push({ text, node: child });
  return child;
}

class TreeRouter implements Router {
  readonly #root: Node;
  /** Where the parameters of the branch being tried begin and end. */
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  #count = 0;
  #path = '';
  #method = '';
  /** Filled when every fitting pattern is wanted. */
  #union: Rows | null = null;

  constructor(root: Node, depth: number) {
    this.#root = root;
    this.#starts = new Int32Array(depth);
    this.#ends = new Int32Array(depth);
  }

  find(path: string, method = ''): PathMatch | null {
    this.#path = path;
    this.#method = method === 'HEAD' ? 'GET' : method;
    const rows = this.#walk(this.#root, 0, 0);
    if (rows !== null) return { methods: rows, params: this.#params() };
    return method === '' ? null : this.#findAny();
  }

  /** The path is unknown, or known without this verb: the union of what it has. */
  #findAny(): PathMatch | null {
    this.#method = '';
    if (this.#walk(this.#root, 0, 0) === null) return null;
    const union = rowsOf();
    this.#union = union;
    this.#walk(this.#root, 0, 0);
    this.#union = null;
    return { methods: union, params: '' };
  }

  /** Tries a node at `at` (the path's end or a slash): its literal child, its parameter, its rest, in this order. */
  #walk(node: Node, at: number, depth: number): Rows | null {
    const path = this.#path;
    if (at === path.length) return at > 0 ? this.#accept(node.rows, depth) : null;
    if (path.charCodeAt(at) !== 47) return null;
    const start = at + 1;
    const slash = path.indexOf('/', start);
    const end = slash < 0 ? path.length : slash;
    const child = this.#literal(node, start, end);
    if (child !== null) {
      const found = this.#walk(child, end, depth);
      if (found !== null) return found;
    }
    if (node.param !== null && (end > start || node.takesEmpty)) {
      this.#mark(depth, start, end);
      const found = this.#walk(node.param, end, depth + 1);
      if (found !== null) return found;
    }
    if (node.rest === null || start >= path.length) return null;
    this.#mark(depth, start, path.length);
    return this.#accept(node.rest, depth + 1);
  }

  #literal(node: Node, start: number, end: number): Node | null {
    const bucket = node.literals[end - start];
    if (bucket === undefined) return null;
    for (let i = 0; i < bucket.length; i++) {
      const literal = bucket[i]!;
      if (this.#path.startsWith(literal.text, start)) return literal.node;
    }
    return null;
  }

  #mark(depth: number, start: number, end: number): void {
    this.#starts[depth] = start;
    this.#ends[depth] = end;
  }

  #accept(rows: Rows | null, depth: number): Rows | null {
    if (rows === null) return null;
    if (this.#union !== null) {
      for (const method of Object.keys(rows)) this.#union[method] ??= rows[method]!;
      return null;
    }
    if (this.#method !== '' && rows[this.#method] === undefined) return null;
    this.#count = depth;
    return rows;
  }

  #params(): string {
    if (this.#count === 0) return '';
    let params = this.#path.slice(this.#starts[0], this.#ends[0]);
    for (let i = 1; i < this.#count; i++) params += '\n' + this.#path.slice(this.#starts[i], this.#ends[i]);
    return params;
  }
}
