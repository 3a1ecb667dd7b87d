/** The texts in the reader's language: what was chosen before, else what the browser asks for. */
import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import { de } from './de.ts';
import { en, type Words } from './en.ts';

const CATALOGUES = { en, de } as const;
export type Language = keyof typeof CATALOGUES;
export const LANGUAGES: readonly Language[] = ['en', 'de'];

const CHOICE = 'skep console language';

interface Spoken {
  readonly words: Words;
  readonly language: Language;
  readonly speak: (language: Language) => void;
}

const Context = createContext<Spoken>({ words: en, language: 'en', speak: () => undefined });

export const nameOf = (language: Language): string => CATALOGUES[language].language;

export function WordsProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(firstLanguage);
  useEffect(() => void (document.documentElement.lang = language), [language]);
  const spoken = useMemo<Spoken>(
    () => ({
      words: CATALOGUES[language],
      language,
      speak: (chosen) => {
        localStorage.setItem(CHOICE, chosen);
        setLanguage(chosen);
      },
    }),
    [language],
  );
  return <Context value={spoken}>{children}</Context>;
}

export const useWords = (): Words => useContext(Context).words;
export const useLanguage = (): Spoken => useContext(Context);

function firstLanguage(): Language {
  const wanted = localStorage.getItem(CHOICE) ?? navigator.language.slice(0, 2);
  return LANGUAGES.find((language) => language === wanted) ?? 'en';
}
