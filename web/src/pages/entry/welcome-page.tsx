import { type ReactNode, useState } from 'react';
import { botName } from '../../api/bots.ts';
import type { Bot, Message } from '../../api/client/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page } from '../../ui/page.tsx';
import css from './entry.module.css';
import { Arrived } from './welcome-arrived.tsx';
import { ChooseBot } from './welcome-choose.tsx';
import { SayHello } from './welcome-hello.tsx';
import { LinkButton } from '../../ui/link-button.tsx';

/** Leads a new user to a first delivered message. */
export function WelcomePage() {
  const { welcome } = useT();
  const [bot, setBot] = useState<Bot>();
  const [arrived, setArrived] = useState<{ message: Message; tookMs: number }>();
  return (
    <Page
      title={welcome.title}
      lead={welcome.lead}
      actions={
        arrived ? null : (
          <LinkButton to="/" variant="subtle" color="gray">
            {welcome.skip}
          </LinkButton>
        )
      }
    >
      <ol className={css.steps} style={{ padding: 0, margin: 0, listStyle: 'none' }}>
        <Step number={1} title={welcome.stepBot} state={bot ? 'done' : 'now'}>
          {bot ? <span>{botName(bot)}</span> : <ChooseBot onBot={setBot} />}
        </Step>
        <Step
          number={2}
          title={welcome.stepHello}
          state={bot ? (arrived ? 'done' : 'now') : 'later'}
        >
          {bot && !arrived ? <SayHello bot={bot} onArrived={setArrived} /> : null}
        </Step>
        <Step number={3} title={welcome.stepArrived} state={arrived ? 'done' : 'later'}>
          {bot && arrived ? <Arrived bot={bot} {...arrived} /> : null}
        </Step>
      </ol>
    </Page>
  );
}

function Step(props: {
  number: number;
  title: string;
  state: 'done' | 'now' | 'later';
  children: ReactNode;
}) {
  return (
    <li
      className={css.step}
      data-state={props.state}
      aria-current={props.state === 'now' ? 'step' : undefined}
    >
      <span className={css.mark}>
        {props.state === 'done' ? <Icon name="check" /> : props.number}
      </span>
      <div>
        <h2 className={css.stepTitle}>{props.title}</h2>
        {props.children}
      </div>
    </li>
  );
}
