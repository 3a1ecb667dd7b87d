/** As whom an operator acts here, why and until when: above every page of the place, and nothing hides it. */
import { Button, Text } from '@mantine/core';
import { IconEyeglass } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { nameOf } from '../session/position.ts';
import type { Place } from '../session/session.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { end, forgetLeft, useActing, useLeft } from './acting.ts';
import './acting.css';

export function ActingBanner({ place }: { readonly place: Place }) {
  const { acting: words } = useWords();
  const { moment } = useFigures();
  const acting = useActing(place);
  const [isEnding, setEnding] = useState(false);
  useEffect(() => {
    if (acting === null) return;
    setEnding(false);
    const timer = setTimeout(() => void end(place), acting.until - Date.now());
    return () => clearTimeout(timer);
  }, [acting, place]);
  if (acting === null) return null;
  const stop = (): void => {
    setEnding(true);
    void end(place);
  };
  return (
    <section className="acting" aria-label={words.title} data-mode={acting.mode}>
      <IconEyeglass size={20} aria-hidden />
      <Text size="sm" className="acting-text">
        <b>{words.as(acting.user)}</b> · {words.modes[acting.mode]} · {words.because} {words.quoted(acting.reason)} ·{' '}
        {words.since} {moment(new Date(acting.since).toISOString())} · {words.until}{' '}
        {moment(new Date(acting.until).toISOString())}
      </Text>
      <Button size="xs" color="dark" loading={isEnding} onClick={stop}>
        {words.end}
      </Button>
    </section>
  );
}

/** That a page was left which acted for a person. */
export function LeftNote() {
  const { acting: words } = useWords();
  const { moment } = useFigures();
  const left = useLeft();
  if (left === null) return null;
  return (
    <section className="acting" aria-label={words.title} data-left>
      <IconEyeglass size={20} aria-hidden />
      <Text size="sm" className="acting-text">
        {words.left(left.user, nameOf(left.tenant), moment(new Date(left.until).toISOString()))}
      </Text>
      <Button size="xs" color="dark" onClick={forgetLeft}>
        {words.understood}
      </Button>
    </section>
  );
}
