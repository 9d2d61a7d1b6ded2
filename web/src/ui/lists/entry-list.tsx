import { ActionIcon, Menu } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useT } from '../../i18n/use-t.tsx';
import { Confirm } from '../feedback/confirm.tsx';
import { Icon, type IconName } from '../icon.tsx';
import css from '../rows.module.css';

export interface EntryAction {
  label: string;
  icon?: IconName;
  run: () => void;
  /** Why the action is not possible; '' or undefined if it is. */
  whyNot?: string;
  /** The question before an action that cannot be undone. */
  ask?: { title: string; means: ReactNode; confirm: string };
}

export function EntryList(props: { children: ReactNode }) {
  return (
    <ul data-rows className={css.rows}>
      {props.children}
    </ul>
  );
}

export function Entry(props: {
  /** The name of the entry that the actions are for, for screen readers. */
  name: string;
  lead?: ReactNode;
  /** Keeps the lead on a small screen, because nothing else shows it. */
  keepLead?: boolean;
  sub?: ReactNode;
  side?: ReactNode;
  off?: boolean;
  actions: EntryAction[];
}) {
  return (
    <li className={css.entry} data-off={props.off || undefined}>
      <span className={css.lead} data-kept={props.keepLead || undefined}>
        {props.lead}
      </span>
      <div>
        <div className={css.name}>{props.name}</div>
        <div className={css.sub}>{props.sub}</div>
      </div>
      <div className={css.side}>{props.side}</div>
      {props.actions.length === 0 ? (
        <span />
      ) : (
        <EntryMenu name={props.name} actions={props.actions} />
      )}
    </li>
  );
}

/** The menu with three dots; actions that cannot be undone ask first. */
export function EntryMenu(props: { name: string; actions: EntryAction[] }) {
  const { common } = useT();
  const [asked, setAsked] = useState<EntryAction>();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={common.labelled(common.actions, props.name)}
          >
            <Icon name="dots" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {props.actions.map((action) => (
            <Menu.Item
              key={action.label}
              leftSection={action.icon ? <Icon name={action.icon} size={16} /> : null}
              disabled={Boolean(action.whyNot)}
              {...(action.ask ? { c: 'var(--bad)' } : {})}
              onClick={() => {
                if (!action.ask) action.run();
                else {
                  setAsked(action);
                  setAsking(true);
                }
              }}
            >
              {action.label}
              {action.whyNot ? <div className={css.whyNot}>{action.whyNot}</div> : null}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={asked?.ask?.title ?? ''}
        confirmLabel={asked?.ask?.confirm ?? ''}
        onConfirm={() => {
          setAsking(false);
          asked?.run();
        }}
      >
        {asked?.ask?.means}
      </Confirm>
    </>
  );
}
