/**
 * Where the states of a stateflow stand when it is drawn, and how the lines between them run: one state below the other, those that few events lead to from the first one above; the move from one
 * to the next is a straight line, others that lead down run around the right side, those that lead back around the left. Pure.
 */
import type { Machine } from './shapes.ts';

export interface PlacedState {
  readonly name: string;
  readonly isFinal: boolean;
  /** Of its left upper corner. */
  readonly x: number;
  readonly y: number;
}

export interface PlacedMove {
  readonly event: string;
  readonly from: string;
  readonly to: string;
  /** The `d` of a path of SVG. */
  readonly path: string;
}

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly states: readonly PlacedState[];
  readonly moves: readonly PlacedMove[];
}

export const STATE_WIDTH = 132;
export const STATE_HEIGHT = 30;
const GAP = 28;
const EDGE = 4;
/** The first line around a side keeps this from the states, each further one as much more. */
const LANE = 18;

interface Move {
  readonly event: string;
  readonly from: string;
  readonly to: string;
}

const isTarget = (machine: Machine, name: string): boolean => Object.hasOwn(machine.states, name);

/** All moves between states that the machine has, in the order of their declaration. */
function movesOf(machine: Machine): Move[] {
  return Object.entries(machine.states).flatMap(([from, { events = {} }]) =>
    Object.entries(events)
      .filter(([, { target }]) => isTarget(machine, target))
      .map(([event, { target: to }]) => ({ event, from, to })),
  );
}

/** The first state, those that one event leads to, those that two lead to, and so on; those that none leads to come last. */
function orderOf(machine: Machine, moves: readonly Move[]): string[] {
  const names = Object.keys(machine.states);
  const first = isTarget(machine, machine.initial_state) ? machine.initial_state : names[0];
  const order = first === undefined ? [] : [first];
  for (let at = 0; at < order.length; at++)
    for (const { from, to } of moves) if (from === order[at] && !order.includes(to)) order.push(to);
  return [...order, ...names.filter((name) => !order.includes(name))];
}

/** Which lane each move has: lines of one lane never run beside each other, and the short ones are nearest to the states. */
function lanesOf(moves: readonly Move[], placeOf: (name: string) => number): Map<Move, number> {
  const spanOf = ({ from, to }: Move): readonly [number, number] => {
    const [one, other] = [placeOf(from), placeOf(to)];
    return one < other ? [one, other] : [other, one];
  };
  const length = (move: Move): number => spanOf(move)[1] - spanOf(move)[0];
  const lanes: (readonly [number, number])[][] = [];
  const found = new Map<Move, number>();
  for (const move of moves.toSorted((one, other) => length(one) - length(other))) {
    const [begin, end] = spanOf(move);
    const isFree = (lane: readonly (readonly [number, number])[]): boolean =>
      lane.every(([first, last]) => last < begin || first > end);
    const free = lanes.findIndex(isFree);
    const at = free < 0 ? lanes.push([]) - 1 : free;
    lanes[at]?.push([begin, end]);
    found.set(move, at);
  }
  return found;
}

const widthOf = (lanes: ReadonlyMap<Move, number>): number => (Math.max(-1, ...lanes.values()) + 1) * LANE;

export function drawingOf(machine: Machine): Drawing {
  const moves = movesOf(machine);
  const order = orderOf(machine, moves);
  const placeOf = (name: string): number => order.indexOf(name);
  const lead = ({ from, to }: Move): number => placeOf(to) - placeOf(from);
  const left = lanesOf(
    moves.filter((move) => lead(move) <= 0),
    placeOf,
  );
  const right = lanesOf(
    moves.filter((move) => lead(move) > 1),
    placeOf,
  );
  const x = EDGE + widthOf(left);
  const yOf = (name: string): number => EDGE + placeOf(name) * (STATE_HEIGHT + GAP);
  const pathOf = (move: Move): string => {
    const [y1, y2] = [yOf(move.from), yOf(move.to)];
    const before = left.get(move);
    if (before !== undefined) return aside(x, y1, y2, x - (before + 1) * LANE);
    const behind = right.get(move);
    if (behind !== undefined) return aside(x + STATE_WIDTH, y1, y2, x + STATE_WIDTH + (behind + 1) * LANE);
    const middle = x + STATE_WIDTH / 2;
    return `M${middle} ${y1 + STATE_HEIGHT} L${middle} ${y2}`;
  };
  return {
    width: x + STATE_WIDTH + widthOf(right) + EDGE,
    height: Math.max(1, order.length) * (STATE_HEIGHT + GAP) - GAP + 2 * EDGE,
    states: order.map((name) => ({ name, isFinal: machine.states[name]?.type === 'final', x, y: yOf(name) })),
    moves: moves.map((move) => ({ ...move, path: pathOf(move) })),
  };
}

/** Out of the side of one state, along a lane, and into the same side of another: out of the half that looks there, into the half that looks back. */
function aside(side: number, y1: number, y2: number, lane: number): string {
  const [out, into] = y1 < y2 ? [22, 8] : [8, 22];
  const [begin, end] = [y1 + out, y2 + into];
  const turn = begin < end ? 8 : -8;
  const bend = side + (lane > side ? 6 : -6);
  return `M${side} ${begin} L${bend} ${begin} Q${lane} ${begin} ${lane} ${begin + turn} L${lane} ${end - turn} Q${lane} ${end} ${bend} ${end} L${side} ${end}`;
}
