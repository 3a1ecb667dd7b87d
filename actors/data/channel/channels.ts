/** The channels of a thread's tenants: made when a tenant is first asked for one, ended when the node stops (docs/contract/channels.md). */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { Part } from '#actors/host/part.ts';
import { Hall, type HallPorts } from './hall.ts';
import { Allowance } from './queue.ts';

const HALL = new Part<Hall>('hall of channels');

export class Channels {
  readonly #ports: HallPorts;
  /** Halls that have members, or had some. */
  readonly #halls = new Set<Hall>();
  isRetiring = false;

  constructor(ports: Omit<HallPorts, 'waiting'>) {
    this.#ports = { ...ports, waiting: new Allowance(limits.channels.threadQueueBytes) };
  }

  of(activation: Activation): Hall {
    const hall = HALL.find(activation) ?? new Hall(activation, this.#ports);
    HALL.set(activation, hall);
    for (const other of this.#halls) if (other.size === 0) this.#halls.delete(other);
    this.#halls.add(hall);
    return hall;
  }

  /** The node is about to stop: all members leave, and there are no further ones. */
  retire(): void {
    this.isRetiring = true;
    for (const hall of this.#halls) hall.end('leaving');
  }
}
