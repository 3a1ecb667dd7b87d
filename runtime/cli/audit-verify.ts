/** `skep audit verify`: detects the kind of its argument, verifies it, and prints the verdict. */
import { createPublicKey } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { readOnlyFiles } from '#storage/segment/files.ts';
import { readVerifierKey } from '#storage/segment/note.ts';
import { PACKED } from '#storage/segment/packed.ts';
import { verifyByNoble } from '#storage/segment/verify/ed25519.ts';
import type { VerifyReport } from '#storage/segment/verify/report.ts';
import type { Trust } from '#storage/segment/verify/trust.ts';
import { isConsistencyFile, verifyConsistencyFile } from '#storage/segment/verify/verify-consistency.ts';
import { verifyLog } from '#storage/segment/verify/verify-log.ts';
import { verifyProof } from '#storage/segment/verify/verify-proof.ts';
import { verifySegment } from '#storage/segment/verify/verify-segment.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

/** docs/contract/audit.md §8: 0 good, 1 tampered, 2 incomplete, 3 usage. */
const VERIFY_EXIT = { good: 0, tampered: 1, incomplete: 2, usage: EXIT.verifyUsage } as const;

const RAW_BYTES = 32;

export interface VerifyOptions {
  readonly key: string;
  readonly origin?: string;
  readonly witness?: string;
  /** A file with an earlier checkpoint, for a proof of consistency. */
  readonly earlier?: string;
  readonly json?: boolean;
}

/** Prints the report; ends with the exit code of its verdict. */
export async function auditVerify(target: string, options: VerifyOptions, terminal: Terminal): Promise<void> {
  const trust = { ...trustOf(options.key), origin: options.origin ?? null, ...witnessOf(options.witness) };
  const report = await reportOn(target, trust, options.earlier, terminal);
  terminal.out(options.json === true ? `${JSON.stringify(report, null, 2)}\n` : textOf(target, report));
  if (report.verdict !== 'good') throw new CliError('', VERIFY_EXIT[report.verdict]);
}

function reportOn(
  target: string,
  trust: Trust,
  earlier: string | undefined,
  terminal: Terminal,
): VerifyReport | Promise<VerifyReport> {
  if (/^https?:\/\//.test(target)) return verifyLog(urlReader(target, terminal.env['SKEP_TOKEN']), trust, 'url');
  if (!existsSync(target)) {
    // The name of a segment may be known from elsewhere, and the file lie packed.
    if (existsSync(target + PACKED)) return verifySegment(target, trust);
    throw usage(`${target} is not there`);
  }
  if (statSync(target).isDirectory()) return verifyLog(readOnlyFiles(target), trust, 'directory');
  const text = readFileSync(target, 'utf8');
  if (!text.trimStart().startsWith('{')) return verifySegment(target, trust);
  const value = jsonOf(text);
  if (!isConsistencyFile(value)) return verifyProof(text, target, trust);
  if (earlier !== undefined && !existsSync(earlier)) throw usage(`${earlier} is not there`);
  const before = earlier === undefined ? null : { text: readFileSync(earlier, 'utf8'), file: earlier };
  return verifyConsistencyFile(value, target, before, trust);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // verified as a proof of inclusion, which then fails
  }
}

function witnessOf(text: string | undefined): Pick<Trust, 'witness'> {
  if (text === undefined) return {};
  const witness = readVerifierKey(text);
  if (witness === null) throw usage(`${text} is not a verifier key`);
  return { witness };
}

/** A verifier key, or a PEM file with an Ed25519 public key (SPKI). */
function trustOf(text: string): Trust {
  const given = readVerifierKey(existsSync(text) ? readFileSync(text, 'utf8') : text);
  if (given !== null) return { ...given, origin: null, verify: verifyByNoble };
  if (!existsSync(text)) throw usage(`${text} is neither a file nor a verifier key`);
  try {
    const pem = readFileSync(text, 'utf8');
    if (pem.includes('PRIVATE')) throw new Error('it is a private key');
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType !== 'ed25519') throw new Error('it is not an Ed25519 key');
    const publicKey = key.export({ format: 'der', type: 'spki' }).subarray(-RAW_BYTES);
    return { publicKey, name: null, origin: null, verify: verifyByNoble };
  } catch (error) {
    throw usage(`${text} is not a public key in PEM: ${(error as Error).message}`);
  }
}

function usage(message: string): CliError {
  return new CliError(`skep: ${message}\n    skep audit verify --help shows its arguments\n`, VERIFY_EXIT.usage);
}

/** The files of a log over HTTP; 404 is a missing file. */
function urlReader(url: string, token: string | undefined) {
  const base = url.replace(/\/$/, '');
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return {
    read: async (path: string): Promise<Uint8Array | null> => {
      const response = await fetch(`${base}/${path}`, { headers });
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (response.status === 404) return null;
      if (!response.ok) throw usage(`${base}/${path} answered ${response.status}`);
      return bytes;
    },
    names: async () => [],
  };
}

function textOf(target: string, report: VerifyReport): string {
  const { verdict, origin, size, root, records, unsigned, pruned, gaps, missing, tampered } = report;
  const lines = [`${verdict}: ${target}`, `  ${origin}: ${size} records, root ${root}`, `  ${records} verified`];
  if (unsigned > 0) lines.push(`  ${unsigned} after the checkpoint, not signed yet`);
  if (pruned > 0) lines.push(`  ${pruned} pruned, their hashes verified`);
  for (const { source, from, to } of gaps) lines.push(`  gap: ${source} ${from} to ${to} never arrived`);
  for (const file of missing) lines.push(`  missing: ${file}`);
  if (tampered !== null) {
    const { file, index, what, expected, actual } = tampered;
    lines.push(`  tampered: ${file}${index === null ? '' : `, record ${index}`}: ${what}`);
    if (expected !== '') lines.push(`    expected ${expected}`);
    if (actual !== '') lines.push(`    found    ${actual}`);
  }
  return `${lines.join('\n')}\n`;
}
