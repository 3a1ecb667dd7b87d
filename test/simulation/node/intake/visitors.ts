/**
 * Visitors of forms, and what they know of what became of their submissions: the oracle of intake. What was answered 200 is there once, what was refused is
 * nowhere, and what is sent again under its key is the same submission.
 */
import { eachStored } from '#actors/intake/archive/store.ts';
import { eachSubmission } from '#actors/intake/log/store.ts';
import type { Submission } from '#actors/intake/submission.ts';
import type { Random } from '#test/kit/random.ts';
import type { Errand } from '../errand.ts';
import type { Settings } from '../settings.ts';
import type { TenantState } from '../tenants/living.ts';
import { formsOf, storageOf, type IntakeAnswer } from './room.ts';

interface Sent {
  readonly name: string;
  readonly form: string;
  readonly key: string;
  readonly body: object;
  /** Attempts whose answer may still come, or never came. */
  open: number;
  /** Of the answer 200. */
  id: string | null;
}

/** What tenants have of submissions: their names by their ids, and how many they count. */
export type AtTenants = readonly Pick<TenantState, 'submissions' | 'submissionCount'>[];

export class Visitors {
  readonly #settings: Settings;
  readonly #forms: readonly string[];
  readonly #sent: Sent[] = [];
  readonly #byName = new Map<string, Sent>();
  /** What was refused before anything was stored: names. */
  readonly #refused = new Set<string>();
  answered = 0;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#forms = formsOf(settings).map(({ id }) => id);
  }

  errand(random: Random, no: number): Errand {
    const dice = random.next();
    const keyed = this.#sent.filter(({ key }) => key !== '');
    if (dice < 0.3 && keyed.length > 0) return this.#again(random.pick(keyed.slice(-6)), no);
    if (dice < 0.35 && keyed.length > 0) return this.#refusedErrand({ ...random.pick(keyed), name: `n${no}` }, no);
    if (dice < 0.4) return this.#faulty(random, no);
    if (dice < 0.45)
      return {
        to: 'intake-writer',
        line: `rotate ${no}`,
        take: (node, replied) => void node.intake!.rotate().then(replied),
      };
    const name = `n${no}`;
    const text = 'x'.repeat(random.below(random.chance(0.2) ? 3000 : 100));
    const key = random.chance(0.6) ? `k${no}` : '';
    const sent = { name, form: random.pick(this.#forms), key, body: { name, text }, open: 0, id: null };
    this.#sent.push(sent);
    this.#byName.set(name, sent);
    return this.#again(sent, no);
  }

  /** Sends it for the first time, or once more. */
  #again(sent: Sent, no: number): Errand {
    return this.#submission(sent, no, (answer) => {
      if (answer.status === 200) {
        if (sent.id !== null && sent.id !== answer.id)
          throw new Error(`${sent.name} was stored as ${sent.id}, and sent again it is ${answer.id}`);
        this.answered++;
        sent.id = answer.id;
      } else if (answer.status !== 503 && answer.status !== 500)
        throw new Error(`${sent.name} was answered ${answer.status}`);
      // What a failing disk leaves is unknown.
      if (answer.status !== 500) sent.open--;
    });
  }

  /** Another submission under a key that one has: it is refused where that one is stored, and the first of its key where it is not. */
  #refusedErrand(sent: Sent, no: number): Errand {
    const body = { name: sent.name, text: 'other' };
    if (sent.id === null) return this.#faultyOf(sent.form, no);
    return this.#submission({ ...sent, body, open: 0 }, no, ({ status }) => {
      if (status !== 422) throw new Error(`another submission under the key ${sent.key} was answered ${status}`);
      this.#refused.add(sent.name);
    });
  }

  #faulty(random: Random, no: number): Errand {
    return this.#faultyOf(random.pick(this.#forms), no);
  }

  #faultyOf(form: string, no: number): Errand {
    const name = `n${no}`;
    const body = { name, text: name, more: 1 };
    return this.#submission({ name, form, key: '', body, open: 0, id: null }, no, ({ status }) => {
      if (status !== 422) throw new Error(`a submission with an unknown member was answered ${status}`);
      this.#refused.add(name);
    });
  }

  #submission(sent: Sent, no: number, heard: (answer: IntakeAnswer) => void): Errand {
    return {
      to: 'intake-writer',
      line: `submission ${no} ${sent.name}`,
      take: (node, replied) => {
        sent.open++;
        void node.intake!.submit(sent).then((answer) =>
          node.guard(() => {
            heard(answer);
            replied();
          }),
        );
      },
    };
  }

  /** At the end, when all are closed: holds what is stored, and what tenants have, against what visitors know. Throws with what is wrong. */
  async judge(atTenants: AtTenants): Promise<void> {
    const { files } = this.#settings.intake;
    const storage = storageOf(this.#settings);
    const stored: Submission[] = [];
    const logged: Submission[] = [];
    await eachStored(storage, null, (one) => void stored.push(one));
    if (files !== 'database') {
      const { torn } = await eachSubmission(storage.jsonlDir, (one) => void logged.push(one));
      if (torn) throw new Error('the log of an intake that was closed in order is torn');
      assertSame(logged, stored);
      for (const [at, { id }] of logged.entries())
        if (at > 0 && id <= logged[at - 1]!.id) throw new Error(`${id} stands behind ${logged[at - 1]!.id} in the log`);
    }
    this.#judgeStored(stored);
    if (files !== 'log') judgeTenants(stored, atTenants);
  }

  #judgeStored(stored: readonly Submission[]): void {
    const byName = new Map(stored.map((one) => [nameOf(one), one]));
    if (byName.size !== stored.length) throw new Error('a submission is stored twice');
    for (const name of this.#refused) if (byName.has(name)) throw new Error(`${name} was refused and is stored`);
    for (const [name, { id, form, body, open }] of this.#byName) {
      const found = byName.get(name);
      if (id !== null && found?.id !== id) throw new Error(`${name} was acknowledged as ${id} and is ${found?.id}`);
      if (id === null && found !== undefined && open === 0) throw new Error(`${name} was refused and is stored`);
      if (found === undefined) continue;
      if (found.form !== form || JSON.stringify(found.fields) !== JSON.stringify(withoutNothing(body)))
        throw new Error(`${name} is not stored as it was sent`);
    }
    for (const name of byName.keys())
      if (!this.#byName.has(name)) throw new Error(`${name} is stored, and no visitor has sent it`);
  }
}

const nameOf = ({ fields }: Submission): string => fields['name'] as string;

/** A field without a value is left out. */
const withoutNothing = (body: object): object =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== ''));

function assertSame(logged: readonly Submission[], stored: readonly Submission[]): void {
  const [log, database] = [logged, stored].map((all) => all.map((one) => JSON.stringify(one)).toSorted());
  const differing = log!.find((one, at) => one !== database![at]) ?? database![log!.length];
  if (differing !== undefined || log!.length !== database!.length)
    throw new Error(`the log has ${log!.length} submissions, the database ${database!.length}: ${differing}`);
}

/** Everything of a tenant's forms is at the tenant, once, and nothing else. */
function judgeTenants(stored: readonly Submission[], atTenants: AtTenants): void {
  for (const [no, { submissions: has, submissionCount }] of atTenants.entries()) {
    const wanted = stored.filter(({ form }) => form === `tenant${no}`);
    for (const one of wanted)
      if (has.get(one.id) !== nameOf(one)) throw new Error(`tenant ${no} lacks submission ${one.id}, ${nameOf(one)}`);
    if (has.size !== wanted.length || submissionCount !== wanted.length)
      throw new Error(
        `tenant ${no} has ${has.size} submissions and counts ${submissionCount}, and ${wanted.length} are stored`,
      );
  }
}
