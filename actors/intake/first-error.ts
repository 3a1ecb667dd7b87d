/** Passes on the first error only: LMDB's environment and the writer both report a failed commit. */
export function firstError(tell: (error: Error) => void): (error: Error) => void {
  let told = false;
  return (error) => {
    if (!told) tell(error);
    told = true;
  };
}
