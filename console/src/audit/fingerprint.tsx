/** A key as two people compare it. */
import { useEffect, useState } from 'react';
import { useWords } from '../words/words.tsx';
import { fingerprintOf } from './keys.ts';

export function Fingerprint({ of }: { readonly of: string }) {
  const { audit } = useWords();
  const [text, setText] = useState<string | null>('');
  useEffect(() => {
    let isWanted = true;
    void fingerprintOf(of).then((found) => isWanted && setText(found));
    return () => void (isWanted = false);
  }, [of]);
  return <span className="mono">{text ?? audit.noKey}</span>;
}
