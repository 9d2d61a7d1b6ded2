import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { llmConfigQuery } from '../../api/routing.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Loaded } from '../../shared/loaded.tsx';
import { Panel } from '../../ui/page.tsx';
import { RowsSkeleton } from '../../ui/page-skeleton.tsx';
import { State } from '../../ui/state.tsx';

const LlmForm = lazy(async () => ({ default: (await import('./llm-form.tsx')).LlmForm }));

/** Shows whether a model is used; its form opens when asked for. */
export function LlmSettings(props: { canTry: boolean }) {
  const { common, model } = useT();
  const [isOpen, setOpen] = useState(false);
  const query = useQuery(llmConfigQuery);
  const skeleton = <RowsSkeleton rows={1} />;
  return (
    <Panel
      title={model.title}
      hint={model.hint}
      actions={
        isOpen ? null : (
          <Button
            variant="default"
            aria-label={common.labelled(common.edit, model.title)}
            onClick={() => setOpen(true)}
          >
            {common.edit}
          </Button>
        )
      }
    >
      <Loaded query={query} skeleton={skeleton}>
        {(config) =>
          isOpen ? (
            <Suspense fallback={skeleton}>
              <LlmForm config={config} canTry={props.canTry} />
            </Suspense>
          ) : (
            <State tone={config.enabled ? 'ok' : 'idle'}>
              {config.enabled ? config.model || common.on : common.off}
            </State>
          )
        }
      </Loaded>
    </Panel>
  );
}
