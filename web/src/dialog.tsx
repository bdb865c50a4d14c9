import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Cross } from "./icons";

interface Props {
  title: string;
  class?: string;
  close(): void;
  children: ComponentChildren;
}

/** A modal dialog, open as long as it is rendered. When it closes, the element focused before is focused again. */
export function Dialog({ title, close, children, ...rest }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  // A layout effect: keys pressed right after the one that opened the dialog go to the dialog.
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    element.current?.showModal();
    return () => {
      element.current?.close();
      before?.focus();
      // The element that opened it may be removed or disabled.
      if (before?.isConnected && document.activeElement !== before) before.closest<HTMLElement>("section, header")?.querySelector<HTMLElement>("input, button:enabled")?.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={rest.class ?? ""}
      aria-label={title}
      onCancel={(event) => (event.preventDefault(), close())}
      onClick={(event) => event.target === element.current && close()}
    >
      <div class="sheet">
        <div class="title">
          <h2>{title}</h2>
          <button type="button" class="icon" onClick={close} aria-label="Close">
            <Cross />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
