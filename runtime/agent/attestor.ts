/**
 * Attestation of a peer takes two looks. When its connection is accepted, the run of its program is marked. When it sends a request, the selectors
 * are read and the mark is taken again. A process that has ended or runs another program by then (exec) is refused.
 */
import { matches, type Evidence, type Selectors } from '#actors/vault/workload/selectors.ts';
import { callingShell, isStillCalling } from './calling-shell.ts';
import type { AgentMeter } from './meter.ts';
import type { Peer } from './peer.ts';
import { executablePath, runMark, sameRun, unitOf, type ExecutableHashes, type RunMark } from './process-facts.ts';

/** The peer is no longer the process that connected. */
export class PeerChanged extends Error {
  constructor() {
    super('the process has ended or runs another program than when it connected');
  }
}

/** A connection's peer, from the first look on. */
export class AttestedPeer {
  readonly #peer: Peer;
  readonly #hashes: ExecutableHashes;
  readonly #meter: AgentMeter;
  readonly #first: Promise<RunMark | null>;

  constructor(peer: Peer, hashes: ExecutableHashes, meter: AgentMeter) {
    this.#peer = peer;
    this.#hashes = hashes;
    this.#meter = meter;
    this.#first = runMark(peer.pid);
  }

  get uid(): number {
    return this.#peer.uid;
  }

  /** Resolves after the first look: nothing is sent to the peer before. */
  async looked(): Promise<boolean> {
    return (await this.#first) !== null && this.#peer.alive();
  }

  /** The identities whose selectors match the peer, or the shell that started it. Throws PeerChanged. */
  async select<I extends { readonly selectors: Selectors }>(
    identities: readonly I[],
    whom: 'itself' | 'shell' = 'itself',
  ): Promise<I[]> {
    const evidence = (whom === 'shell' ? await this.#shellEvidence() : null) ?? (await this.#evidence());
    const found = identities.filter(({ selectors }) => matches(selectors, evidence));
    this.#meter.attestations[found.length === 0 ? 'none' : 'matched']++;
    return found;
  }

  close(): void {
    this.#peer.close();
  }

  async #evidence(): Promise<Evidence> {
    const { pid, uid, gid } = this.#peer;
    const first = await this.#first;
    if (first === null) return this.#changed();
    const [path, sha256, unit] = await Promise.all([executablePath(pid), this.#hashes.of(pid, first), unitOf(pid)]);
    const second = await runMark(pid);
    if (second === null || !sameRun(first, second) || !this.#peer.alive()) return this.#changed();
    return { path, sha256, uid, gid, unit };
  }

  /** Null where no shell started it: then the process itself is attested. */
  async #shellEvidence(): Promise<Evidence | null> {
    const { pid, uid, gid } = this.#peer;
    const first = await this.#first;
    if (first === null) return this.#changed();
    const shell = await callingShell(pid, { uid, gid });
    if (shell === null) return null;
    const [sha256, unit] = await Promise.all([this.#hashes.of(shell.pid, shell.mark), unitOf(shell.pid)]);
    const [second, stays] = [await runMark(pid), await isStillCalling(pid, shell)];
    if (second === null || !sameRun(first, second) || !this.#peer.alive() || !stays) return this.#changed();
    return { path: shell.path, sha256, uid, gid, unit };
  }

  #changed(): never {
    this.#meter.attestations.refused++;
    throw new PeerChanged();
  }
}
