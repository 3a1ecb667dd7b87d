/** A door with a handler that says what it saw, and the connections to it. */
import { onTestFinished } from 'vitest';
import { doors, type DoorKind } from '#runtime/door/open-door.ts';
import type { Door, DoorOptions, Visit, VisitHandler } from '#runtime/door/port.ts';
import { Wire } from './wire.ts';

export const BODY_MAX = 64 * 1024;
export const HOST = 'Host: door.test\r\n';

export class Stage {
  readonly door: Door;
  readonly faults: unknown[];
  readonly #wires: Wire[] = [];

  constructor(door: Door, faults: unknown[]) {
    this.door = door;
    this.faults = faults;
  }

  /** Opens a door that closes when the test is over. */
  static async open(kind: DoorKind, handler: VisitHandler, more: Partial<DoorOptions> = {}): Promise<Stage> {
    const faults: unknown[] = [];
    const onFault = (error: unknown): void => void faults.push(error);
    const door = await doors[kind]({ host: '127.0.0.1', port: 0, drainMs: 200, onFault, ...more }, handler);
    const stage = new Stage(door, faults);
    onTestFinished(() => stage.close());
    return stage;
  }

  async wire(): Promise<Wire> {
    const wire = await Wire.open(this.door.port);
    this.#wires.push(wire);
    return wire;
  }

  async close(): Promise<void> {
    for (const wire of this.#wires) wire.end();
    await this.door.close();
  }
}

/** Answers `<method> <path>?<query> <body length>` as soon as the body is there, 413 when it is too large. */
export function tell(seen: string[]): VisitHandler {
  return (visit) => {
    const line = `${visit.method} ${visit.path}?${visit.query}`;
    seen.push(line);
    visit.readBody(
      BODY_MAX,
      (body) => visit.answer(200, 'Content-Type: text/plain\n', `${line} ${body.length}`),
      () => visit.answer(413, '', ''),
    );
  };
}

/** The same, but the answer comes from a later turn, as from a host's thread. */
export function tellLater(seen: string[]): VisitHandler {
  return (visit) => {
    const line = `${visit.method} ${visit.path}?${visit.query}`;
    seen.push(line);
    const later = (status: number, text: string): void => {
      setImmediate(() => visit.answer(status, '', text));
    };
    visit.readBody(
      BODY_MAX,
      (body) => later(200, `${line} ${body.length}`),
      () => later(413, ''),
    );
  };
}

/** Resolves once `visit.aborted` holds. */
export async function aborted(visit: Visit): Promise<void> {
  while (!visit.aborted) await new Promise((resolve) => setImmediate(resolve));
}
