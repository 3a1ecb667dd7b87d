/** Products as this version compiles them: the checkouts that the platform file names, and the revisions that the directory keeps. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadProduct } from '#config/definitions/load-product.ts';
import type { Platform } from '#config/platform.ts';
import { renderProblems } from '#config/problem.ts';
import { contentSourceOf } from '#config/resolve-content.ts';
import { fault, ok, type Finding } from '#runtime/doctor/finding.ts';
import { everyFault, productFaults, renderFaults } from '#runtime/product-faults.ts';
import { Revisions } from '#runtime/revisions.ts';

const SHOWN = 12;

export async function examineProducts(platform: Platform): Promise<Finding[]> {
  const named = platform.hives.tenant.flatMap(({ meta: { localdir } }) => (localdir === undefined ? [] : [localdir]));
  const findings: Finding[] = [];
  for (const localdir of new Set(named)) findings.push(await checkout(platform, localdir));
  return [...findings, ...(await revisions(platform))];
}

async function checkout(platform: Platform, localdir: string): Promise<Finding> {
  const loaded = loadProduct(localdir, { content: contentSourceOf(platform) });
  const text = 'problems' in loaded ? renderProblems(loaded.problems) : renderFaults(await everyFault(loaded.product));
  const mend = 'mend it: skep check names every problem; tenants serve their kept revision until they are provisioned';
  return verdict(`product ${localdir}`, text, mend);
}

/** Tenants serve kept revisions, not checkouts; the version that kept one found no fault in it. They are unpacked outside the directory, which stays as it is. */
async function revisions(platform: Platform): Promise<Finding[]> {
  const { dir } = platform.storage;
  const loading = mkdtempSync(join(tmpdir(), 'skep-upgrade-'));
  const kept = new Revisions(dir, loading);
  const findings: Finding[] = [];
  try {
    for await (const digest of kept.blobs.digests()) {
      const name = `revision ${digest.slice(0, SHOWN)}`;
      const { product, problem } = await kept.load(digest, name, contentSourceOf(platform));
      const text = problem ?? renderFaults(await productFaults(product));
      const mend = 'tenants that serve it lose these parts: mend the checkout and provision them before the upgrade';
      findings.push(verdict(problem === null ? `${name} of ${product.name}` : name, text, mend));
    }
  } finally {
    rmSync(loading, { recursive: true, force: true });
  }
  return findings;
}

function verdict(check: string, problems: string, mend: string): Finding {
  return problems === '' ? ok(check, 'compiles with this version') : fault(check, problems.trimEnd(), mend);
}
