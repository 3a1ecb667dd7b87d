/** The log in at a place: by a link that `npm start` prints, or by password and second factor. */
import { Alert, Anchor, Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { isSkepError } from '@skep/client';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { FormEvent } from 'react';
import { useWords } from '../words/words.tsx';
import type { Words } from '../words/en.ts';
import { homeOf, keyOfText, nameOf } from './position.ts';
import { enterBy, placeAt, plane, spendCode } from './session.ts';
import type { Place } from './session.ts';

/** Where a person chooses a place. */
const ELSEWHERE = '/log-in';

export function LogInPage({ place }: { readonly place: Place }) {
  const { logIn, places } = useWords();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const [code] = useState(spendCode);
  const [isEntering, setEntering] = useState(code !== null);
  const [wantsOtp, setWantsOtp] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const choosesPlace = pathname === ELSEWHERE;

  useEffect(() => {
    if (code === null) return;
    enterBy(place, code).catch((error: unknown) => {
      setFault(isSkepError(error, 'invalid_credentials') ? logIn.over : faultOf(error, logIn, places));
      setEntering(false);
    });
    // A code counts once: another language asks no second time.
  }, [code]);

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string): string => {
      const value = form.get(name);
      return typeof value === 'string' ? value : '';
    };
    const key = choosesPlace ? keyOfText(text('place')) : place.key;
    if (key === null) {
      setFault(places.malformed);
      return;
    }
    const otp = text('otp');
    setEntering(true);
    setFault(null);
    try {
      const { auth } = placeAt(key).skep;
      await auth.login({ login: text('login'), password: text('password'), ...(otp !== '' && { otp }) });
      if (choosesPlace) void navigate({ to: homeOf(key) });
    } catch (error) {
      if (isSkepError(error, 'mfa_required')) setWantsOtp(true);
      setFault(secondStep(error, logIn) ?? faultOf(error, logIn, places));
      setEntering(false);
    }
  };

  return (
    <Stack component="main" align="center" p="md" pt="10vh">
      <Paper withBorder p="lg" w="100%" maw={380} component="form" onSubmit={(event) => void submit(event)}>
        <Stack gap="sm">
          <Title order={1}>{choosesPlace ? places.elsewhere : titleOf(place, logIn, places)}</Title>
          <Text c="dimmed">{logIn.lead}</Text>
          {fault !== null && (
            <Alert color="red" variant="outline" role="alert">
              <Text c="var(--mantine-color-text)">{fault}</Text>
            </Alert>
          )}
          {isEntering && code !== null && <Text role="status">{logIn.entering}</Text>}
          {choosesPlace && (
            <TextInput
              name="place"
              label={places.tenant}
              description={places.tenantHow}
              placeholder="customer/product/env/tenant"
              autoCapitalize="none"
              spellCheck={false}
              required
            />
          )}
          <TextInput name="login" label={logIn.login} type="email" autoComplete="username" required />
          <PasswordInput
            name="password"
            label={logIn.password}
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-hidden': true }}
            required
          />
          {wantsOtp && (
            <TextInput name="otp" label={logIn.otp} inputMode="numeric" autoComplete="one-time-code" autoFocus />
          )}
          <Button type="submit" loading={isEntering}>
            {logIn.submit}
          </Button>
          {!choosesPlace && (
            <Anchor component={Link} to={ELSEWHERE} size="sm" c="var(--mantine-color-text)" underline="always">
              {places.atTenant}
            </Anchor>
          )}
          {(choosesPlace || place !== plane) && (
            <Anchor component={Link} to={homeOf(plane.key)} size="sm" c="var(--mantine-color-text)" underline="always">
              {places.atPlane}
            </Anchor>
          )}
        </Stack>
      </Paper>
    </Stack>
  );
}

const titleOf = (place: Place, logIn: Words['logIn'], places: Words['places']): string =>
  place === plane ? logIn.title : `${places.logInAt} ${nameOf(place.key)}`;

/** What to say where only the second factor is missing; null for any other fault. */
function secondStep(error: unknown, { otpWanted, passkey }: Words['logIn']): string | null {
  if (!isSkepError(error, 'mfa_required')) return null;
  return 'publicKey' in error.details ? passkey : otpWanted;
}

function faultOf(error: unknown, logIn: Words['logIn'], places: Words['places']): string {
  if (!isSkepError(error)) return String(error);
  if (error.code === 'invalid_credentials') return logIn.wrong;
  if (error.status === 429) return logIn.tooMany;
  if (error.status === 404) return places.operatorsOnly;
  if (error.status === 400) return places.noTenant;
  return `${error.message} (${error.code})`;
}
