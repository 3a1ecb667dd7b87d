/** Join tokens: an operator issues them, machines join with them. */
import { timestamp } from '#actors/kit/clock.ts';
import { encodeRecord, readRecord, type Kept, type PkiPorts, type Scope } from '../authority/ports.ts';
import { digestOf, newToken } from './token-text.ts';

export interface JoinTokenRecord {
  readonly id: string;
  readonly digest: string;
  readonly scope: Scope;
  readonly expires_ms: number;
  readonly uses_max: number;
  /** The uses of the token: the key of each request, and the node that it became. */
  readonly uses: readonly { readonly key: string; readonly node: string }[];
  readonly created_at: string;
  readonly created_by: string;
}

const NAME = '[a-z0-9_][a-z0-9._-]{0,62}';
const SCOPE = new RegExp(`^dc=(${NAME}),cluster=(${NAME})$`);

/** The scope in a text; null when it is not written in the contract's form. */
export function parseScope(text: string): Scope | null {
  const match = SCOPE.exec(text);
  return match === null ? null : { datacenter: match[1]!, cluster: match[2]! };
}

export const scopeText = ({ datacenter, cluster }: Scope): string => `dc=${datacenter},cluster=${cluster}`;

export const sameScope = (a: Scope, b: Scope): boolean => a.datacenter === b.datacenter && a.cluster === b.cluster;

const PATH = 'join/';
export const joinTokenPath = (id: string): string => PATH + id;

export class JoinTokens {
  readonly #ports: PkiPorts;

  constructor(ports: PkiPorts) {
    this.#ports = ports;
  }

  /** Makes a token; its text is given only here. */
  async issue(
    scope: Scope,
    ttlMs: number,
    uses: number,
    by: string,
  ): Promise<{ token: string; record: JoinTokenRecord }> {
    const { clock, nextId, random, store } = this.#ports;
    const id = nextId();
    const token = newToken('hj', id, random);
    const record: JoinTokenRecord = {
      id,
      digest: digestOf(token),
      scope,
      expires_ms: clock.now() + ttlMs,
      uses_max: uses,
      uses: [],
      created_at: timestamp(clock.now()),
      created_by: by,
    };
    const committed = await store.commit([{ path: joinTokenPath(id), value: encodeRecord(record), expect: 0 }]);
    if (!committed.ok) throw new Error('an id was given out twice');
    return { token, record };
  }

  read(id: string): Promise<Kept<JoinTokenRecord> | null> {
    return readRecord<JoinTokenRecord>(this.#ports.store, joinTokenPath(id));
  }

  /** Tokens in the order of their creation, behind an id. */
  async list(after: string | null, limit: number): Promise<JoinTokenRecord[]> {
    const page = await this.#ports.store.list(PATH, after === null ? null : joinTokenPath(after), limit);
    return page.map(({ value }) => JSON.parse(value.toString('utf8')) as JoinTokenRecord);
  }

  /** Revokes a token; gives whether there was one. Nodes that joined with it stay. */
  async remove(id: string): Promise<boolean> {
    if ((await this.read(id)) === null) return false;
    await this.#ports.store.commit([{ path: joinTokenPath(id), value: undefined }]);
    return true;
  }
}
