/** Copies of all files that are under way: a sweep removes nothing meanwhile. */
export class Holds {
  #count = 0;

  get any(): boolean {
    return this.#count > 0;
  }

  /** Until what it gives is called; calling it again does nothing. */
  take(): () => void {
    this.#count++;
    let isHeld = true;
    return () => {
      if (isHeld) this.#count--;
      isHeld = false;
    };
  }
}
