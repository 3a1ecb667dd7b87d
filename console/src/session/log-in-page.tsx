/** The log in at a place: by a link that `npm start` prints, by password and second factor, or by a passkey. */
import { Alert, Anchor, Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { useWords } from '../words/words.tsx';
import type { Words } from '../words/en.ts';
import { homeOf, nameOf } from './position.ts';
import { plane, type Place } from './session.ts';
import { useLogIn } from './use-log-in.ts';

/** Where a person chooses a place. */
const ELSEWHERE = '/log-in';

/** Absent where the page came without TLS from another machine. */
const hasPasskeys = 'PublicKeyCredential' in globalThis;

export function LogInPage({ place }: { readonly place: Place }) {
  const words = useWords();
  const { logIn, places } = words;
  const { pathname } = useLocation();
  const choosesPlace = pathname === ELSEWHERE;
  const { code, fault, step, isEntering, submit, byPasskey } = useLogIn(place, choosesPlace);
  /** Whether a passkey is what is asked for now. */
  const isNext = step !== null && step.publicKey !== null;

  return (
    <Stack component="main" align="center" p="md" pt="10vh">
      <Paper withBorder p="lg" w="100%" maw={380} component="form" onSubmit={submit}>
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
          {step?.takesCode === true && (
            <TextInput name="otp" label={logIn.otp} inputMode="numeric" autoComplete="one-time-code" autoFocus />
          )}
          <Button type="submit" variant={isNext ? 'default' : 'filled'} loading={isEntering}>
            {logIn.submit}
          </Button>
          {hasPasskeys && (choosesPlace || place !== plane) && (
            <Button
              variant={isNext ? 'filled' : 'default'}
              leftSection={<IconFingerprint size={18} aria-hidden />}
              disabled={isEntering}
              onClick={byPasskey}
            >
              {isNext ? logIn.passkeyGoOn : logIn.byPasskey}
            </Button>
          )}
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
