/** The page before there is a login: by the link that `npm start` prints, or by password and second factor. */
import { Alert, Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { isSkepError } from '@skep/client';
import { useEffect, useState } from 'react';
import type { FormEvent } from 'react';
import { useWords } from '../words/words.tsx';
import type { Words } from '../words/en.ts';
import { enterBy, skep } from './session.ts';

export function LogInPage({ code }: { readonly code: string | null }) {
  const { logIn } = useWords();
  const [isEntering, setEntering] = useState(code !== null);
  const [wantsOtp, setWantsOtp] = useState(false);
  const [fault, setFault] = useState<string | null>(null);

  useEffect(() => {
    if (code === null) return;
    enterBy(code).catch((error: unknown) => {
      setFault(isSkepError(error, 'invalid_credentials') ? logIn.over : faultOf(error, logIn));
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
    const otp = text('otp');
    setEntering(true);
    setFault(null);
    try {
      await skep.auth.login({ login: text('login'), password: text('password'), ...(otp !== '' && { otp }) });
    } catch (error) {
      if (isSkepError(error, 'mfa_required')) setWantsOtp(true);
      setFault(secondStep(error, logIn) ?? faultOf(error, logIn));
      setEntering(false);
    }
  };

  return (
    <Stack component="main" align="center" p="md" pt="10vh">
      <Paper withBorder p="lg" w="100%" maw={380} component="form" onSubmit={(event) => void submit(event)}>
        <Stack gap="sm">
          <Title order={1}>{logIn.title}</Title>
          <Text c="dimmed">{logIn.lead}</Text>
          {fault !== null && (
            <Alert color="red" variant="outline" role="alert">
              <Text c="var(--mantine-color-text)">{fault}</Text>
            </Alert>
          )}
          {isEntering && code !== null && <Text role="status">{logIn.entering}</Text>}
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
        </Stack>
      </Paper>
    </Stack>
  );
}

/** What to say where only the second factor is missing; null for any other fault. */
function secondStep(error: unknown, { otpWanted, passkey }: Words['logIn']): string | null {
  if (!isSkepError(error, 'mfa_required')) return null;
  return 'publicKey' in error.details ? passkey : otpWanted;
}

function faultOf(error: unknown, logIn: Words['logIn']): string {
  if (!isSkepError(error)) return String(error);
  if (error.code === 'invalid_credentials') return logIn.wrong;
  if (error.status === 429) return logIn.tooMany;
  return `${error.message} (${error.code})`;
}
