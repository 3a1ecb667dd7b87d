/**
 * Runs seeds (docs/contract/data-admin.md §4.1). Each is whole or not there, whatever ends the run: its rows and its ledger record are one journal
 * record, staged in slices that hold the tenant. Seeds that were applied with the same content are skipped unless forced.
 */
import type { SeedDefinition } from '#config/definitions/product.ts';
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { INTERNAL } from '#actors/protocol/principal.ts';
import { commitWhenRoom, roomFor, untilFree } from '#actors/host/pace/own-turns.ts';
import { failure, isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import { takeSteps } from '#actors/kit/pace/steps.ts';
import { servedModels } from '../../part.ts';
import { sessionAs } from '../../rest/session.ts';
import type { Guard } from '../lock/guard.ts';
import { seedSteps } from './apply.ts';
import { linesOf } from './lines.ts';
import { putSeedRecord, seedRecord } from './store.ts';

export interface SeedWish {
  readonly planId: string;
  /** Seeds to run; null for all that are for the environment. */
  readonly names: readonly string[] | null;
  readonly environment: string;
  readonly dryRun: boolean;
  readonly force: boolean;
}

export interface SeedOutcome {
  readonly Name: string;
  readonly Status: 'applied' | 'skipped' | 'failed';
  readonly Reason: string;
  readonly Rows: number;
  /** Nanoseconds. */
  readonly Duration: number;
}

export interface SeedReport {
  readonly plan_id: string;
  readonly dry_run: boolean;
  readonly applied_count: number;
  readonly skipped_count: number;
  readonly failed_count: number;
  readonly outcomes: readonly SeedOutcome[];
}

/** The wanted names that no seed has. */
export function unknownSeeds(seeds: readonly SeedDefinition[], names: readonly string[] | null): string[] {
  return (names ?? []).filter((name) => !seeds.some((seed) => seed.name === name));
}

/** Runs the wanted seeds in the order of the files; one that fails does not stop the next. Throws LockLost. */
export async function runSeeds(work: Work, wish: SeedWish, guard: Guard): Promise<SeedReport> {
  const run = new SeedRun(work, wish, guard);
  const { names } = wish;
  const seeds = (work.activation.product.seeds ?? []).filter((seed) =>
    names === null ? isFor(seed, wish.environment) : names.includes(seed.name),
  );
  const outcomes: SeedOutcome[] = [];
  for (const seed of seeds) outcomes.push(await run.one(seed));
  const count = (status: SeedOutcome['Status']): number => outcomes.filter(({ Status }) => Status === status).length;
  return {
    plan_id: wish.planId,
    dry_run: wish.dryRun,
    applied_count: count('applied'),
    skipped_count: count('skipped'),
    failed_count: count('failed'),
    outcomes,
  };
}

function isFor({ environments }: SeedDefinition, environment: string): boolean {
  return environments === null || environments.includes(environment);
}

class SeedRun {
  readonly #work: Work;
  readonly #wish: SeedWish;
  readonly #guard: Guard;
  readonly #session: Session;

  constructor(work: Work, wish: SeedWish, guard: Guard) {
    this.#work = work;
    this.#wish = wish;
    this.#guard = guard;
    this.#session = sessionAs(work, INTERNAL, servedModels(work.activation));
  }

  async one(seed: SeedDefinition): Promise<SeedOutcome> {
    const { clock } = this.#session;
    const began = clock.now();
    await untilFree(this.#work);
    const reason = this.#skipped(seed);
    const done = reason === null ? await this.#apply(seed) : 0;
    const failed = isFailure(done);
    return {
      Name: seed.name,
      Status: failed ? 'failed' : reason === null ? 'applied' : 'skipped',
      Reason: failed ? done.message : (reason ?? ''),
      Rows: failed ? 0 : done,
      Duration: (clock.now() - began) * 1e6,
    };
  }

  /** Why a seed is left out, or null. */
  #skipped(seed: SeedDefinition): string | null {
    const { environment, force } = this.#wish;
    if (!isFor(seed, environment)) return `not for the environment ${environment}`;
    const known = seedRecord(this.#session.turn(), seed.name);
    if (!force && known?.status === 'applied' && known.applied_checksum === seed.checksum)
      return 'applied already, with the same content';
    return null;
  }

  async #apply(seed: SeedDefinition): Promise<number | Failure> {
    const staged = await this.#stage(seed);
    if (this.#wish.dryRun) {
      this.#work.abort();
      return staged;
    }
    if (isFailure(staged)) {
      this.#work.abort();
      await untilFree(this.#work);
    }
    this.#record(seed, staged);
    await commitWhenRoom(this.#work);
    return staged;
  }

  /** Stages the rows of the seed; the tenant is held where they take several slices. */
  async #stage(seed: SeedDefinition): Promise<number | Failure> {
    const session = this.#session;
    const model = session.model(seed.entity);
    if (model === undefined) return failure(404, `the entity ${seed.entity} is not provisioned yet`);
    const lines = await linesOf(session, seed, model);
    if (isFailure(lines)) return lines;
    await roomFor(this.#work);
    await untilFree(this.#work);
    return takeSteps(session, seedSteps(session, seed, model, lines));
  }

  #record(seed: SeedDefinition, staged: number | Failure): void {
    const turn = this.#session.turn();
    this.#guard(turn);
    const before = seedRecord(turn, seed.name);
    const failed = isFailure(staged);
    putSeedRecord(turn, {
      name: seed.name,
      status: failed ? 'failed' : 'applied',
      applied_checksum: failed ? (before?.applied_checksum ?? '') : seed.checksum,
      applied_ms: failed ? (before?.applied_ms ?? 0) : this.#session.clock.now(),
      rows: failed ? 0 : staged,
      error: failed ? staged.message.slice(0, limits.seeds.reasonCharsMax) : '',
      plan_id: this.#wish.planId,
    });
  }
}
