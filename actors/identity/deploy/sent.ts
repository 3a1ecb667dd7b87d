/** The revisions that the deployers of a plane have sent since it woke. A plan leads to one of these only: a digest alone names no other product's. */
import { limits } from '#config/limits.ts';
import { Part } from '#actors/host/part.ts';

export class Sent {
  readonly #revisions = new Set<string>();
  /** Whether one is on its way: each holds its whole archive in memory. */
  isTaking = false;

  /** Past `limits.develop.sentMax` the oldest is forgotten: it is sent again. */
  add(revision: string): void {
    this.#revisions.delete(revision);
    this.#revisions.add(revision);
    const [oldest] = this.#revisions;
    if (this.#revisions.size > limits.develop.sentMax) this.#revisions.delete(oldest!);
  }

  has(revision: string): boolean {
    return this.#revisions.has(revision);
  }
}

export const SENT = new Part<Sent>('revisions that were sent', () => new Sent());
