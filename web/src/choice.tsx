// The button that shows a token and opens the picker.

import { useSignal } from "@preact/signals";
import type { Token } from "./api";
import { Chevron, Logo } from "./icons";
import { choose } from "./order";
import { Picker } from "./picker";

export function TokenButton({ side, chosen }: { side: "in" | "out"; chosen: Token | undefined }) {
  const open = useSignal(false);
  const title = side === "in" ? "Pay with" : "Receive";
  return (
    <>
      <button type="button" class="token" onClick={() => (open.value = true)} aria-label={`${title}: ${chosen?.symbol ?? "choose a token"}`}>
        {chosen ? <Logo token={chosen} size={26} /> : null}
        <span>{chosen?.symbol ?? "Choose"}</span>
        <Chevron />
      </button>
      {open.value && <Picker title={title} chosen={chosen} choose={(token) => choose(side, token)} close={() => (open.value = false)} />}
    </>
  );
}
