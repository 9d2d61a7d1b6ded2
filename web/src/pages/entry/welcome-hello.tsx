import { Button, Loader, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { botName } from '../../api/bots.ts';
import { chatsOf } from '../../api/chats.ts';
import { onLiveEvent, onLiveOpen } from '../../api/client/live.ts';
import { messagesOf } from '../../api/messages.ts';
import { post } from '../../api/client/client.ts';
import { worldQuery } from '../../api/sandbox.ts';
import type { Bot, Message } from '../../api/client/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { takePhone } from '../../shared/stored/use-phones.ts';
import { useAction } from '../../shared/use-action.ts';
import css from './entry.module.css';
import { withoutReload } from '../../ui/forms/without-reload.ts';

/** A sandbox user writes to the bot; the page then waits for the message like any client. */
export function SayHello(props: {
  bot: Bot;
  onArrived: (arrived: { message: Message; tookMs: number }) => void;
}) {
  const { bot } = props;
  const { welcome } = useT();
  const client = useQueryClient();
  const world = useQuery(worldQuery);
  const isPractice = world.data?.bots.some((one) => one.id === bot.platform_id) ?? false;
  const [text, setText] = useState(welcome.helloText);
  const sentAtMs = useRef<number>(undefined);
  const say = useAction({
    run: async () => {
      const person = world.data?.users[0] ?? (await firstPerson());
      takePhone(person.id);
      void client.invalidateQueries({ queryKey: worldQuery.queryKey });
      sentAtMs.current = performance.now();
      await post('/api/sandbox/say', { body: { user: person.id, chat: bot.platform_id, text } });
    },
  });
  useArrival(bot, sentAtMs, props.onArrived);
  if (world.data && !isPractice) {
    return (
      <p style={{ margin: 0 }}>
        {welcome.helloReal(bot.username ? `@${bot.username}` : botName(bot))}{' '}
        <Waiting words={welcome.waiting} />
      </p>
    );
  }
  return (
    <form onSubmit={withoutReload(() => say.mutate(undefined))} className={css.option}>
      <h3>{welcome.helloTitle(botName(bot))}</h3>
      <p>{welcome.helloHint}</p>
      <div className={css.say} style={{ width: '100%' }}>
        <TextInput
          aria-label={welcome.stepHello}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" loading={say.isPending} disabled={text.trim() === ''}>
          {welcome.helloButton}
        </Button>
      </div>
      {say.isSuccess ? <Waiting words={welcome.waiting} /> : null}
    </form>
  );
}

function Waiting(props: { words: string }) {
  return (
    <span className={css.small} role="status">
      <Loader size={12} /> {props.words}
    </span>
  );
}

function firstPerson() {
  return post('/api/sandbox/users/create', { body: { first_name: 'Ann', username: 'ann' } });
}

/** Waits for the first message of this bot, from anyone. */
function useArrival(
  bot: Bot,
  sentAtMs: { current: number | undefined },
  onArrived: (arrived: { message: Message; tookMs: number }) => void,
): void {
  const onArrivedRef = useRef(onArrived);
  onArrivedRef.current = onArrived;
  useEffect(() => {
    async function look(chatId: number, tookMs: number): Promise<void> {
      const messages = await messagesOf({ bot_id: bot.id, chat_id: chatId, limit: 10 });
      // Another client may have replied already.
      const message = messages.find(({ user_id }) => user_id !== bot.platform_id);
      if (message) onArrivedRef.current({ message, tookMs });
    }
    // While waiting, the message can be sent again.
    const ignore = () => undefined;
    const stopEvents = onLiveEvent(({ type, data }) => {
      if (type !== 'message' || data.bot_id !== bot.id) return;
      const tookMs = sentAtMs.current === undefined ? 0 : performance.now() - sentAtMs.current;
      look(data.chat_id, tookMs).catch(ignore);
    });
    // The message may have arrived before the stream opened; then its time is unknown.
    const stopOpen = onLiveOpen(() => {
      chatsOf({ bot_id: bot.id, q: '', limit: 1 })
        .then(([chat]) => chat && look(chat.chat_id, 0))
        .catch(ignore);
    });
    return () => {
      stopEvents();
      stopOpen();
    };
  }, [bot.id, bot.platform_id, sentAtMs]);
}
