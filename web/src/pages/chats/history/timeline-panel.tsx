import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { botName, botsQuery, namesOf } from '../../../api/bots.ts';
import type { Bot } from '../../../api/client/types.ts';
import { replay } from '../../../api/deliveries.ts';
import { watchAttempts } from '../../../api/follow-attempts.ts';
import { routesQuery } from '../../../api/routes.ts';
import { retryQueue, type Step, type StepAction, timelineQuery } from '../../../api/timeline.ts';
import { reasonWords } from '../../../i18n/reasons.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { ErrorBox } from '../../../shared/error-box.tsx';
import { sendErrorWords } from '../../../shared/error-words.ts';
import { SendAgain } from '../../../shared/send-again.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { useChatNames } from '../../../shared/use-chat-names.ts';
import { useRetryToast } from '../../../shared/use-retried.ts';
import { useMay } from '../../../shared/use-session.ts';
import { Icon, type IconName } from '../../../ui/icon.tsx';
import { LinkButton } from '../../../ui/link-button.tsx';
import { SidePanel } from '../../../ui/side-panel.tsx';
import panelCss from '../person.module.css';
import css from '../timeline.module.css';

/** Where a message went, step by step, with what can be done about each. */
export function TimelinePanel(props: {
  bot: Bot;
  chatId: number;
  messageId: number;
  onClose: () => void;
}) {
  const { bot, chatId, messageId } = props;
  const { timeline } = useT();
  const query = useQuery(timelineQuery({ bot_id: bot.id, chat_id: chatId }, messageId));
  const data = query.data;
  const say = useSay(data?.steps ?? []);
  return (
    <SidePanel label={timeline.title} closeLabel={timeline.hide} onClose={props.onClose}>
      <h2 className={panelCss.threadTitle}>{timeline.title}</h2>
      <p className={panelCss.small} role="status">
        {data ? timeline.means[data.mark] : ''}
      </p>
      {query.isPending ? <Skeleton height={160} radius={12} /> : null}
      {query.isError ? <ErrorBox error={query.error} onRetry={() => void query.refetch()} /> : null}
      <ol className={css.steps}>
        {data?.steps.map((step, index) => (
          <StepLine key={index} step={step} bot={bot} say={say} />
        ))}
      </ol>
    </SidePanel>
  );
}

/** Says steps with the names of bots, chats and routes in place of their IDs. */
function useSay(steps: readonly Step[]): (step: Step) => string {
  const { reasons } = useT();
  const bots = useQuery(botsQuery).data ?? [];
  const asksRoutes = steps.some(({ kind }) => kind === 'route');
  const maySee = useMay('bots', 'read');
  const routes = useQuery({ ...routesQuery, enabled: asksRoutes && maySee }).data ?? [];
  const titleOf = useChatNames(steps.flatMap(({ target }) => target?.bot_id ?? []));
  const botOf = namesOf(bots);
  const names: Record<string, (id: number) => string | undefined> = {
    bot_id: botOf,
    chat_id: titleOf,
    route_id: (id) => routes.find((route) => route.id === id)?.description || undefined,
  };
  return ({ detail, text }) => {
    if (!detail) return text;
    const params = Object.entries(detail.params).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'number' ? (names[name]?.(value) ?? value) : value,
    ]);
    return reasonWords(text, { ...detail, params: Object.fromEntries(params) as object }, reasons);
  };
}

const icons: Record<Step['state'], IconName> = {
  done: 'dash',
  delivered: 'check',
  waiting: 'clock',
  failed: 'warn',
  removed: 'trash',
};

function StepLine(props: { step: Step; bot: Bot; say: (step: Step) => string }) {
  const { bot, step } = props;
  const t = useT();
  const format = useFormat();
  const { action, at, target, why } = step;
  // The time of the next attempt; other steps have the time since which they wait.
  const isAhead = step.kind === 'delivery' && step.state === 'waiting';
  return (
    <li className={css.step} data-state={step.state}>
      <span className={css.icon} role="img" aria-label={t.timeline.states[step.state]}>
        <Icon name={icons[step.state]} size={15} />
      </span>
      <span>{props.say(step)}</span>
      {why ? <span className={css.sub}>{sendErrorWords(why.text, why.detail, t)}</span> : null}
      {at === '' ? null : (
        <time className={css.sub} dateTime={at} title={format.dateTime(at)}>
          {isAhead ? t.timeline.next(format.dateTime(at)) : format.dateTime(at)}
        </time>
      )}
      {target || action ? (
        <span className={css.acts}>
          {target ? (
            <Link
              to="/chats/$botId/$chatId"
              params={{ botId: String(target.bot_id), chatId: String(target.chat_id) }}
              search={{ message: target.message_id, timeline: target.message_id }}
              preload={false}
            >
              {t.common.showMessage}
            </Link>
          ) : null}
          {action ? <Act action={action} bot={bot} step={step} /> : null}
        </span>
      ) : null}
    </li>
  );
}

function Act(props: { action: StepAction; bot: Bot; step: Step }) {
  const { action, bot, step } = props;
  const { timeline } = useT();
  const may = useMay('bots', 'manage');
  const maySee = useMay('bots', 'read');
  const { type, route_id, send_id } = action;
  if (type === 'edit_route') {
    if (!maySee) return null;
    return (
      <LinkButton size="compact-sm" variant="light" to="/routes" search={{ route: route_id ?? 0 }}>
        {timeline.showRoute}
      </LinkButton>
    );
  }
  if (type === 'send_again') {
    const { state } = (step.detail?.params ?? {}) as { state?: string };
    return (
      <SendAgain
        id={send_id ?? 0}
        botId={bot.id}
        state={state === 'unknown' ? 'unknown' : 'failed'}
      />
    );
  }
  return may ? <Retry action={action} bot={bot} /> : null;
}

/** Tries a delivery at once and reports what the backend answered. */
function Retry(props: { action: StepAction; bot: Bot }) {
  const { bot } = props;
  const { app = '', dead_letter_id, queue } = props.action;
  const { deliveries, timeline } = useT();
  const sayRetried = useRetryToast(botName(bot));
  const retry = useAction({
    run: () =>
      watchAttempts(bot.id, app, async () =>
        dead_letter_id === undefined
          ? (await retryQueue(bot.id, app, queue ?? '')).queues
          : (await replay({ bot_id: bot.id, app, ids: [dead_letter_id] })).queued,
      ),
    refreshes: [
      ['timeline', bot.id],
      ['deliveries', bot.id],
    ],
    done: sayRetried,
  });
  return (
    <Button
      size="compact-sm"
      variant="light"
      loading={retry.isPending}
      onClick={() => retry.mutate(undefined)}
    >
      {dead_letter_id === undefined ? timeline.retry : deliveries.replayOne}
    </Button>
  );
}
