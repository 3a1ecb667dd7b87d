/** Services of the contract's table test, as processes and as nodes, ended and removed with it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadPlatformText } from '#config/load.ts';
import type { IntakeConfig } from '#config/platform.ts';
import { renderProblems } from '#config/problem.ts';
import { IntakeProcess } from '#test/kit/intake-process.ts';
import { startTestNode, type TestNode } from '#test/kit/test-node.ts';

export const GOOD = { name: 'Ada', email: 'ada@example.org' };
const FORM =
  'id: contact\nfields:\n  name: { type: string, required: true }\n  email: { type: email, required: true }\n';
export const OPEN = 'ratelimit: { per_ip: 100000, per_ip_burst: 100000, global: 100000, global_burst: 100000 }';

/** The keys of a file given to `skep intake`, or what is wrong with it. */
export function configOf(text: string): IntakeConfig | string {
  const loaded = loadPlatformText(text, '/w/intake.yaml', { env: {}, cwd: '/w', service: 'intake' });
  return 'problems' in loaded ? renderProblems(loaded.problems) : loaded.platform.intake;
}

export class Contract {
  readonly #cleanups: (() => unknown)[] = [];

  /** A directory with one form, for processes. */
  process(): IntakeProcess {
    return new IntakeProcess(this.#directory(), FORM);
  }

  /** A node whose file has these lines under `intake`. */
  async node(lines: string): Promise<TestNode> {
    const node = await startTestNode({ dir: this.#directory(), intake: `  ${lines}` });
    this.#cleanups.push(() => node.stop());
    return node;
  }

  async end(): Promise<void> {
    for (const clean of this.#cleanups.toReversed()) await clean();
  }

  #directory(): string {
    const dir = mkdtempSync(join(tmpdir(), 'skep-intake-contract-'));
    this.#cleanups.push(() => rmSync(dir, { recursive: true, force: true }));
    return dir;
  }
}
