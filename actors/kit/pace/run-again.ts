/** Background work that must see all that was done before it was asked for: asked again while it runs, it runs once more. */
export class RunAgain {
  #running = false;
  #asked = false;

  /** `work` does not reject. */
  ask(work: () => Promise<void>): void {
    this.#asked = true;
    if (this.#running) return;
    this.#running = true;
    void this.#run(work);
  }

  async #run(work: () => Promise<void>): Promise<void> {
    while (this.#asked) {
      this.#asked = false;
      await work();
    }
    this.#running = false;
  }
}
