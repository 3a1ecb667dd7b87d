/** Clients and operators of a vault: what they ask for, and what the model says of each answer. One change of a secret is on its way at a time. */
import type { Random } from '#test/kit/random.ts';
import type { Room } from '#test/simulation/machine/room.ts';
import type { World } from '#test/simulation/machine/world.ts';
import type { Answer, Ask, KeeperRoom, Verb } from './keeper-room.ts';
import { Known, latestOf, readable, shown, type Change, type Secret } from './model.ts';
import type { Operator } from './operator.ts';
import type { VaultRunSettings } from './settings.ts';

export interface ClientPorts {
  readonly settings: VaultRunSettings;
  readonly world: World;
  readonly random: Random;
  readonly outside: Room;
  readonly operator: Operator;
  /** Null while it is not open. */
  readonly keeper: () => KeeperRoom | null;
  readonly room: () => Room;
  readonly reveal: (name: string) => Promise<string>;
  /** Whether a sync has failed in the process that runs: then a request may end with an error, which says nothing of what it did. */
  readonly hasFault: () => boolean;
}

interface Place {
  readonly tenant: string | null;
  readonly name: string;
  readonly known: Known;
}

/** What was asked for and is not answered. */
interface Waiting {
  /** Nothing comes any more: the thread is gone. */
  readonly lost: () => void;
}

const WAIT_MS = 20;
const AGAIN_MS = 5;

export class Clients {
  readonly #ports: ClientPorts;
  readonly #places: readonly Place[];
  readonly #waiting = new Set<Waiting>();
  readonly everWritten = new Set<string>();
  #left: number;
  #resting = 0;
  acknowledged = 0;
  undone = 0;
  readonly reached = {
    reads: 0,
    writes: 0,
    removals: 0,
    casRefused: 0,
    refusedSealed: 0,
    seals: 0,
    unseals: 0,
    keyRotations: 0,
    revealed: 0,
    leftOpen: 0,
  };

  constructor(ports: ClientPorts) {
    this.#ports = ports;
    this.#left = ports.settings.turns;
    this.#places = [null, 't0'].flatMap((tenant) =>
      Array.from({ length: ports.settings.names }, (_, no) => {
        const name = `s${no}`;
        return { tenant, name, known: new Known(`${tenant ?? 'node'}/${name}`) };
      }),
    );
  }

  get isDone(): boolean {
    return this.#left <= 0 && this.#waiting.size === 0 && this.#resting === 0 && this.#ports.keeper() !== null;
  }

  begin(): void {
    for (let no = 0; no < this.#ports.settings.clients; no++) this.#next();
  }

  /** The thread is gone, with all that it was asked for. */
  lost(): void {
    for (const one of this.#waiting) {
      this.#waiting.delete(one);
      one.lost();
    }
  }

  /** A new root key, in shares that only this answer has. */
  async init(): Promise<void> {
    let shares: readonly string[] | null = null;
    this.#ask('init', { tenant: null, name: '', body: this.#ports.settings.shares }, (answer) => {
      shares = (answer.body as { readonly shares: readonly string[] }).shares;
    });
    await this.#ports.world.run(() => shares !== null);
    this.#ports.operator.shares = shares;
    this.#ports.operator.isSealed = false;
  }

  #next(): void {
    this.#resting++;
    const { random, world, outside } = this.#ports;
    world.after(random.chance(0.5) ? 0 : world.latencyMs(), outside, 'client', () => {
      this.#resting--;
      this.#send();
    });
  }

  #send(): void {
    if (this.#left <= 0) return;
    if (this.#ports.keeper() === null) return this.#rest(WAIT_MS);
    this.#left--;
    const { random, settings, operator } = this.#ports;
    const dice = random.next();
    if (settings.seal === 'shamir' && (operator.isSealed ? dice < 0.5 : dice < 0.06)) return this.#turnSeal();
    if (dice > 0.96) return this.#rotate();
    const place = random.pick(this.#places);
    if (place.known.isBusy) return this.#rest(AGAIN_MS);
    if (dice > 0.9 && place.tenant === null) return this.#reveal(place);
    if (random.chance(0.4)) this.#read(place);
    else this.#change(place, this.#wish(place.known.any));
  }

  #rest(ms: number): void {
    this.#resting++;
    this.#ports.world.after(ms, this.#ports.outside, 'client waits', () => {
      this.#resting--;
      this.#send();
    });
  }

  #wish(secret: Secret): Change {
    const { random } = this.#ports;
    const latest = latestOf(secret);
    if (random.chance(0.7)) {
      const value = `plain:${this.#left}:${random.below(1e9)}:${'x'.repeat(random.below(random.chance(0.1) ? 3000 : 40))}`;
      this.everWritten.add(value);
      const cas = random.chance(0.3) ? (random.chance(0.7) ? latest : random.below(latest + 2)) : null;
      return { kind: 'put', value, cas };
    }
    const version = random.chance(0.5) ? null : 1 + random.below(latest + 1);
    return { kind: 'remove', destroys: random.chance(0.4), version };
  }

  #change(place: Place, change: Change): void {
    const { known } = place;
    known.isBusy = true;
    const sealed = this.#ports.operator.watch();
    const ask = { ...place, ...requestOf(change) };
    const settle = (answer: Answer | null): void => {
      known.isBusy = false;
      if (answer === null) {
        known.mayHaveTaken(change);
        this.#count('leftOpen');
        this.undone++;
      } else this.#changed(place, change, answer, sealed());
      this.#next();
    };
    this.#ask(change.kind, ask, settle, () => settle(null));
  }

  #changed({ known }: Place, change: Change, answer: Answer, isSealed: boolean | null): void {
    const { status, code, body } = answer;
    if (code === 'vault.sealed') return this.#refusedSealed(isSealed);
    if (status < 300) {
      if (isSealed === true) throw new Error(`a ${change.kind} is acknowledged by a vault that is sealed`);
      this.acknowledged++;
      this.#count(change.kind === 'put' ? 'writes' : 'removals');
      return known.took(change, change.kind === 'put' ? (body as { readonly version: number }).version : null);
    }
    const declared = ['vault.cas_mismatch', 'vault.secret_not_found', 'vault.version_not_found'];
    if (!declared.includes(code ?? '')) throw new Error(`a ${change.kind} is answered by ${status} ${code}`);
    if (change.kind === 'put') this.#count('casRefused');
    known.refused(change);
  }

  #refusedSealed(isSealed: boolean | null): void {
    this.#count('refusedSealed');
    if (isSealed === false) throw new Error('a vault that is open says that it is sealed');
  }

  #read(place: Place, version: number | null = this.#anyVersion(place), then = (): void => this.#next()): void {
    const { known } = place;
    known.isBusy = true;
    const sealed = this.#ports.operator.watch();
    const query: Record<string, string> = version === null ? {} : { version: String(version) };
    this.#ask(
      'get',
      { ...place, query },
      ({ status, code, body }) => {
        known.isBusy = false;
        const isSealed = sealed();
        if (code === 'vault.sealed') this.#refusedSealed(isSealed);
        else if (status === 200) {
          if (isSealed === true) throw new Error('a value is read although the vault is sealed');
          this.#count('reads');
          known.read(version, body as { readonly version: number; readonly value: string });
        } else if (code === 'vault.secret_not_found' || code === 'vault.version_not_found') known.read(version, null);
        else throw new Error(`a read is answered by ${status} ${code}`);
        then();
      },
      () => {
        known.isBusy = false;
        then();
      },
    );
  }

  #anyVersion({ known }: Place): number | null {
    const { random } = this.#ports;
    return random.chance(0.5) ? null : 1 + random.below(latestOf(known.any) + 1);
  }

  /** The node reads one of its own secrets, over the channel from main. */
  #reveal(place: Place): void {
    const { known, name } = place;
    known.isBusy = true;
    const sealed = this.#ports.operator.watch();
    const { world, outside } = this.#ports;
    const end = (check: () => void): void =>
      void world.after(0, outside, 'revealed', () => {
        if (!this.#waiting.delete(waiting)) return;
        known.isBusy = false;
        check();
        this.#next();
      });
    const waiting: Waiting = {
      lost: () => {
        known.isBusy = false;
        this.#next();
      },
    };
    this.#waiting.add(waiting);
    world.after(0, outside, `reveal ${name}`, () => {
      this.#ports.reveal(name).then(
        (value) =>
          end(() => {
            if (sealed() === true) throw new Error('the node reads a value although the vault is sealed');
            this.#count('revealed');
            if (!known.states.some((state) => readable(state, null)?.value === value))
              throw new Error(
                `the node is given ${value}, and the secret has ${known.states.map(shown).join('; or ')}`,
              );
          }),
        (error: unknown) =>
          end(() => {
            const isMissing = known.states.some((state) => readable(state, null) === null);
            if (!isMissing && sealed() === false) throw new Error('the node is refused a value', { cause: error });
          }),
      );
    });
  }

  #rotate(): void {
    const tenant = this.#ports.random.pick([null, 't0']);
    const sealed = this.#ports.operator.watch();
    this.#ask('rotateTenant', { tenant, name: '' }, ({ status, code }) => {
      if (code === 'vault.sealed') this.#refusedSealed(sealed());
      else if (status !== 200) throw new Error(`a rotation is answered by ${status} ${code}`);
      else this.#count('keyRotations');
      this.#next();
    });
  }

  /** Seals an open vault; gives all shares to a sealed one, now and then a wrong one among them. */
  #turnSeal(): void {
    const { operator, random } = this.#ports;
    // One at a time: of two at once either may be the last.
    if (operator.changing > 0) return this.#next();
    const ended = operator.begins();
    if (!operator.isSealed) {
      this.#ask('seal', { tenant: null, name: '' }, ({ status, body }) => {
        if (status !== 200 || !(body as { sealed: boolean }).sealed) throw new Error(`seal is answered by ${status}`);
        this.#count('seals');
        ended(true);
        this.#next();
      });
      return;
    }
    const { threshold } = this.#ports.settings.shares;
    const from = random.below(operator.shares!.length - threshold + 1);
    const shares = operator.shares!.slice(from, from + threshold);
    if (random.chance(0.1)) shares[threshold - 1] = Buffer.alloc(33, 1 + random.below(255)).toString('base64');
    this.#give(shares, ended);
  }

  #give([share, ...others]: readonly string[], ended: (isSealed: boolean | null) => void): void {
    this.#ask('unseal', { tenant: null, name: '', body: { share } }, ({ status, code, body }) => {
      if (code !== undefined && code !== 'vault.unseal_failed')
        throw new Error(`unseal is answered by ${status} ${code}`);
      const isOpen = code === undefined && !(body as { readonly sealed: boolean }).sealed;
      if (isOpen) this.#count('unseals');
      if (!isOpen && code === undefined && others.length > 0) return this.#give(others, ended);
      ended(isOpen ? false : null);
      this.#next();
    });
  }

  /** Everything is there as the model says, by its list of versions and by reads of each. */
  async judge(): Promise<void> {
    const { operator, settings, world } = this.#ports;
    let isOpen = settings.seal === 'key' || !operator.isSealed;
    if (!isOpen) {
      const ended = operator.begins();
      const give = ([share, ...others]: readonly string[]): void =>
        this.#ask('unseal', { tenant: null, name: '', body: { share } }, ({ code, body }) => {
          // A wrong share that somebody gave before is dropped with these.
          if (code === 'vault.unseal_failed') give(operator.shares!);
          else if (!(body as { readonly sealed: boolean }).sealed) {
            ended(false);
            isOpen = true;
          } else give(others);
        });
      give(operator.shares!);
      await world.run(() => isOpen);
    }
    let left = this.#places.length;
    for (const place of this.#places) this.#judgePlace(place, () => void left--);
    await world.run(() => left === 0);
  }

  #judgePlace(place: Place, then: () => void): void {
    this.#ask('versions', place, ({ status, body }) => {
      const rows =
        status === 200 ? (body as { readonly versions: readonly { version: number; state: string }[] }).versions : [];
      const found = rows.toReversed().map(({ version, state }) => `${version} ${state}`);
      place.known.listed(found.join(', ') || 'nothing');
      const wanted = [null, ...rows.map(({ version }) => version)];
      const next = (): void => {
        const version = wanted.shift();
        if (version === undefined) then();
        else this.#read(place, version, next);
      };
      next();
    });
  }

  /** Asks the keeper that is open; `answered` runs outside, unless the thread is gone by then. */
  #ask(verb: Verb, ask: Ask, answered: (answer: Answer) => void, lost = (): void => this.#next()): void {
    const { world, outside } = this.#ports;
    const waiting: Waiting = { lost };
    this.#waiting.add(waiting);
    const keeper = this.#ports.keeper()!;
    const failed = (error: unknown): void => {
      if (!this.#ports.hasFault()) world.fail(error as Error);
      else world.after(0, outside, 'fault', () => void (this.#waiting.delete(waiting) && lost()));
    };
    world.after(world.latencyMs(), this.#ports.room(), `${verb} ${ask.tenant ?? ''} ${ask.name}`, () => {
      keeper.ask(verb, ask).then((answer) => {
        if (world.room?.alive !== true) return;
        world.after(world.latencyMs(), outside, `answer ${answer.status} ${answer.code ?? ''}`, () => {
          if (this.#waiting.delete(waiting)) answered(answer);
        });
      }, failed);
    });
  }

  #count(what: keyof Clients['reached']): void {
    this.reached[what]++;
  }
}

function requestOf(change: Change): Pick<Ask, 'body' | 'query'> {
  if (change.kind === 'put') return { body: { value: change.value, ...(change.cas !== null && { cas: change.cas }) } };
  const destroy = String(change.destroys);
  return { query: change.version === null ? { destroy } : { destroy, version: String(change.version) } };
}
