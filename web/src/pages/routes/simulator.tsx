import { Button, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { botName } from '../../api/bots.ts';
import { simulateRoutes } from '../../api/routes.ts';
import type { AnyReason } from '../../../../src/core/reasons/shape.ts';
import type { Bot } from '../../api/client/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { ErrorBox } from '../../shared/error-box.tsx';
import { Panel } from '../../ui/page.tsx';
import { State } from '../../ui/state.tsx';
import { useAction } from '../../shared/use-action.ts';
import { Warning } from '../../ui/feedback/warning.tsx';
import type { RouteNames } from './route-names.ts';
import css from './routes.module.css';
import { withoutReload } from '../../ui/forms/without-reload.ts';

/** Shows which route would match a message, and why the others would not. */
export function Simulator(props: { bots: Bot[]; names: RouteNames }) {
  const { bots } = props;
  const { routes } = useT();
  const [botId, setBotId] = useState(String(bots[0]?.id ?? ''));
  const [text, setText] = useState(routes.simulatorExample);
  const run = useAction({ run: simulateRoutes, quiet: true });
  return (
    <Panel title={routes.simulator} hint={routes.simulatorHint}>
      <form
        className={css.simulator}
        onSubmit={withoutReload(() => run.mutate({ bot_id: Number(botId), text }))}
      >
        <Select
          label={routes.source}
          allowDeselect={false}
          data={bots.map((bot) => ({ value: String(bot.id), label: botName(bot) }))}
          value={botId}
          onChange={(value) => setBotId(value ?? '')}
        />
        <TextInput
          label={routes.simulatorText}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" loading={run.isPending}>
          {routes.simulate}
        </Button>
      </form>
      {run.error ? <ErrorBox error={run.error} /> : null}
      {run.data ? <Outcome outcome={run.data} names={props.names} /> : null}
    </Panel>
  );
}

function Outcome(props: {
  outcome: Awaited<ReturnType<typeof simulateRoutes>>;
  names: RouteNames;
}) {
  const { model, outcome, reason, rules, target_bot_id, warning } = props.outcome;
  const { reason_detail, warning_detail } = props.outcome;
  const isRouted = outcome === 'routed' && warning === '';
  const { decisions } = useT();
  return (
    <div aria-live="polite">
      <p>
        <State tone={isRouted ? 'ok' : outcome === 'routed' ? 'warn' : 'idle'}>
          {decisions.outcomes[outcome as keyof typeof decisions.outcomes]}
          {target_bot_id === 0 ? '' : ` → ${props.names.bot(target_bot_id)}`}
        </State>
        {/* The list below shows the same for each route. */}
        {reason_detail?.code === 'matched_routes' ? null : (
          <>
            <br />
            <strong>{props.names.say(reason, reason_detail)}</strong>
          </>
        )}
        {warning === '' ||
        rules.some((rule) => isSame(rule.warning_detail, warning_detail)) ? null : (
          <Warning>{props.names.say(warning, warning_detail)}</Warning>
        )}
      </p>
      <ol className={css.decisions}>
        {rules.map((rule) => (
          <li key={rule.route_id}>
            <State tone={rule.warning ? 'warn' : rule.acts ? 'ok' : 'idle'}>
              {decisions.route(props.names.route(rule.route_id))}
            </State>
            {' · '}
            {props.names.say(rule.reason, rule.reason_detail)}
            {rule.warning === '' ? null : (
              <Warning>{props.names.say(rule.warning, rule.warning_detail)}</Warning>
            )}
          </li>
        ))}
      </ol>
      {model && !isSame(model.reason_detail, reason_detail) ? (
        <p>{props.names.say(model.reason, model.reason_detail)}</p>
      ) : null}
    </div>
  );
}

function isSame(one: AnyReason | null | undefined, other: AnyReason | null): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other);
}
