/** A new document, which begins in the default language of its app and as a draft. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Panel } from '../parts/panel.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { Denied } from './denied.tsx';
import { DocumentForm } from './document-form.tsx';
import { ContentHead } from './head.tsx';
import { documentPath } from './paths.ts';
import { appsOf, typeOf } from './queries.ts';
import { idOf } from './shapes.ts';

export function NewPage() {
  const { content: words } = useWords();
  const place = usePlace();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { app: name, type: typeName } = useParams({
    from: '/at/$customer/$product/$env/$tenant/content/$app/$type/new',
  });
  const apps = useQuery(appsOf(place));
  const type = useQuery(typeOf(place, name, typeName));
  const app = apps.data?.find((one) => one.name === name);
  const error = apps.error ?? type.error;
  return (
    <>
      <ContentHead title={words.add} of={{ app: name, type: typeName }} />
      {error !== null && <Denied error={error} again={() => void Promise.all([apps.refetch(), type.refetch()])} />}
      {app !== undefined && type.data !== undefined && (
        <Panel title={typeName}>
          <DocumentForm
            app={app}
            type={type.data}
            locale={app.locale?.default ?? null}
            id={null}
            part={null}
            onKept={(made) => {
              void queries.invalidateQueries({ queryKey: ['content', 'documents', name, typeName] });
              void navigate({ to: documentPath(place.key, name, typeName, idOf(made)) });
            }}
          />
        </Panel>
      )}
    </>
  );
}
