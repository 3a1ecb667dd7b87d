/** The nodes that carry hosts of this one, which serves: a link to each life that may, as the beats of this node see them. */
import { limits } from '#config/limits.ts';
import type { Carriers } from '#runtime/cluster/carriers.ts';
import type { FarPlaces } from '#runtime/supervisor/far-places.ts';
import type { Room } from '#runtime/supervisor/share-places.ts';
import type { CarriedThread } from '#runtime/supervisor/thread.ts';
import { CarrierLink, type CarrierLinkPorts } from './carrier-link.ts';

const { followLateMs } = limits.cluster;

export interface CarrierLinksPorts extends Omit<CarrierLinkPorts, 'released'> {
  readonly carriers: Carriers;
}

type Sight = ReturnType<Carriers['sights']>[number];

export class CarrierLinks implements FarPlaces {
  readonly #ports: CarrierLinksPorts;
  readonly #links = new Map<string, CarrierLink>();
  #isStopped = false;

  constructor(ports: CarrierLinksPorts) {
    this.#ports = ports;
  }

  /** Nodes that have a link, and have followed the log to its end: a host opens there without reading much. One that carries already is among them whether or not it has. */
  look(): readonly Room[] {
    const sights = this.#isStopped ? [] : this.#ports.carriers.sights();
    this.#follow(sights);
    const self = this.#ports.self.life;
    return sights.flatMap((sight) => {
      const room = this.#links.get(sight.id)?.room ?? 0;
      return room > 0 && (sight.carries === self || isReady(sight)) ? [{ id: sight.id, weight: room }] : [];
    });
  }

  idOf(node: string): string | null {
    const ids = new Set(this.look().map(({ id }) => id));
    const found = [...this.#links.values()].find(({ mate }) => mate.node === node && ids.has(mate.id));
    return found?.mate.id ?? null;
  }

  nameOf(id: string): string {
    return this.#links.get(id)?.mate.node ?? id;
  }

  start(id: string, place: number, checkouts: readonly string[]): CarriedThread | null {
    return this.#links.get(id)?.start(place, checkouts) ?? null;
  }

  stop(): void {
    this.#isStopped = true;
    this.#follow([]);
  }

  #follow(sights: readonly Sight[]): void {
    const ids = new Set(sights.map(({ id }) => id));
    for (const [id, link] of this.#links) {
      if (ids.has(id)) continue;
      this.#links.delete(id);
      link.stop('that node may not carry hosts any more');
    }
    const { carriers } = this.#ports;
    for (const { id, node, link } of sights)
      if (!this.#links.has(id)) {
        const ports = { ...this.#ports, released: (life: string) => carriers.released(life) };
        this.#links.set(id, new CarrierLink({ id, node, link: link ?? null }, ports));
      }
  }
}

const isReady = ({ follows }: Sight): boolean => follows !== null && (follows.ageMs ?? Infinity) <= followLateMs;
