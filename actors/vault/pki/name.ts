/** Distinguished names (RFC 5280 §4.1.2.4): one attribute per RDN, UTF8String, the most general attribute first. */
import { readOid, type DerReader } from './der-read.ts';
import { TAG, element, sequence, utf8 } from './der-write.ts';
import { ATTRIBUTE, oidOf } from './oids.ts';

/** A common name is at most this long (RFC 5280, ub-common-name). */
export const COMMON_NAME_CHARS_MAX = 64;

export interface NameParts {
  readonly organization?: string | undefined;
  readonly organizationalUnit?: string | undefined;
  readonly commonName?: string | undefined;
}

/** The encoded Name; absent parts are left out. */
export function writeName({ organization, organizationalUnit, commonName }: NameParts): Buffer {
  return sequence(
    ...step(ATTRIBUTE.organization, organization),
    ...step(ATTRIBUTE.organizationalUnit, organizationalUnit),
    ...step(ATTRIBUTE.commonName, commonName),
  );
}

function step(type: string, value: string | undefined): Buffer[] {
  return value === undefined ? [] : [element(TAG.set, sequence(oidOf(type), utf8(value)))];
}

const TEXTS: readonly number[] = [TAG.utf8String, TAG.printableString, TAG.ia5String];

/** The attributes of a Name that this vault knows; others are ignored, and the last of a kind counts. */
export function readName(reader: DerReader): NameParts {
  const found = new Map<string, string>();
  const steps = reader.enter();
  while (!steps.done) {
    const set = steps.enter(TAG.set);
    while (!set.done) {
      const pair = set.enter();
      const type = readOid(pair);
      const value = pair.next();
      pair.end();
      if (TEXTS.includes(value.tag)) found.set(type, value.content.toString('utf8'));
    }
  }
  return {
    organization: found.get(ATTRIBUTE.organization),
    organizationalUnit: found.get(ATTRIBUTE.organizationalUnit),
    commonName: found.get(ATTRIBUTE.commonName),
  };
}
