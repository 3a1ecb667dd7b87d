/** The head of a page of people: the list and the invitations are beside one another. */
import { SectionHead } from '../frame/section-head.tsx';
import { useWords } from '../words/words.tsx';
import { addPath, invitationsPath, peoplePath, rolesPath } from './paths.ts';
import './people.css';

export function PeopleHead() {
  const { section, everyone, roles, add, invitations } = useWords().people;
  return (
    <SectionHead
      section={section}
      pages={[
        [peoplePath, everyone],
        [rolesPath, roles],
        [addPath, add],
        [invitationsPath, invitations],
      ]}
    />
  );
}
