/** Which coding an answer gets by `Accept-Encoding` (RFC 9110 §12.5.3). Pure. */
import { limits } from '#config/limits.ts';

export type Coding = 'br' | 'gzip' | 'zstd';

/** Of codings that a caller likes equally the first is taken: brotli's answers are the smallest, zstd's small ones cost the most (docs/decisions/runtime.md RT-35). */
const PREFERRED: readonly Coding[] = ['br', 'gzip', 'zstd'];

/** An old name (RFC 9110 §8.4.1.3). */
const ALIASES: Readonly<Record<string, string>> = { 'x-gzip': 'gzip' };

const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** The coding that the caller likes best; null where it takes none of ours, likes its answers plain better, or sends a list that is too long to read. */
export function codingOf(accepted: string): Coding | null {
  if (accepted.length > limits.door.acceptedCodingsCharsMax) return null;
  const weights = weightsOf(accepted);
  let best: Coding | null = null;
  let most = weights.get('identity') ?? 0;
  for (const coding of PREFERRED) {
    const weight = weights.get(coding) ?? weights.get('*') ?? 0;
    if (weight > most || (weight === most && weight > 0 && best === null)) {
      best = coding;
      most = weight;
    }
  }
  return best;
}

/** By name in lower case. An element with a weight that is none does not count. */
function weightsOf(accepted: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const element of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = element.split(';').map((part) => part.trim());
    const weight = weightOf(parameters);
    if (name !== '' && weight !== null) weights.set(ALIASES[name] ?? name, weight);
  }
  return weights;
}

function weightOf(parameters: readonly string[]): number | null {
  if (parameters.length === 0) return 1;
  const [, digits] = WEIGHT.exec(parameters.join(';')) ?? [];
  return digits === undefined ? null : Number(digits);
}
