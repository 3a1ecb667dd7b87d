/** What every address shows: the page in its frame where there is a login at its place, else the log in. */
import { QueryClientProvider } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { LeftNote } from '../acting/banner.tsx';
import { Shell } from '../frame/shell.tsx';
import { LogInPage } from './log-in-page.tsx';
import { placeOf, useIsGoingOn, useOpenPlaces } from './session.ts';

export function Gate() {
  const { pathname } = useLocation();
  const place = placeOf(pathname);
  const isIn = useOpenPlaces().includes(place);
  const isGoingOn = useIsGoingOn(place);
  if (isGoingOn && pathname !== '/log-in') return <main aria-busy="true" />;
  if (!isIn || pathname === '/log-in')
    return (
      <>
        <LeftNote />
        <LogInPage key={place.key} place={place} />
      </>
    );
  return (
    <QueryClientProvider key={`${place.key} ${place.skep.auth.isLoggedIn}`} client={place.queries}>
      <Shell place={place} />
    </QueryClientProvider>
  );
}

/** The place of the page. */
export function usePlace() {
  const { pathname } = useLocation();
  return placeOf(pathname);
}
