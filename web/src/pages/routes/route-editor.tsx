import { Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { botName } from '../../api/bots.ts';
import {
  addRoute,
  deleteRoute,
  type NewRoute,
  routesQuery,
  updateRoute,
  withoutId,
} from '../../api/routes.ts';
import type { Bot, Route } from '../../api/client/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { FormEnd } from '../../shared/form-end.tsx';
import { DraftDialog } from '../../ui/forms/draft-dialog.tsx';
import { fieldProblem, isShownAtFields } from '../../shared/error-words.ts';
import { useAction } from '../../shared/use-action.ts';
import { useChatNames } from '../../shared/use-chat-names.ts';
import { useFormError } from '../../shared/use-form-error.ts';
import { useWrongField } from '../../ui/forms/use-wrong-field.ts';
import { ChatField } from '../../shared/chat-field.tsx';
import { TopicField } from '../../shared/topic-field.tsx';
import { ConditionFields } from './condition-fields.tsx';
import { emptyRoute } from './empty-route.ts';
import { NewTarget } from './new-target.tsx';
import { RouteWarning } from './route-warning.tsx';
import { routeNames } from './route-names.ts';
import { routeWords } from './route-words.ts';
import css from './routes.module.css';
import { withoutReload } from '../../ui/forms/without-reload.ts';

export function RouteEditor(props: {
  bots: Bot[];
  route: Route | undefined;
  opened: boolean;
  onClose: () => void;
}) {
  const t = useT();
  const [isChanged, setChanged] = useState(false);
  function close(): void {
    setChanged(false);
    props.onClose();
  }
  return (
    <DraftDialog
      opened={props.opened}
      isChanged={isChanged}
      onClose={close}
      title={props.route ? t.routes.editTitle : t.routes.addTitle}
      size="lg"
    >
      <EditorForm
        bots={props.bots}
        route={props.route}
        onChanged={() => setChanged(true)}
        onDone={close}
      />
    </DraftDialog>
  );
}

function EditorForm(props: {
  bots: Bot[];
  route: Route | undefined;
  onChanged: () => void;
  onDone: () => void;
}) {
  const { bots, route } = props;
  const t = useT();
  const [draft, setDraft] = useState<NewRoute>(() => (route ? withoutId(route) : emptyRoute(bots)));
  function change(next: (before: NewRoute) => NewRoute): void {
    setDraft(next);
    props.onChanged();
  }
  const set = (part: Partial<NewRoute>) => change((before) => ({ ...before, ...part }));
  const takeBack = useAction({
    run: (saved: Route) =>
      route ? updateRoute({ ...withoutId(route), id: route.id }) : deleteRoute(saved.id),
    refreshes: [routesQuery.queryKey],
  });
  const save = useAction({
    run: (body: NewRoute) => (route ? updateRoute({ ...body, id: route.id }) : addRoute(body)),
    quiet: true,
    refreshes: [routesQuery.queryKey],
    done: (saved) => {
      props.onDone();
      return { words: t.routes.saved, undo: () => takeBack.mutate(saved) };
    },
  });
  // The value belongs to a type, so a change of the type also counts as a change of the value.
  const condition_value = [draft.condition_type, draft.condition_value];
  const error = useFormError(save.error, { ...draft, condition_value });
  const problem = (field: string) => fieldProblem(error, field, t);
  const titleOf = useChatNames([draft.source_bot_id, draft.target_bot_id]);
  const botOf = (id: number) => bots.find((bot) => bot.id === id);
  const target = botOf(draft.target_bot_id);
  const botData = bots.map((bot) => ({ value: String(bot.id), label: botName(bot) }));

  // For the API, a route without a chat targets the same chat; in the form this must be chosen.
  const isOpen = draft.action !== 'drop' && draft.target_chat_id === undefined;
  const [timesAsked, setTimesAsked] = useState(0);
  const isMissing = timesAsked > 0 && isOpen;
  const destination = isMissing ? t.routes.targetChatNeeded : problem('target_chat_id');
  const form = useWrongField(isMissing ? timesAsked : save.error);

  function onSubmit(): void {
    if (isOpen) setTimesAsked((before) => before + 1);
    else save.mutate(draft);
  }
  return (
    <form ref={form} className={css.form} onSubmit={withoutReload(onSubmit)} noValidate>
      <Select
        label={t.routes.source}
        data={botData}
        allowDeselect={false}
        value={String(draft.source_bot_id)}
        error={problem('source_bot_id')}
        onChange={(value) => set({ source_bot_id: Number(value) })}
      />
      <ConditionFields
        draft={draft}
        source={botOf(draft.source_bot_id)}
        problem={problem('condition_value')}
        onChange={set}
      />
      <Select
        label={t.routes.action}
        data={Object.entries(t.routes.actions).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        value={draft.action}
        onChange={(value) => set({ action: value as NewRoute['action'] })}
      />
      {draft.action === 'drop' ? null : (
        <TargetFields
          draft={draft}
          target={target}
          botData={botData}
          problem={problem}
          wrongChat={destination}
          onChange={change}
        />
      )}
      {target && isOpen ? (
        <NewTarget bot={target} onMade={(id) => change((before) => withTarget(before, id))} />
      ) : null}
      <RouteWarning draft={draft} target={target} />
      {draft.action === 'drop' ? null : (
        <Select
          label={t.routes.returnPath}
          data={Object.entries(t.routes.returnModes).map(([value, label]) => ({ value, label }))}
          allowDeselect={false}
          value={draft.return_mode ?? 'reply'}
          error={problem('return_mode')}
          onChange={(value) => set({ return_mode: value as 'reply' })}
        />
      )}
      <div className={css.pair}>
        <ChatField
          label={t.routes.sourceChat}
          hint={t.routes.sourceChatHint}
          bot={botOf(draft.source_bot_id)}
          value={draft.source_chat_id ?? 0}
          error={problem('source_chat_id')}
          onChange={(id) => set({ source_chat_id: id ?? 0, source_thread_id: 0 })}
        />
        <TopicField
          label={t.topics.source}
          zero={t.topics.any}
          bot={botOf(draft.source_bot_id)}
          chatId={draft.source_chat_id ?? 0}
          value={draft.source_thread_id ?? 0}
          error={problem('source_thread_id')}
          onChange={(id) => set({ source_thread_id: id })}
        />
        <TextInput
          label={t.routes.note}
          description={t.routes.noteHint}
          maxLength={4096}
          value={draft.description ?? ''}
          error={problem('description')}
          onChange={(event) => set({ description: event.currentTarget.value })}
        />
      </div>
      <div className={css.words} aria-live="polite">
        <div className={css.wordsTitle}>{t.routes.inWords}</div>
        {routeWords(draft, routeNames(t, { bots, routes: [], titleOf }), t)}
      </div>
      <FormEnd
        submit={t.common.save}
        error={isShownAtFields(error, fieldsOf(draft)) ? undefined : error}
        busy={save.isPending}
      />
    </form>
  );
}

function TargetFields(props: {
  draft: NewRoute;
  target: Bot | undefined;
  botData: { value: string; label: string }[];
  problem: (field: string) => string | undefined;
  wrongChat: string | undefined;
  onChange: (next: (before: NewRoute) => NewRoute) => void;
}) {
  const { draft, target, problem, onChange } = props;
  const t = useT();
  const set = (part: Partial<NewRoute>) => onChange((before) => ({ ...before, ...part }));
  return (
    <div className={css.pair}>
      <Select
        label={t.routes.target}
        data={props.botData}
        allowDeselect={false}
        value={String(draft.target_bot_id)}
        error={problem('target_bot_id')}
        onChange={(value) => set({ target_bot_id: Number(value) })}
      />
      <ChatField
        label={t.routes.targetChat}
        hint={
          target?.manage_enabled === false ? t.routes.targetChatsHidden : t.routes.targetChatHint
        }
        bot={target}
        zero={t.routes.sameChat}
        required
        value={draft.target_chat_id}
        error={props.wrongChat}
        onChange={(id) => onChange((before) => withTarget(before, id))}
      />
      <TopicField
        label={t.topics.target}
        zero={t.topics.noTopic}
        bot={target}
        chatId={draft.target_chat_id ?? 0}
        value={draft.target_thread_id ?? 0}
        error={problem('target_thread_id')}
        onChange={(id) => set({ target_thread_id: id })}
      />
    </div>
  );
}

/** Sets the chat; a chat that is not chosen yet is left out. */
function withTarget(draft: NewRoute, chatId: number | undefined): NewRoute {
  const { target_chat_id: before, ...rest } = draft;
  const topic = before === chatId ? (draft.target_thread_id ?? 0) : 0;
  const moved = { ...rest, target_thread_id: topic };
  return chatId === undefined ? moved : { ...moved, target_chat_id: chatId };
}

/** The fields of the form, and their problems. */
function fieldsOf(draft: NewRoute): string[] {
  const always = ['source_bot_id', 'source_chat_id', 'source_thread_id', 'description'];
  const ends =
    draft.action === 'drop'
      ? []
      : ['target_bot_id', 'target_chat_id', 'target_thread_id', 'return_mode'];
  const hasValue = (draft.condition_type || 'all') !== 'all';
  return [...always, ...ends, ...(hasValue ? ['condition_value'] : [])];
}
