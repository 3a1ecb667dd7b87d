/** The head of a page of forms: one form has the list beside it. */
import { PageHead } from '../frame/page-head.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { formPath, formsPath } from './paths.ts';
import './forms.css';

export function FormsHead({ form }: { readonly form?: string }) {
  const { forms: words } = useWords();
  const { key } = usePlace();
  const beside =
    form === undefined
      ? []
      : [
          { to: formsPath(key), label: words.all },
          { to: formPath(key, form), label: form },
        ];
  return <PageHead title={form ?? words.section} label={words.section} beside={beside} />;
}
