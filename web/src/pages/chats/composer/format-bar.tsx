import { ActionIcon, Tooltip } from '@mantine/core';
import type { RefObject } from 'react';
import { useT } from '../../../i18n/use-t.tsx';
import { Icon } from '../../../ui/icon.tsx';
import css from './composer.module.css';
import { type Selected, type StyleName, styleNames, withStyle } from './markdown-edit.ts';

/** Buttons that format the selected text, and show what arrives. */
export function FormatBar(props: {
  field: RefObject<HTMLTextAreaElement | null>;
  setText: (text: string) => void;
  isPreviewed: boolean;
  onPreview: () => void;
  hasButtons: boolean;
  takesButtons: boolean;
  onButtons: () => void;
}) {
  const { field, hasButtons, isPreviewed } = props;
  const t = useT();
  function apply(style: StyleName): void {
    const area = field.current;
    if (!area) return;
    const selected: Selected = {
      text: area.value,
      start: area.selectionStart,
      end: area.selectionEnd,
    };
    const { end, start, text } = withStyle(selected, style);
    props.setText(text);
    // The selection can move once the new text is there.
    requestAnimationFrame(() => {
      area.focus();
      area.setSelectionRange(start, end);
    });
  }
  return (
    <div className={css.bar} role="toolbar" aria-label={t.chats.formatting}>
      {styleNames.map((style) => (
        <Tool key={style} label={t.chats.styles[style]} icon={style} onClick={() => apply(style)} />
      ))}
      {props.takesButtons ? (
        <Tool
          label={t.chats.addButtons}
          icon="buttons"
          isOn={hasButtons}
          onClick={props.onButtons}
        />
      ) : null}
      <Tool label={t.chats.preview} icon="eye" isOn={isPreviewed} onClick={props.onPreview} />
    </div>
  );
}

function Tool(props: {
  label: string;
  icon: StyleName | 'buttons' | 'eye';
  isOn?: boolean;
  onClick: () => void;
}) {
  const { icon, isOn, label, onClick } = props;
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant={isOn ? 'light' : 'subtle'}
        {...(isOn ? {} : { color: 'gray' })}
        size={32}
        aria-label={label}
        {...(isOn === undefined ? {} : { 'aria-pressed': isOn })}
        onClick={onClick}
      >
        <Icon name={icon} size={18} />
      </ActionIcon>
    </Tooltip>
  );
}
