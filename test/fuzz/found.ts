/** Inputs that once failed, as short as they could be made: each is tried at each run, and is a seed of its target. */

interface Found {
  readonly target: string;
  /** What was wrong. */
  readonly was: string;
  readonly input: string;
}

const PART = 'multipart/form-data;boundary=XX\n';

export const FOUND: readonly Found[] = [
  {
    target: 'form',
    was: 'a part without a name, cut off: an error that nothing caught ended the thread of intake',
    input: `${PART}--XX\r\nContent-Disposition:form-data;\r\n\r\nA`,
  },
  {
    target: 'multipart',
    was: 'the same on a thread of tenants',
    input: `${PART}--XX\r\nContent-Disposition:form-data;filename="a"\r\n\r\nA`,
  },
  {
    target: 'multipart',
    was: 'an end in front of parts: the body was never answered, and its place among the uploads never given back',
    input: `${PART}aonten\xa4\r\n--XX--\r\n--XX\r\n--XX--\r\n`,
  },
];
