/** The head of a page of people: the list and the invitations are beside one another. */
import { PageHead } from '../frame/page-head.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { addPath, invitationsPath, peoplePath, rolesPath } from './paths.ts';
import './people.css';

export function PeopleHead() {
  const { people: words } = useWords();
  const { key } = usePlace();
  return (
    <PageHead
      title={words.section}
      label={words.section}
      beside={[
        { to: peoplePath(key), label: words.everyone },
        { to: rolesPath(key), label: words.roles },
        { to: addPath(key), label: words.add },
        { to: invitationsPath(key), label: words.invitations },
      ]}
    />
  );
}
