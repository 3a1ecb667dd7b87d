/** A log in that is under way: what was shown, what is asked for next, what went wrong. */
import { isSkepError, logInWithPasskey } from '@skep/client';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState, type FormEvent, type MouseEvent } from 'react';
import { useWords } from '../words/words.tsx';
import { faultOf, secondStepOf, type SecondStep } from './log-in-faults.ts';
import { homeOf, keyOfText } from './position.ts';
import { enterBy, placeAt, spendCode, type Place } from './session.ts';

/** A field of the form, empty where it is not there. */
function textOf(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value : '';
}

/** `choosesPlace`: whether the form names the place in a field. */
export function useLogIn(place: Place, choosesPlace: boolean) {
  const words = useWords();
  const { logIn, places } = words;
  const navigate = useNavigate();
  const [code] = useState(spendCode);
  const [isEntering, setEntering] = useState(code !== null);
  const [step, setStep] = useState<SecondStep | null>(null);
  const [fault, setFault] = useState<string | null>(null);

  useEffect(() => {
    if (code === null) return;
    enterBy(place, code).catch((error: unknown) => {
      setFault(isSkepError(error, 'invalid_credentials') ? logIn.over : faultOf(error, words));
      setEntering(false);
    });
    // A code counts once: another language asks no second time.
  }, [code]);

  /** Logs in at the place that the form names. */
  const enter = async (
    form: HTMLFormElement,
    by: (at: Place, otp: string | undefined) => Promise<void>,
    isPasskey = false,
  ) => {
    const key = choosesPlace ? keyOfText(textOf(form, 'place')) : place.key;
    if (key === null) {
      setFault(places.malformed);
      return;
    }
    const otp = textOf(form, 'otp');
    setEntering(true);
    setFault(null);
    try {
      await by(placeAt(key), otp === '' ? undefined : otp);
      if (choosesPlace) void navigate({ to: homeOf(key) });
    } catch (error) {
      // A challenge counts once: what comes next begins anew, unless the answer has another one.
      setStep((before) => secondStepOf(error) ?? (before && { ...before, publicKey: null }));
      setFault(faultOf(error, words, isPasskey));
      setEntering(false);
    }
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const [login, password] = [textOf(form, 'login'), textOf(form, 'password')];
    void enter(form, ({ skep: { auth } }, otp) => auth.login({ login, password, ...(otp !== undefined && { otp }) }));
  };
  const byPasskey = ({ currentTarget: { form } }: MouseEvent<HTMLButtonElement>): void => {
    const publicKey = step?.publicKey ?? undefined;
    const by = ({ skep }: Place, otp: string | undefined) =>
      logInWithPasskey(skep, { ...(publicKey !== undefined && { publicKey }), ...(otp !== undefined && { otp }) });
    void enter(form!, by, true);
  };
  return { code, fault, step, isEntering, submit, byPasskey };
}
