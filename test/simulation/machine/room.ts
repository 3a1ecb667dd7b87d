/** A thread of the machine, until it ends: of a dead one no event runs any more. */
export class Room {
  readonly name: string;
  alive = true;
  /** When the newest of its immediates runs: they keep their order. */
  immediateMs = 0;
  /** Until then it stands still in one turn: whatever would happen in it waits. */
  stillUntilMs = 0;
  /** How fast its clocks go, and so its timers: 1 is the time of the world. */
  rate = 1;

  constructor(name: string) {
    this.name = name;
  }
}
