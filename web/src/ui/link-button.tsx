import { Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';

interface AnchorButtonProps
  extends ButtonProps,
    Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps> {
  ref?: Ref<HTMLAnchorElement>;
}

function AnchorButton(props: AnchorButtonProps) {
  return <Button component="a" {...props} />;
}

/** A button that is a link, with the router's types. */
export const LinkButton = createLink(AnchorButton);
