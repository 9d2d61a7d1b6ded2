import { Modal } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useIsFetching, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { botsQuery } from '../../api/bots.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Icon } from '../../ui/icon.tsx';
import { rememberEntry } from '../../shared/stored/recent.ts';
import { PlainMark } from '../../pages/chats/history/message-mark.tsx';
import { MarksProvider } from '../../pages/chats/history/use-marks.tsx';
import { useFocusBack } from '../../ui/use-focus-back.ts';
import css from './palette.module.css';
import { usePaletteActions } from './palette-actions.ts';
import { usePaletteAlerts } from './palette-alerts.ts';
import { type Entry, fewestLetters, mostBots, usePaletteEntries } from './palette-entries.ts';
import { usePaletteGuides } from './palette-guides.ts';
import { usePaletteMessages } from './palette-messages.ts';
import { usePalettePlaces } from './palette-places.ts';
import { usePaletteRoutes } from './palette-routes.ts';
import { usePaletteFinds } from './use-palette-finds.ts';
import { useRecentEntries } from './use-recent-entries.ts';

/** The service is asked once typing pauses. */
const waitMs = 150;

export function CommandPalette(props: { onClose: () => void; onNotifications: () => void }) {
  const { palette } = useT();
  useFocusBack(true);
  return (
    <Modal
      opened
      onClose={props.onClose}
      withCloseButton={false}
      centered={false}
      padding={0}
      size="lg"
      attributes={{ content: { 'aria-label': palette.title } }}
    >
      <Search {...props} />
    </Modal>
  );
}

function Search(props: { onClose: () => void; onNotifications: () => void }) {
  const { palette } = useT();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const navigate = useNavigate();
  const [typed] = useDebouncedValue(text.trim(), waitMs);
  const recent = useRecentEntries();
  const known = [
    ...usePaletteEntries(),
    ...usePaletteActions(text, props.onNotifications),
    ...usePaletteRoutes(text),
    ...usePaletteAlerts(),
    ...usePalettePlaces(text),
  ].filter((entry) => fits(entry, text));
  const searched = [
    ...usePaletteFinds(typed),
    ...usePaletteMessages(typed),
    ...usePaletteGuides(typed),
  ];
  const managed = (useQuery(botsQuery).data ?? []).filter((bot) => bot.manage_enabled);
  const isPartial = typed.length >= fewestLetters && managed.length > mostBots;
  const isSearching = useIsFetching({ queryKey: ['palette'] }) > 0 || typed !== text.trim();
  const found = text.trim() === '' ? [...recent, ...known] : [...known, ...searched];
  const active = found[Math.min(chosen, found.length - 1)];
  useEffect(() => {
    document.getElementById(`palette-${active?.id}`)?.scrollIntoView({ block: 'nearest' });
  }, [active?.id]);

  function run(entry: Entry | undefined): void {
    props.onClose();
    if (!entry) return;
    if (typeof entry.act === 'function') entry.act();
    else {
      rememberEntry({ ...entry, id: entry.id.replace(/^recent-/, ''), act: entry.act });
      void navigate(entry.act);
    }
  }
  function onKey(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (found.length === 0) return;
      setChosen((at) => (Math.min(at, found.length - 1) + step + found.length) % found.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      run(active);
    }
  }

  return (
    <>
      <input
        className={css.input}
        data-autofocus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-results"
        aria-activedescendant={active ? `palette-${active.id}` : undefined}
        aria-label={palette.title}
        placeholder={palette.placeholder}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKey}
      />
      {found.length === 0 ? (
        <div className={css.heading} role="status">
          {isSearching ? palette.searching : palette.nothing}
        </div>
      ) : null}
      <div className={css.results} id="palette-results" role="listbox" aria-label={palette.title}>
        <MarksProvider enabled>
          {[...new Set(found.map((entry) => entry.section))].map((section) => (
            <div key={section} role="group" aria-label={section}>
              <div className={css.heading} aria-hidden="true">
                {section}
              </div>
              {found
                .filter((entry) => entry.section === section)
                .map((entry) => (
                  <Row key={entry.id} entry={entry} active={entry === active} onRun={run} />
                ))}
            </div>
          ))}
        </MarksProvider>
      </div>
      {isPartial ? <p className={css.heading}>{palette.someBots(mostBots)}</p> : null}
    </>
  );
}

function Row(props: { entry: Entry; active: boolean; onRun: (entry: Entry) => void }) {
  const { entry } = props;
  return (
    <div
      id={`palette-${entry.id}`}
      className={css.item}
      role="option"
      tabIndex={-1}
      aria-selected={props.active}
      onMouseDown={(event) => {
        event.preventDefault();
        props.onRun(entry);
      }}
    >
      <Icon name={entry.icon} />
      <bdi className={css.label}>{entry.label}</bdi>
      {entry.note ? <bdi className={css.note}>{entry.note}</bdi> : null}
      {entry.message ? <PlainMark message={entry.message} /> : null}
    </div>
  );
}

/** Every typed word must occur in some word of the entry. */
function fits(entry: Entry, text: string): boolean {
  const hay = `${entry.label} ${entry.note ?? ''} ${entry.words ?? ''}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => hay.includes(word));
}
