/** `npm run generate:passwords`: packs the most common passwords for the node, out of a list that others keep. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { dictionary } from '@zxcvbn-ts/language-common';
import { limits } from '#config/limits.ts';

const PACKED = fileURLToPath(new URL('../../actors/kit/common-password-list.ts', import.meta.url));

/** Lower case, in order; shorter ones are refused by their length. */
export function commonPasswords(): string[] {
  const long = dictionary['passwords-common'].map((word) => word.toLowerCase());
  return [...new Set(long.filter((word) => word.length >= limits.identity.passwordCharsMin))].toSorted();
}

/** The module: one string, of which a thread unpacks the words at the first password that it judges. */
function packedPasswords(): string {
  const words = commonPasswords();
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  const packed = brotliCompressSync(words.join('\n'), { params }).toString('base64');
  return `/**
 * ${words.length} common passwords of eight characters and more, packed (brotli, base64) by test/kit/pack-passwords.ts out of @zxcvbn-ts/language-common, under
 * the MIT licence:
 *
 * Copyright (c) 2012-2016 Dan Wheeler and Dropbox, Inc.
 * Copyright (c) 2021 @zxcvbn-ts
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the
 * "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish,
 * distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to
 * the following conditions: The above copyright notice and this permission notice shall be included in all copies or substantial portions of
 * the Software. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
 * WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE
 * LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
 * CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
 */
export const PACKED_PASSWORDS =
  '${packed}';
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PACKED, packedPasswords());
