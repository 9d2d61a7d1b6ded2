import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { Message } from '../../../api/client/types.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Icon } from '../../../ui/icon.tsx';
import css from '../chats.module.css';
import type { Account } from '../history/history-items.ts';

/** The destination of a message: the connection of a business account, or '' for the bot's own chat. */
interface SendTarget {
  connection: string;
  choose: (connection: string) => void;
  /** Keeps the target while text is entered, whatever arrives. */
  hold: () => void;
  /** Set by the user or by typing; undefined means the last target. */
  chosen: string | undefined;
  /** Returns to the last target, unless another one was chosen since. */
  release: (sentTo: string | undefined) => void;
}

/**
 * Returns the target: a reply goes where its message is, anything else to the last target, unless
 * the user chooses.
 */
export function useSendTarget(replyTo: Message | undefined, latest: string): SendTarget {
  const [chosen, choose] = useState<string>();
  const connection = replyTo ? (replyTo.business_connection_id ?? '') : (chosen ?? latest);
  return {
    connection,
    choose,
    hold: () => choose(connection),
    chosen,
    release: (sentTo) => choose((now) => (now === sentTo ? undefined : now)),
  };
}

export function TargetChoice(props: {
  accounts: ReadonlyMap<string, Account>;
  connection: string;
  /** True for a reply, whose target is that of its message. */
  fixed: boolean;
  onChoose: (connection: string) => void;
}) {
  const { accounts } = props;
  const t = useT();
  if (accounts.size === 0) return null;
  const nameOf = (account: Account | undefined) =>
    account ? t.chats.asAccount(account.owner) : t.chats.asBot;
  return (
    <div className={css.place}>
      <Icon name="briefcase" size={15} />
      {props.fixed ? (
        <strong>{nameOf(accounts.get(props.connection))}</strong>
      ) : (
        <NativeSelect
          size="xs"
          aria-label={t.chats.sendAs}
          data={[...latestOfEachOwner(accounts, props.connection), undefined].map((account) => ({
            value: account?.connection ?? '',
            label: nameOf(account),
          }))}
          value={props.connection}
          onChange={({ currentTarget: { value } }) => props.onChoose(value)}
        />
      )}
      <span>{props.connection === '' ? t.chats.asBotHint : t.chats.asAccountHint}</span>
    </div>
  );
}

/**
 * Returns the latest connection of each owner: reconnecting a bot creates a new one and ends the
 * earlier one.
 */
function latestOfEachOwner(accounts: ReadonlyMap<string, Account>, current: string): Account[] {
  const owners = new Set<string>();
  return [...accounts.values()].toReversed().filter(({ connection, owner }) => {
    const isOver = owner !== '' && owners.has(owner) && connection !== current;
    owners.add(owner);
    return !isOver;
  });
}
