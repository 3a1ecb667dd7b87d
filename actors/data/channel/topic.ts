/** The members of one channel under one key, and what each of them is told (docs/contract/channels.md §3). */
import type { Member } from './member.ts';
import { eventOf, type Event } from './queue.ts';

export class Topic {
  readonly name: string;
  readonly #told: (member: Member) => void;
  readonly #members = new Map<string, Member>();
  #hasPresence = false;

  /** `told`: called with each member for which something waits. */
  constructor(name: string, told: (member: Member) => void) {
    this.name = name;
    this.#told = told;
  }

  get size(): number {
    return this.#members.size;
  }

  member(id: string): Member | undefined {
    return this.#members.get(id);
  }

  /** Others are told before it is one of them: it is told of itself as `joined`. */
  add(member: Member, hasPresence: boolean): void {
    this.#hasPresence = hasPresence;
    this.#presence('join', member);
    this.#members.set(member.id, member);
  }

  remove(member: Member): void {
    this.#members.delete(member.id);
    this.#presence('leave', member);
  }

  setState(member: Member, state: string): void {
    member.state = state;
    this.#presence('state', member);
  }

  tell(event: Event): void {
    for (const member of this.#members.values()) {
      if (member.ended !== null) continue;
      member.queue.push(event);
      this.#told(member);
    }
  }

  /** The events that a member is told now, taken from its queue. Where some were lost, the members of now come first: what follows leads to them again. */
  textFor(member: Member): string {
    const { events, lost } = member.queue.take();
    let text = '';
    if (member.isNew) text += eventOf('joined', `{"member":"${member.id}"${this.#listed()}}`).text;
    else if (lost > 0) text += eventOf('lost', `{"count":${lost}${this.#listed()}}`).text;
    if (member.isNew && lost > 0) text += eventOf('lost', `{"count":${lost}}`).text;
    member.isNew = false;
    return text + events.map((event) => event.text).join('');
  }

  #presence(change: 'join' | 'state' | 'leave', member: Member): void {
    if (this.#hasPresence) this.tell(eventOf('presence', `{"change":"${change}","member":${member.shown}}`));
  }

  #listed(): string {
    if (!this.#hasPresence) return '';
    const present = [...this.#members.values()].filter(({ ended }) => ended === null);
    return `,"members":[${present.map(({ shown }) => shown).join(',')}]`;
  }
}
