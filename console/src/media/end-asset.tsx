/** The end of a file, behind its name that is typed. */
import { useMutation } from '@tanstack/react-query';
import { files, type Asset } from '@skep/client';
import { AskedAct } from '../parts/asked-act.tsx';
import { Fault } from '../parts/fault.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';

interface EndAssetProps {
  readonly store: string;
  readonly of: Asset;
  readonly onGone: () => void;
}

export function EndAsset({ store, of: { id, name }, onGone }: EndAssetProps) {
  const { media: words } = useWords();
  const { skep } = usePlace();
  const end = useMutation({ mutationFn: () => files(skep, store).delete(id), onSuccess: onGone });
  return (
    <>
      {end.error !== null && <Fault error={end.error} again={() => end.reset()} />}
      <AskedAct
        act={words.end}
        how={words.endSure}
        name={name}
        label={words.typedName}
        isTyped={(typed) => typed === name}
        isPending={end.isPending}
        run={() => end.mutateAsync()}
        reset={() => end.reset()}
      />
    </>
  );
}
