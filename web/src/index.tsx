import { announce } from "./announce";
import { live } from "./answer";
import { sound } from "./depth";
import { Form } from "./form";
import { mount } from "./frame";
import { watch } from "./holdings";
import { keep, open, typed } from "./order";
import { See } from "./see";
import { listed, load } from "./tokens";
import { discover } from "./wallet";
import { WalletButton } from "./wallets";

/** Until the list of tokens is there, shapes stand where the swap will be. */
function Page() {
  const loading = listed.value.length === 0;
  return (
    <div class={loading ? "swap loading" : "swap"} aria-busy={loading}>
      <Form />
      <See />
    </div>
  );
}

mount(<Page />, <WalletButton />);
discover();
watch();

/** The list may not be there yet when the page is: it is asked for until it is. */
async function begin(): Promise<void> {
  while (!(await load().then(() => true, () => false))) await new Promise((resolve) => setTimeout(resolve, 1000));
  const early = typed.value; // by somebody faster than the list
  open();
  if (early) typed.value = early;
  keep();
  live();
  announce();
  sound();
}

void begin();
