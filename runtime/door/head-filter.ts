/**
 * Works around request lines that TCP cuts behind a space or within their version: the addon takes ` HT` for another version and answers 505
 * before this code runs (README.md). A socket filter in the kernel (Linux, SO_ATTACH_FILTER, allowed for any user) looks at each segment that
 * begins like a request and ends in a beginning of ` HTTP/1.1\r`, and cuts that end off. To TCP the end was lost: the sender sends it again,
 * together with the rest, and the addon reads both at once. A request that would have failed pays one round trip, all others nothing: of most
 * segments only the last byte is looked at.
 *
 * A sender that sends the rest more than 200 ms later, or in a third segment, still gets the 505. Over TLS the addon reads whole records, so the
 * filter is not needed there, and could not see the text.
 */
import { listeningOn } from './listening.ts';
import {
  AND,
  COPY_TO_X,
  JUMP_AT_LEAST,
  JUMP_EQUAL,
  KEEP,
  KEPT_TO_X,
  LOAD_BYTE,
  LOAD_BYTE_AT_X,
  LOAD_HALF_AT_X,
  LOAD_KEPT,
  LOAD_LENGTH,
  LOAD_NUMBER,
  LOAD_WORD_AT_X,
  Program,
  RETURN,
  RETURN_A,
  SHIFT_RIGHT,
  SUBTRACT,
  SUBTRACT_X,
  WHOLE,
  attaching,
} from './socket-filter.ts';

const CR = 13;

/** Cells of the filter's memory: the lengths of the segment, of its unwanted end, of the part before that end, and of the TCP header. */
const SEGMENT = 0;
const UNWANTED = 1;
const BEFORE = 2;
const HEADER = 3;

const VERBS = ['GET ', 'POST', 'PUT ', 'HEAD', 'DELE', 'PATC', 'OPTI'];
const END = ' HTTP/1.1\r';
/** A request line that ends within so many bytes is whole, so the segment's end belongs to a field or a body: the usual case. */
const LOOKED_AT = 60;
/** Behind a longer line a space after one of these is taken for a field value's; the target of a request hardly ever ends with one. */
const FIELD_ENDS = [':', ',', ';'];

const word = (text: string): number => Buffer.from(text, 'latin1').readUIntBE(0, text.length);

/** Ends a program, which says how much of a segment is taken. */
export function keepHeads(program: Program): void {
  program.put(LOAD_LENGTH);
  program.put(KEEP, SEGMENT);
  // Most segments do not end in a byte with which a beginning of END could end: they are taken whole here.
  program.put(SUBTRACT, 1);
  program.put(COPY_TO_X);
  program.put(LOAD_BYTE_AT_X, 0);
  for (const last of new Set(END)) program.jump(JUMP_EQUAL, word(last), { yes: 'look' });
  program.put(RETURN, WHOLE);
  program.label('look');
  // The length of the TCP header, in words, is the upper half of its byte 12.
  program.put(LOAD_BYTE, 12);
  program.put(AND, 0xf0);
  program.put(SHIFT_RIGHT, 2);
  program.put(KEEP, HEADER);
  program.put(COPY_TO_X);
  program.put(LOAD_KEPT, SEGMENT);
  program.put(SUBTRACT_X);
  program.jump(JUMP_AT_LEAST, VERBS[0]!.length, { no: 'whole' });
  program.put(LOAD_WORD_AT_X, 0);
  for (const verb of VERBS) program.jump(JUMP_EQUAL, word(verb), { yes: 'request' });
  program.label('whole');
  program.put(RETURN, WHOLE);
  program.label('request');
  program.put(LOAD_KEPT, SEGMENT);
  program.put(SUBTRACT, END.length);
  program.put(COPY_TO_X);
  for (let length = END.length; length > 0; length--) endsWith(program, length);
  program.go('finished');
  leaveOut(program);
}

/** Jumps to leaveOut() where the segment ends with the first `length` bytes of END. Register X: the segment's length less that of END. */
function endsWith(program: Program, length: number): void {
  const next = `not ${length}`;
  for (let at = 0; at < length;) {
    const size = length - at >= 4 ? 4 : length - at >= 2 ? 2 : 1;
    program.put(size === 4 ? LOAD_WORD_AT_X : size === 2 ? LOAD_HALF_AT_X : LOAD_BYTE_AT_X, END.length - length + at);
    program.jump(JUMP_EQUAL, word(END.slice(at, at + size)), { no: next });
    at += size;
  }
  if (length === 1) {
    program.put(LOAD_BYTE_AT_X, END.length - 2);
    for (const end of FIELD_ENDS) program.jump(JUMP_EQUAL, word(end), { yes: next });
  }
  program.put(LOAD_NUMBER, length);
  program.put(KEEP, UNWANTED);
  program.go('leave out');
  program.label(next);
}

/** Takes the segment without its unwanted end, unless the request line is whole. A load past the segment's end would drop it, so the length is compared before each load. */
function leaveOut(program: Program): void {
  program.label('leave out');
  program.put(KEPT_TO_X, UNWANTED);
  program.put(LOAD_KEPT, SEGMENT);
  program.put(SUBTRACT_X);
  program.put(KEPT_TO_X, HEADER);
  program.put(SUBTRACT_X);
  program.put(KEEP, BEFORE);
  for (let at = VERBS[0]!.length; at < LOOKED_AT; at++) {
    program.put(LOAD_KEPT, BEFORE);
    program.jump(JUMP_AT_LEAST, at + 1, { no: 'unfinished' });
    program.put(LOAD_BYTE_AT_X, at);
    program.jump(JUMP_EQUAL, CR, { yes: 'finished' });
  }
  program.label('unfinished');
  program.put(KEPT_TO_X, UNWANTED);
  program.put(LOAD_KEPT, SEGMENT);
  program.put(SUBTRACT_X);
  program.put(RETURN_A);
  program.label('finished');
  program.put(RETURN, WHOLE);
}

/** Attaches the filter to the listener of a port; accepted connections inherit it. False, without effect, where the system has no such filter. */
export async function keepHeadsWhole(port: number): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const attach = await attaching();
  const program = new Program();
  keepHeads(program);
  const listeners = await listeningOn(port);
  return listeners.every((fd) => attach(fd, program.bytes()));
}
