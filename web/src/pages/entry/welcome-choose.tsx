import { Button } from '@mantine/core';
import { useState } from 'react';
import { addBot, botsQuery } from '../../api/bots.ts';
import type { Bot } from '../../api/client/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { ErrorBox } from '../../shared/error-box.tsx';
import { isShownAtFields } from '../../shared/error-words.ts';
import { useAction } from '../../shared/use-action.ts';
import { PollingChoice } from '../bots/settings/polling-choice.tsx';
import { usePracticeBot } from '../bots/practice-bot.ts';
import { TokenField, useTokenCheck } from '../bots/settings/token-field.tsx';
import css from './entry.module.css';

export function ChooseBot(props: { onBot: (bot: Bot) => void }) {
  const { welcome, bots } = useT();
  const [token, setToken] = useState('');
  const [polls, setPolls] = useState(false);
  const tokenCheck = useTokenCheck(token);
  const practice = usePracticeBot(props.onBot);
  const add = useAction({
    run: addBot,
    quiet: true,
    refreshes: [botsQuery.queryKey],
    done: (bot) => props.onBot(bot),
  });
  // Another token is a new attempt.
  const refused = add.variables?.token === token.trim() ? add.error : null;
  return (
    <div className={css.choice}>
      <div className={css.option}>
        <h3>{welcome.practiceTitle}</h3>
        <p>{welcome.practiceHint}</p>
        <Button mt="auto" loading={practice.isPending} onClick={() => practice.mutate(undefined)}>
          {welcome.practiceButton}
        </Button>
      </div>
      <div className={css.option}>
        <h3>{welcome.realTitle}</h3>
        <p>{welcome.realHint}</p>
        <TokenField value={token} onChange={setToken} refused={refused} />
        <PollingChoice checked={polls} onChange={setPolls} />
        {refused && !isShownAtFields(refused, ['token']) ? <ErrorBox error={refused} /> : null}
        <Button
          variant="default"
          loading={add.isPending}
          disabled={!tokenCheck.data?.valid}
          onClick={() =>
            add.mutate({
              token: token.trim(),
              manage_enabled: true,
              long_poll_enabled: polls,
              ...(tokenCheck.data?.name ? { name: tokenCheck.data.name } : {}),
            })
          }
        >
          {bots.add}
        </Button>
      </div>
    </div>
  );
}
