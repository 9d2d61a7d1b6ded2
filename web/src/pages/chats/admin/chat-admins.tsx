import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Admin, adminsQuery, demote, promote, setAdminTitle } from '../../../api/admins.ts';
import type { ChatKey } from '../../../api/chats.ts';
import { rightsQuery } from '../../../api/people.ts';
import type { Bot } from '../../../api/client/types.ts';
import { useMay } from '../../../shared/use-session.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Avatar } from '../../../ui/avatar.tsx';
import { type EntryAction, EntryMenu } from '../../../ui/lists/entry-list.tsx';
import { ErrorBox } from '../../../shared/error-box.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { SideSection } from '../../../ui/side-panel.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { AppointDialog } from './appoint-dialog.tsx';
import { speakerName } from '../history/history-items.ts';
import css from '../person.module.css';
import { RightsDialog } from './rights-dialog.tsx';
import { TitleDialog } from './title-dialog.tsx';
import { whyNot } from '../history/decision-words.ts';

type Doing = { what: 'rights' | 'title'; admin: Admin } | { what: 'appoint' };

/** Lists the administrators except the owner, and their rights. */
export function ChatAdmins(props: { bot: Bot; chatKey: ChatKey }) {
  const { bot, chatKey } = props;
  const t = useT();
  const mayManage = useMay('chats', 'manage');
  const admins = useQuery(adminsQuery(chatKey));
  const rightsChecks = useQuery(rightsQuery(chatKey));
  const [doing, setDoing] = useState<Doing>();
  const obstacle = whyNot(rightsChecks.data, 'promote', t);
  const close = () => setDoing(undefined);
  return (
    <SideSection title={t.admins.title}>
      {admins.isPending ? <Skeleton height={90} radius={12} mb={10} /> : null}
      {admins.isError ? (
        <ErrorBox error={admins.error} onRetry={() => void admins.refetch()} />
      ) : null}
      {admins.data?.length === 0 ? <p className={css.small}>{t.admins.none}</p> : null}
      <ul className={css.admins}>
        {admins.data?.map((admin) => (
          <AdminRow
            key={admin.user_id}
            bot={bot}
            chatKey={chatKey}
            admin={admin}
            mayManage={mayManage}
            noTitles={whyNot(rightsChecks.data, 'title', t)}
            onDo={(what) => setDoing({ what, admin })}
          />
        ))}
      </ul>
      {mayManage ? (
        <Button
          size="compact-sm"
          variant="light"
          leftSection={<Icon name="plus" size={15} />}
          disabled={rightsChecks.data === undefined || obstacle !== ''}
          onClick={() => setDoing({ what: 'appoint' })}
        >
          {t.admins.add}
        </Button>
      ) : null}
      {obstacle === '' ? null : (
        <p className={css.why}>
          {t.admins.cannot} {obstacle}
        </p>
      )}
      {doing?.what === 'appoint' ? (
        <AppointDialog bot={bot} chatKey={chatKey} onClose={close} />
      ) : null}
      {doing?.what === 'rights' ? (
        <RightsDialog
          bot={bot}
          who={{ ...chatKey, user_id: doing.admin.user_id }}
          name={speakerName(doing.admin)}
          before={doing.admin}
          onClose={close}
        />
      ) : null}
      {doing?.what === 'title' ? (
        <TitleDialog chatKey={chatKey} admin={doing.admin} onClose={close} />
      ) : null}
    </SideSection>
  );
}

function AdminRow(props: {
  bot: Bot;
  chatKey: ChatKey;
  admin: Admin;
  mayManage: boolean;
  noTitles: string;
  onDo: (what: 'rights' | 'title') => void;
}) {
  const { admin, bot, chatKey } = props;
  const t = useT();
  const [opened, setOpened] = useState(false);
  const take = useTakeRights(chatKey, admin);
  const name = speakerName(admin) || String(admin.user_id);
  const isOwner = admin.status === 'creator';
  const isSelf = admin.user_id === bot.platform_id;
  const notOurs = admin.can_be_edited ? '' : t.admins.notOurs;
  const actions: EntryAction[] = [
    { label: t.admins.change, icon: 'key', run: () => props.onDo('rights'), whyNot: notOurs },
    {
      label: t.admins.changeTitle,
      icon: 'edit',
      run: () => props.onDo('title'),
      whyNot: notOurs || props.noTitles,
    },
    {
      label: t.admins.demote,
      icon: 'arrowDown',
      run: () => take.mutate(undefined),
      whyNot: notOurs,
    },
  ];
  const about = [
    isOwner ? t.admins.owner : t.admins.rights(admin.rights.length),
    isSelf ? t.admins.thisBot : '',
    admin.title,
  ].filter(Boolean);
  return (
    <li>
      <div className={css.admin}>
        <Avatar id={admin.user_id} name={name} size={34} />
        <div>
          <div className={css.adminName}>{name}</div>
          <button
            type="button"
            className={css.plain}
            aria-expanded={opened}
            aria-label={t.common.labelled(name, about.join(', '))}
            onClick={() => setOpened(!opened)}
          >
            {about.join(' · ')}
          </button>
        </div>
        {isOwner || isSelf || !props.mayManage ? null : <EntryMenu name={name} actions={actions} />}
      </div>
      {opened ? (
        <ul className={css.pieces}>
          {admin.rights.map((right) => (
            <li key={right}>
              <Icon name="check" size={14} />
              {t.rights.names[right]}
            </li>
          ))}
        </ul>
      ) : null}
    </li>
  );
}

/** Removes rights; they are known, so undo can restore them. */
function useTakeRights(chatKey: ChatKey, admin: Admin) {
  const t = useT();
  const who = { ...chatKey, user_id: admin.user_id };
  const restore = useAction({
    run: async () => {
      await promote(who, admin.rights);
      if (admin.title !== '') await setAdminTitle(who, admin.title);
    },
    refreshes: [['people', chatKey.bot_id]],
  });
  return useAction({
    run: () => demote(who),
    refreshes: [['people', chatKey.bot_id]],
    done: () => ({
      words: t.admins.demoted(speakerName(admin)),
      undo: () => restore.mutate(undefined),
    }),
  });
}
