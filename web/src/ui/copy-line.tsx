import { ActionIcon, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { useT } from '../i18n/use-t.tsx';
import { Icon } from './icon.tsx';
import css from './ui.module.css';

export function CopyLine(props: { text: string; label?: string }) {
  return (
    <div className={css.copyLine}>
      {/* Long lines scroll, so the keyboard has to reach them. */}
      <code tabIndex={0}>{props.text}</code>
      <CopyButton text={props.text} {...(props.label ? { label: props.label } : {})} />
    </div>
  );
}

export function CopyButton(props: { text: string; label?: string }) {
  const { common } = useT();
  const [copied, setCopied] = useState(false);
  const label = copied ? common.copied : (props.label ?? common.copy);
  async function copy(): Promise<void> {
    await copyText(props.text);
    setCopied(true);
    window.setTimeout(() => setCopied(false), 1_600);
  }
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color={copied ? 'petrol' : 'gray'}
        aria-label={label}
        onClick={() => void copy()}
      >
        <Icon name={copied ? 'check' : 'copy'} size={17} />
      </ActionIcon>
    </Tooltip>
  );
}

/** The clipboard interface exists only on https and localhost; elsewhere the old way works. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
