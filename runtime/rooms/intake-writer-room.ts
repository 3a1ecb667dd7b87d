/** The room of the intake writer: submissions that the door refused, `/ready`, its log. */
import type { ErasedSubmissions } from '#actors/protocol/person.ts';
import type { RefusedSubmissions } from '#actors/protocol/topics.ts';
import type { NodeEvents } from '#runtime/node-events.ts';
import type { Attached, ThreadRoom } from '#runtime/supervisor/room.ts';
import type { Supervisor } from '#runtime/supervisor/supervisor.ts';

const NAME = 'intake-writer';

export interface IntakeWriterRoomPorts {
  readonly threads: Pick<Supervisor, 'channel'>;
  readonly events: Pick<NodeEvents, 'record'>;
}

export class IntakeWriterRoom implements ThreadRoom {
  readonly #ports: IntakeWriterRoomPorts;

  constructor(ports: IntakeWriterRoomPorts) {
    this.#ports = ports;
  }

  attach({ channel }: Pick<Attached, 'channel'>): void {
    const { events } = this.#ports;
    channel.answer('audit.event', (event) => {
      events.record('node/intake', 'intake', event);
      return null;
    });
  }

  /** Tells it which submissions the door refused in its name. */
  async refused(submissions: RefusedSubmissions): Promise<void> {
    await this.#ports.threads.channel(NAME)!.ask('intake.refused', submissions);
  }

  /** The first step of a stop: intake's `/ready` turns 503 while the sockets are still open. */
  async retire(): Promise<void> {
    await this.#ports.threads.channel(NAME)?.ask('thread.retire', null);
  }

  /** Before the place is given up to another node: it writes nothing more. */
  async seal(): Promise<void> {
    await this.#ports.threads.channel(NAME)?.ask('intake.seal', null);
  }

  /** Erases one person's submissions (an operator's verb). */
  async erasePerson(address: string): Promise<ErasedSubmissions> {
    const channel = this.#ports.threads.channel(NAME);
    if (channel === undefined) throw new Error('no intake runs on this node');
    return channel.ask('intake.person.erase', { address });
  }

  /** Rotates its log (SIGHUP). */
  async rotate(): Promise<void> {
    await this.#ports.threads.channel(NAME)?.ask('intake.rotate', null);
  }
}
