/**
 * Changes of the tree of DER, whose lengths fit again afterwards: they get behind the check of the frame. It has a reader and a writer of its own: those of
 * the project are under test, and what they run for a change would count.
 */
import type { Random } from '#test/kit/random.ts';
import { byteChanges } from './change-bytes.ts';
import type { Change, Source } from './change.ts';

interface Node {
  tag: number;
  content: Buffer;
  /** What a constructed element holds, an OCTET STRING or BIT STRING with DER in it too. */
  inner: Node[] | null;
  /** Bytes before what is inside: the unused bits of a BIT STRING. */
  readonly head: Buffer;
}

const NONE = Buffer.alloc(0);
const TAGS = [
  0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x0c, 0x13, 0x17, 0x18, 0x30, 0x31, 0x80, 0x82, 0x86, 0x87, 0xa0, 0xa3,
];
const BITS = 0x03;
const WRAPPING = new Set([BITS, 0x04]);
const DEPTH_MAX = 24;

function treeOf(bytes: Buffer, depth = 0): Node[] | null {
  if (bytes.length === 0 || depth > DEPTH_MAX) return null;
  const nodes: Node[] = [];
  for (let at = 0; at < bytes.length;) {
    const [from, to] = contentAt(bytes, at);
    if (to > bytes.length || from > to) return null;
    const tag = bytes[at]!;
    const content = bytes.subarray(from, to);
    const head = tag === BITS ? content.subarray(0, 1) : NONE;
    const isOpen = (tag & 0x20) !== 0 || WRAPPING.has(tag);
    const inner = isOpen ? treeOf(content.subarray(head.length), depth + 1) : null;
    nodes.push({ tag, content, inner, head });
    at = to;
  }
  return nodes;
}

/** Where the content of an element lies; past the end where its length is none. */
function contentAt(bytes: Buffer, at: number): [from: number, to: number] {
  const first = bytes[at + 1] ?? 0xff;
  if (first < 0x80) return [at + 2, at + 2 + first];
  const from = at + 2 + (first & 0x7f);
  if (first === 0x80 || first > 0x84 || from > bytes.length) return [from, Infinity];
  return [from, from + bytes.readUIntBE(at + 2, first & 0x7f)];
}

function element(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const digits = Buffer.alloc(4);
  digits.writeUInt32BE(length);
  const short = digits.subarray(digits.findIndex((digit) => digit !== 0));
  return Buffer.concat([Buffer.of(tag, 0x80 | short.length), short, content]);
}

const written = (nodes: readonly Node[]): Buffer =>
  Buffer.concat(
    nodes.map(({ tag, content, inner, head }) =>
      element(tag, inner === null ? content : Buffer.concat([head, written(inner)])),
    ),
  );

/** Every list of nodes in a tree, with the place of each node in its list. */
function placesIn(nodes: Node[], found: { list: Node[]; at: number }[] = []): { list: Node[]; at: number }[] {
  for (const [at, node] of nodes.entries()) {
    found.push({ list: nodes, at });
    if (node.inner !== null) placesIn(node.inner, found);
  }
  return found;
}

type ChangeNode = (place: { list: Node[]; at: number }, source: Source, others: readonly Node[]) => void;

const ofNodes =
  (change: ChangeNode): Change =>
  (input, source) => {
    const tree = treeOf(input);
    if (tree === null) return null;
    const others = placesIn(treeOf(source.other) ?? []).map(({ list, at }) => list[at]!);
    change(source.random.pick(placesIn(tree)), source, others);
    return written(tree);
  };

const drop = ofNodes(({ list, at }) => void list.splice(at, 1));
const double = ofNodes(({ list, at }, { random }) => {
  list.splice(at, 0, ...Array.from({ length: 1 + random.below(random.chance(0.2) ? 300 : 3) }, () => list[at]!));
});
const retag = ofNodes(({ list, at }, { random }) => void (list[at] = { ...list[at]!, tag: random.pick(TAGS) }));
const graft = ofNodes(({ list, at }, { random }, others) => {
  if (others.length > 0) list[at] = random.pick(others);
});
const leaf = ofNodes(({ list, at }, source) => {
  const { tag, content } = list[at]!;
  list[at] = { tag, content: source.random.pick(byteChanges)(content, source) ?? NONE, inner: null, head: NONE };
});
const wrap = ofNodes(({ list, at }, { random }) => void (list[at] = wrapped(list[at]!, random)));

const wrapped = (node: Node, random: Random): Node => ({
  tag: random.pick([0x30, 0x31, 0x04, 0xa0]),
  content: NONE,
  inner: [node],
  head: NONE,
});

export const derChanges: readonly Change[] = [drop, double, retag, graft, leaf, leaf, leaf, wrap];
